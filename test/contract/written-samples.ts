import type { LociRecord } from '../../src/core/types.ts';
import type { AuditDraft, HistoryDraft, StartupEntry } from '../../src/store/admin-model.ts';
import type { CommitBatch, PurgeRequest, RecordDraft, RecordWrite } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { CHUNKING, note, NOW } from './store-samples.ts';

export const ALL: { after: null; limit: number } = { after: null, limit: 1000 };

/** A fact as an agent stores it. */
export function fact(
  key: string | null,
  category: string,
  text: string,
  given: Partial<RecordDraft> = {},
): RecordWrite {
  const how = { origin: 'fact', source: 'mcp', trust: 'agent', expiresAt: NOW + 1000 } as const;
  return note(text, { ...how, key, category, ...given });
}

export async function commit(
  store: Store,
  namespace: string,
  batch: Partial<CommitBatch>,
): Promise<number[]> {
  return store.records.commit(namespace, { chunking: CHUNKING, ...batch });
}

/** Deletes records at `NOW`. */
export async function deleteRecords(
  store: Store,
  namespace: string,
  ...ids: readonly number[]
): Promise<void> {
  await commit(store, namespace, { deletions: ids.map((id) => ({ id, at: NOW })) });
}

export function auditDraft(given: Partial<AuditDraft> = {}): AuditDraft {
  return { at: NOW, actor: 'ada', surface: 'mcp', action: 'write', subject: null, diff: null, ...given };
}

export function purgeRequest(given: Partial<PurgeRequest> = {}): PurgeRequest {
  const by = { at: NOW, actor: 'loci', surface: 'upkeep' };
  return { expiredBy: NOW, deletedBefore: NOW + 1, limit: 100, by, ...given };
}

export function startupEntry(given: Partial<StartupEntry> = {}): StartupEntry {
  return {
    agent: '',
    key: 'rules',
    content: 'be kind',
    priority: 1,
    reinforce: false,
    createdAt: NOW,
    updatedAt: NOW,
    deletedAt: null,
    ...given,
  };
}

export function historyRun(given: Partial<HistoryDraft> = {}): HistoryDraft {
  return {
    category: 'pack_history',
    name: 'memory_search',
    surface: 'mcp',
    actor: 'ada',
    inputs: { limit: 5 },
    outcome: '3 results',
    at: NOW,
    tookMs: 7,
    expiresAt: NOW + 1000,
    ...given,
  };
}

/** The ids of a list's records, in order. */
export function idsOf(records: readonly Pick<LociRecord, 'id'>[]): number[] {
  return records.map(({ id }) => id);
}
