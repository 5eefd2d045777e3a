import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import type { Timestamp } from '../../core/types.ts';
import type { Source, SourceItem, SourceProblem } from '../../sources/source.ts';
import type { SourceState } from '../../store/source-states.ts';
import type { SourceEntry } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { vaultSource } from './refresh-vault.ts';
import { entriesOf } from '../sources/source-entries.ts';
import type { VaultChanges } from './vault-changes.ts';
import { isEnabled, ownVaults, vaultName } from './vault-names.ts';

export interface VaultState {
  readonly name: string;
  readonly path: string;
  /** Off, it is not looked at. */
  readonly enabled: boolean;
  /** Whoever keeps vaults fresh leaves it alone. */
  readonly paused: boolean;
  /** When it was last read through; `null` before the first time. */
  readonly lastRead: Timestamp | null;
  /** Since then; `null` when it was never read or cannot be looked at now. */
  readonly changes: VaultChanges | null;
  /** Files and folders that are left out, as far as a look without reading tells; `null` when it cannot be looked at. */
  readonly skipped: number | null;
  /** Why it cannot be looked at now. */
  readonly unreadable: string | null;
}

/** A vault that records came from and that is not in the configuration: nothing refreshes them. */
export interface StrayVault {
  readonly name: string;
  readonly records: number;
}

export interface VaultStates {
  readonly vaults: readonly VaultState[];
  readonly strays: readonly StrayVault[];
}

/** Looks at the files of every configured vault, without reading them. */
export async function vaultStates(context: EngineContext): Promise<VaultStates> {
  const { store, namespace } = context;
  const states = await store.sourceStates(namespace);
  const vaults = await Promise.all(ownVaults(context).map((vault) => stateOf(context, vault, states)));
  const names = new Set(vaults.map(({ name }) => name));
  const filter = { now: context.now(), origins: ['vault' as const] };
  const sources = await store.facet(namespace, 'source', filter);
  const strays = sources
    .filter(({ value }) => !names.has(value))
    .map(({ value, records }) => ({ name: value, records }));
  return { vaults, strays };
}

async function stateOf(
  context: EngineContext,
  vault: VaultConfig,
  states: ReadonlyMap<string, SourceState>,
): Promise<VaultState> {
  const name = vaultName(vault);
  const { readAt: lastRead = null, paused = false } = states.get(name) ?? {};
  const state = { name, path: vault.path, enabled: isEnabled(vault), paused, lastRead };
  if (!state.enabled) return { ...state, changes: null, skipped: null, unreadable: null };
  try {
    const source = await vaultSource(context, vault);
    const { changes, skipped } = await lookAt(context, source);
    return { ...state, changes: lastRead === null ? null : changes, skipped, unreadable: null };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
    return { ...state, changes: null, skipped: null, unreadable: messageOf(error) };
  }
}

/** A file that is new or changed may be no note at all, or no more: so many are opened to tell. */
const OPENED = 100;

/** What `index` would do, and what it would leave out. */
async function lookAt(
  context: EngineContext,
  source: Source,
): Promise<{ changes: VaultChanges; skipped: number }> {
  const known = new Map<string, SourceEntry>();
  for await (const entry of entriesOf(context, source.name)) known.set(entry.key, entry);
  const skipped = new Map<string, SourceProblem>();
  const report = (problem: SourceProblem): void => {
    if (problem.skipped) skipped.set(problem.key, problem);
  };
  const [unknown, changed]: [SourceItem[], SourceItem[]] = [[], []];
  for await (const item of source.list(report)) {
    const entry = known.get(item.key);
    if (entry === undefined) unknown.push(item);
    else if (entry.revision !== item.revision) changed.push(item);
    known.delete(item.key);
  }
  // What was known of them stays, so they are not gone (`ingest/sync.ts`).
  const kept = [...skipped.values()].filter(({ reason }) => reason !== 'outside_root');
  const gone = [...known.keys()].filter(
    (key) => !kept.some(({ key: at }) => key === at || key.startsWith(`${at}/`)),
  );
  const unfit = new Set<SourceItem>();
  for (const item of [...unknown, ...changed].slice(0, OPENED)) {
    if ((await source.read(item, report)) === null) unfit.add(item);
  }
  const count = (items: readonly SourceItem[]): number => items.filter((item) => !unfit.has(item)).length;
  const changes = { added: count(unknown), changed: count(changed), gone: gone.length };
  return { changes, skipped: skipped.size };
}
