import { resolve } from 'node:path';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { syncSource, type SyncReport } from '../../ingest/sync.ts';
import { openSource } from '../../sources/registry.ts';
import type { Source } from '../../sources/source.ts';
import type { EngineContext } from '../context.ts';
import { signalOption, type ProgressOptions } from '../../core/progress.ts';
import { RefreshAttempt } from '../refresh/refresh-attempt.ts';
import { withLease, type LeaseHandle, type LeaseOptions } from '../refresh/lease.ts';
import { leaseOf, problemOfNote } from '../refresh/refresh.ts';
import { isDue } from '../refresh/schedule.ts';
import { vaultName } from './vault-names.ts';

export interface IndexOptions extends ProgressOptions {
  /** Removes all notes of a vault that has none any more. */
  readonly allowEmpty?: boolean;
}

export interface RefreshVaultOptions extends LeaseOptions, IndexOptions {
  /** Milliseconds until it is due again; as configured unless given. */
  readonly interval?: number;
  /** Leaves it to whoever read it a moment ago: then it is a `conflict`. */
  readonly onlyIfDue?: boolean;
}

/**
 * Brings the records of a vault up to date with its notes, one process at a time, and notes how it went. Nothing is
 * embedded yet.
 * @throws LociError `unreadable`, `conflict` when another process reads it (unless `waits`), `aborted`
 */
export async function refreshVault(
  context: EngineContext,
  vault: VaultConfig,
  options: RefreshVaultOptions = {},
): Promise<SyncReport> {
  const name = vaultName(vault);
  const { interval = vault.refreshInterval ?? 0, onlyIfDue = false, onProgress } = options;
  const onWait = (): void => onProgress?.({ stage: 'waiting', subject: name, done: 0, total: 0 });
  return withLease(
    context,
    leaseOf(context, name),
    async (held, signal) => {
      const { store, namespace, now } = context;
      const state = (await store.sourceStates(namespace)).get(name);
      if (onlyIfDue && state !== undefined && !isDue(state, interval, now()))
        throw new LociError('conflict', `${name} was read by another process`);
      const attempt = new RefreshAttempt(context, name, { held, before: state, interval });
      return readVault(context, vault, attempt, { ...options, held, signal, before: state?.problems ?? [] });
    },
    { onWait, ...options },
  );
}

/** Reading it under its lease. */
interface HeldOptions extends IndexOptions {
  readonly held: LeaseHandle;
  /** What was known to be wrong with its notes. */
  readonly before: readonly string[];
}

async function readVault(
  context: EngineContext,
  vault: VaultConfig,
  attempt: RefreshAttempt,
  options: HeldOptions,
): Promise<SyncReport> {
  const unchanged = new Set<string>();
  try {
    const report = await syncVault(context, vault, options, (key) => void unchanged.add(key));
    // What is wrong with a note is told when it is read, and holds until it is read again.
    const lasting = options.before.filter((problem) => isOfOneOf(unchanged, problem));
    const problems = [...new Set([...report.problems.map(problemOfNote), ...lasting])];
    await attempt.note({ ...attempt.success(problems), root: resolve(vault.path) });
    return report;
  } catch (error) {
    if (error instanceof LociError && error.code === 'unreadable') await attempt.noteFailure(error.message);
    throw error;
  }
}

/** A problem is told as `problemOfNote` writes it, and names of notes may hold a colon. */
function isOfOneOf(keys: ReadonlySet<string>, problem: string): boolean {
  for (let at = problem.indexOf(': '); at >= 0; at = problem.indexOf(': ', at + 1))
    if (keys.has(problem.slice(0, at))) return true;
  return false;
}

async function syncVault(
  context: EngineContext,
  vault: VaultConfig,
  options: HeldOptions,
  onUnchanged: (key: string) => void,
): Promise<SyncReport> {
  const { store, namespace, config, now } = context;
  const source = await vaultSource(context, vault);
  return syncSource(store, source, {
    namespace,
    project: config.project,
    chunking: await context.chunking(),
    now,
    allowEmpty: options.allowEmpty ?? false,
    fence: options.held,
    onUnchanged,
    ...signalOption(options),
    onProgress: (done, total) =>
      options.onProgress?.({ stage: 'reading', subject: source.name, done, total }),
  });
}

export function vaultSource({ thread }: EngineContext, vault: VaultConfig): Promise<Source> {
  return openSource('vault', {
    name: vaultName(vault),
    root: vault.path,
    thread,
    ...(vault.project === undefined ? {} : { project: vault.project }),
    ...(vault.projects === undefined ? {} : { projects: vault.projects }),
  });
}
