import { resolve } from 'node:path';
import type { VaultConfig } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import { syncSource, type SyncReport } from '../../../ingest/sync.ts';
import { openSource } from '../../../sources/registry.ts';
import type { Source } from '../../../sources/source.ts';
import type { Fence } from '../../../store/model.ts';
import type { EngineContext, RelationOptions } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import { pickSignal, type ProgressOptions } from '../../../core/progress.ts';
import { RefreshAttempt, formatNoteProblem } from './refresh-attempt.ts';
import { withLease, type LeaseOptions } from '../../shared/lease.ts';
import { leaseName } from './refresh.ts';
import { isDue } from '../configured/schedule.ts';
import { assertNoConversations, vaultName } from '../configured/vault-names.ts';
import { sourceStates } from '../../../store/items/kinds.ts';

export interface IndexOptions extends ProgressOptions {
  /** Whether to wait for another process that reads the same vault or embeds. Default true. */
  readonly wait?: boolean;
  /** Whether to embed what was read. Default true. */
  readonly embed?: boolean;
  /** How the records are related to each other at the end. */
  readonly relations?: Pick<RelationOptions, 'maxRecords' | 'waitMs'>;
  /** Removes all notes of a vault that has none any more. */
  readonly allowEmpty?: boolean;
}

interface RefreshVaultOptions extends LeaseOptions, IndexOptions {
  /** Milliseconds until it is due again; as configured unless given. */
  readonly interval?: number;
  /** Fails with `conflict` when another process has just read it. */
  readonly onlyIfDue?: boolean;
}

/**
 * Updates the records of a vault to its notes, one process at a time, and records the outcome. Nothing is embedded yet.
 * @throws LociError `unreadable`, `conflict` when another process reads it (unless `wait`), `aborted`
 */
export async function refreshVault(
  context: EngineContext,
  vault: VaultConfig,
  options: RefreshVaultOptions = {},
): Promise<SyncReport> {
  const name = vaultName(vault);
  const { interval = vault.refreshInterval ?? 0, onlyIfDue = false, onProgress } = options;
  const onWait = (process: string): void =>
    onProgress?.({ stage: 'waiting', subject: `${process} to read ${name}`, done: 0, total: 0 });
  return withLease(
    context,
    leaseName(context, name),
    async (lease, signal) => {
      const { store, namespace, now } = context;
      const state = (await sourceStates(store.records, namespace)).get(name);
      assertNoConversations(name, state?.hasConversations);
      if (onlyIfDue && state !== undefined && !isDue(state, interval, now()))
        throw new LociError('conflict', `${name} was read by another process`);
      const attempt = new RefreshAttempt(context, name, {
        ...{ section: 'vaults', lease, before: state, interval },
      });
      return readVault(context, vault, attempt, { ...options, lease, signal, before: state?.problems ?? [] });
    },
    { onWait, ...options },
  );
}

interface ReadOptions extends IndexOptions {
  readonly lease: Fence;
  /** The problems that the previous refresh found in its notes. */
  readonly before: readonly string[];
}

async function readVault(
  context: EngineContext,
  vault: VaultConfig,
  attempt: RefreshAttempt,
  options: ReadOptions,
): Promise<SyncReport> {
  const unchanged = new Set<string>();
  try {
    const report = await syncVault(context, vault, options, (key) => void unchanged.add(key));
    // Unchanged notes are not read again, so their problems remain.
    const remaining = options.before.filter((problem) => isProblemOf(unchanged, problem));
    const problems = [...new Set([...report.problems.map(formatNoteProblem), ...remaining])];
    await attempt.record({ ...attempt.success(problems), root: resolve(vault.path) });
    return report;
  } catch (error) {
    if (error instanceof LociError && error.code === 'unreadable') await attempt.recordFailure(error.message);
    throw error;
  }
}

/** Problems are formatted by `formatNoteProblem`. The key before the colon may contain colons itself. */
function isProblemOf(keys: ReadonlySet<string>, problem: string): boolean {
  for (let offset = problem.indexOf(': '); offset >= 0; offset = problem.indexOf(': ', offset + 1))
    if (keys.has(problem.slice(0, offset))) return true;
  return false;
}

async function syncVault(
  context: EngineContext,
  vault: VaultConfig,
  options: ReadOptions,
  onUnchanged: (key: string) => void,
): Promise<SyncReport> {
  const { store, namespace, config, now } = context;
  const source = await vaultSource(context, vault);
  return syncSource(store, source, {
    namespace,
    project: config.project,
    chunking: await chunkingOf(context),
    now,
    allowEmpty: options.allowEmpty ?? false,
    fence: options.lease,
    onUnchanged,
    ...pickSignal(options),
    onProgress: (done, total) =>
      options.onProgress?.({ stage: 'reading', subject: source.name, done, total }),
  });
}

export function vaultSource({ thread }: EngineContext, vault: VaultConfig): Promise<Source> {
  return openSource('vault', { ...vault, name: vaultName(vault), root: vault.path, thread });
}
