import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import type { Source, SourceItem, SourceProblem } from '../../sources/source.ts';
import type { SourceState } from '../../store/admin-model.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { vaultSource } from './refresh/refresh-vault.ts';
import { compareRevision, storedEntriesByKey } from '../../ingest/source-entries.ts';
import { isoTime } from '../fields/times.ts';
import { isEnabled, vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import { formatCount } from '../../core/text/format-count.ts';

const vaultChanges = z.strictObject({ added: count(), changed: count(), gone: count() });
/** Differences between the notes and the store, found without reading the notes. */
type VaultChanges = z.infer<typeof vaultChanges>;

export const vaultOutput = z.strictObject({
  name: z.string(),
  path: z.string(),
  enabled: z.boolean().describe('When false, it is neither read nor searched.'),
  paused: z.boolean().describe('When true, it is not refreshed automatically.'),
  records: count(),
  last_read: z.iso.datetime().nullable().describe('When `index` last read all of it.'),
  changes: vaultChanges
    .nullable()
    .describe('Notes that changed since; null when it was never read or cannot be read.'),
  skipped: count()
    .nullable()
    .describe(
      'Files and folders that are left out, without reading them; `doctor` reports every problem. ' +
        'Null when the folder cannot be read.',
    ),
  unreadable: z.string().nullable().describe('Why its folder cannot be read now.'),
});

/** The records of a vault are counted elsewhere. */
export type VaultState = Omit<z.infer<typeof vaultOutput>, 'records'>;

/** Compares every configured vault with the store without reading its notes, or the given ones in place of these. */
export async function vaultStates(
  context: EngineContext,
  configured: readonly VaultConfig[] = vaultsOfNamespace(context),
  reading = sourceStates(context.store.records, context.namespace),
): Promise<VaultState[]> {
  const states = await reading;
  return Promise.all(configured.map((vault) => stateOf(context, vault, states)));
}

async function stateOf(
  context: EngineContext,
  vault: VaultConfig,
  states: ReadonlyMap<string, SourceState>,
): Promise<VaultState> {
  const name = vaultName(vault);
  const { readAt = null, paused = false } = states.get(name) ?? {};
  const last_read = readAt === null ? null : isoTime(readAt);
  const state = { name, path: vault.path, enabled: isEnabled(vault), paused, last_read };
  if (!state.enabled) return { ...state, changes: null, skipped: null, unreadable: null };
  try {
    const source = await vaultSource(context, vault);
    const { changes, skipped } = await compareWithStore(context, source);
    return { ...state, changes: last_read === null ? null : changes, skipped, unreadable: null };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
    return { ...state, changes: null, skipped: null, unreadable: messageOf(error) };
  }
}

/** New or changed files that are opened, because a file may turn out not to be a note. */
const MAX_OPENED_FILES = 100;

/** The changes that `index` would make, and the files that it would leave out. */
async function compareWithStore(
  context: EngineContext,
  source: Source,
): Promise<{ changes: VaultChanges; skipped: number }> {
  const stored = await storedEntriesByKey(context.store.records, context.namespace, source.name);
  const skipped = new Map<string, SourceProblem>();
  const report = (problem: SourceProblem): void => {
    if (problem.skipped) skipped.set(problem.key, problem);
  };
  const [added, changed]: [SourceItem[], SourceItem[]] = [[], []];
  for await (const item of source.list(report)) {
    const entry = stored.get(item.key);
    if (entry === undefined) added.push(item);
    else if (compareRevision(item, entry) === 'changed') changed.push(item);
    stored.delete(item.key);
  }
  // Skipped notes keep their records (`ingest/sync.ts`), so they are not gone.
  const retained = [...skipped.values()].filter(({ reason }) => reason !== 'outside_root');
  const gone = [...stored.keys()].filter(
    (key) =>
      !retained.some(({ key: retainedKey }) => key === retainedKey || key.startsWith(`${retainedKey}/`)),
  );
  const notNotes = new Set<SourceItem>();
  for (const item of [...added, ...changed].slice(0, MAX_OPENED_FILES)) {
    if ((await source.read(item, report)) === null) notNotes.add(item);
  }
  const count = (items: readonly SourceItem[]): number => items.filter((item) => !notNotes.has(item)).length;
  const changes = { added: count(added), changed: count(changed), gone: gone.length };
  return { changes, skipped: skipped.size };
}

/** `3 notes new, 1 changed`; empty when nothing differs. */
export function formatVaultChanges({ added, changed, gone }: VaultChanges): string {
  const counts = [
    [added, 'new'],
    [changed, 'changed'],
    [gone, 'gone'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, change], i) => `${i > 0 ? String(count) : formatCount(count, 'note')} ${change}`)
    .join(', ');
}
