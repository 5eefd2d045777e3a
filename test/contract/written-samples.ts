import type { LociRecord } from '../../src/core/types.ts';
import type {
  AuditChain,
  AuditCursor,
  AuditDraft,
  AuditEntry,
  AuditFilter,
  HistoryDraft,
  LeaseRequest,
  StartupEntry,
} from '../../src/store/admin-model.ts';
import type {
  ChunkedRecord,
  CommitBatch,
  Page,
  PurgeRequest,
  RecordDraft,
  RecordWrite,
} from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { CHUNKING, note, NOW, passage } from './store-samples.ts';

export const ALL: { after: null; limit: number } = { after: null, limit: 1000 };

/** The first text is not well-formed: it has half a surrogate pair. */
export const UNUSUAL_TEXTS: readonly string[] = ['\ud800', 'a\0b', '"\\', 'é e\u0301', '\u2028', ''];

/** A fact as an agent stores it. */
export function fact(
  key: string | null,
  category: string,
  text: string,
  fields: Partial<RecordDraft> = {},
): RecordWrite {
  const defaults = { origin: 'fact', source: 'mcp', trust: 'agent', expiresAt: NOW + 1000 } as const;
  return note(text, { ...defaults, key, category, ...fields });
}

export async function commit(
  store: Store,
  namespace: string,
  batch: Partial<CommitBatch>,
): Promise<number[]> {
  return store.records.commit(namespace, { chunking: CHUNKING, ...batch });
}

export async function replacePassages(
  store: Store,
  namespace: string,
  chunking: string,
  chunked: ReadonlyMap<number, ChunkedRecord>,
): Promise<void> {
  await store.records.commit(namespace, { chunked, chunking });
}

/** Deletes records at `NOW`. */
export async function deleteRecords(
  store: Store,
  namespace: string,
  ...ids: readonly number[]
): Promise<void> {
  await commit(store, namespace, { deletions: ids.map((id) => ({ id, at: NOW })) });
}

/** Restores a deleted record with one passage. */
export async function restore(
  store: Store,
  namespace: string,
  id: number,
  text: string,
  chunking: string = CHUNKING,
): Promise<number[]> {
  return commit(store, namespace, { restorations: [{ id, at: NOW, passages: [passage(text)] }], chunking });
}

type Admin = Pick<Store, 'admin'>;

export async function auditEntries(
  { admin }: Admin,
  namespace: string,
  filter: AuditFilter,
  { after, limit }: Page<AuditCursor>,
): Promise<readonly AuditEntry[]> {
  return (await admin.audit(namespace, { log: { ...filter, after, limit } })).entries;
}

export async function auditChain(
  { admin }: Admin,
  namespace: string,
  name: string,
  { after, limit }: Page<number>,
): Promise<readonly AuditEntry[]> {
  return (await admin.audit(namespace, { chain: { name, after, limit } })).entries;
}

export async function auditChains({ admin }: Admin, namespace: string): Promise<readonly AuditChain[]> {
  return (await admin.audit(namespace, { chains: true })).chains;
}

export async function verifyAudit({ admin }: Admin, namespace: string): Promise<readonly string[]> {
  return (await admin.audit(namespace, { faults: true })).faults;
}

/** Returns how many of the entries are new. */
export async function attachAudit(
  store: Store,
  namespace: string,
  attachedAudit: readonly AuditEntry[],
): Promise<number> {
  const lengths = async (): Promise<number> =>
    (await auditChains(store, namespace)).reduce((sum, { length }) => sum + length, 0);
  const before = await lengths();
  await store.records.commit(namespace, { attachedAudit });
  return (await lengths()) - before;
}

/** Returns the token of the lease; `null` while another holder has it. */
export async function takeLease(
  { admin }: Admin,
  namespace: string,
  request: LeaseRequest,
): Promise<number | null> {
  const lease = await admin.lease(namespace, request);
  return lease?.holder === request.holder ? lease.token : null;
}

export async function dropLease(
  { admin }: Admin,
  namespace: string,
  name: string,
  holder: string,
): Promise<void> {
  await admin.lease(namespace, { name, releasedBy: holder });
}

/** The entries of the audit log that the namespace wrote itself, oldest first. */
export async function ownAuditLog(store: Admin, namespace: string): Promise<readonly AuditEntry[]> {
  const ownChain = (await auditChains(store, namespace)).find(({ own }) => own);
  return ownChain === undefined ? [] : auditChain(store, namespace, ownChain.chain, ALL);
}

export function auditDraft(fields: Partial<AuditDraft> = {}): AuditDraft {
  return { at: NOW, actor: 'ada', surface: 'mcp', action: 'write', subject: null, diff: null, ...fields };
}

/** Returns the number of purged records. */
export async function purge(
  records: Pick<Store['records'], 'commit'>,
  namespace: string,
  request: PurgeRequest,
): Promise<number> {
  return (await records.commit(namespace, { purge: request })).length;
}

export function purgeRequest(fields: Partial<PurgeRequest> = {}): PurgeRequest {
  const by = { at: NOW, actor: 'loci', surface: 'upkeep' };
  return { expiredBy: NOW, deletedBefore: NOW + 1, limit: 100, by, ...fields };
}

export function startupEntry(fields: Partial<StartupEntry> = {}): StartupEntry {
  return {
    agent: '',
    key: 'rules',
    content: 'be kind',
    priority: 1,
    reinforce: false,
    createdAt: NOW,
    updatedAt: NOW,
    deletedAt: null,
    ...fields,
  };
}

export function historyRun(fields: Partial<HistoryDraft> = {}): HistoryDraft {
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
    ...fields,
  };
}

/** The ids of a list's records, in order. */
export function idsOf(records: readonly Pick<LociRecord, 'id'>[]): number[] {
  return records.map(({ id }) => id);
}
