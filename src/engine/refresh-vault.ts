import { resolve } from 'node:path';
import type { VaultConfig } from '../core/config/sources-schema.ts';
import { LociError } from '../core/errors.ts';
import { syncSource, type SyncReport } from '../ingest/sync.ts';
import { openSource } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import type { SourceState } from '../store/source-states.ts';
import type { EngineContext } from './context.ts';
import type { IndexOptions } from './long-call.ts';
import { withLease, type Held, type LeaseOptions } from './sources/lease.ts';
import { leaseOf, problemOfNote } from './sources/refresh.ts';
import { isDue, nextRead, nextTry } from './sources/schedule.ts';
import { vaultName } from './vault-names.ts';

export interface RefreshVaultOptions extends LeaseOptions, IndexOptions {
  /** Milliseconds until it is due again; as configured unless given. */
  readonly interval?: number;
  /** Leaves it to whoever read it a moment ago: then it is a `conflict`. */
  readonly onlyIfDue?: boolean;
}

const MOST_PROBLEMS = 20;

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
      return new VaultRefresh(context, vault, { held, before: state, interval }).run({ ...options, signal });
    },
    { onWait, ...options },
  );
}

interface Turn {
  readonly held: Held;
  /** How it stood with the vault. */
  readonly before: SourceState | undefined;
  readonly interval: number;
}

class VaultRefresh {
  readonly #context: EngineContext;
  readonly #vault: VaultConfig;
  readonly #turn: Turn;
  readonly #began: number;

  constructor(context: EngineContext, vault: VaultConfig, turn: Turn) {
    this.#context = context;
    this.#vault = vault;
    this.#turn = turn;
    this.#began = context.now();
  }

  async run(options: IndexOptions): Promise<SyncReport> {
    try {
      const report = await this.#sync(options);
      await this.#note({
        root: resolve(this.#vault.path),
        readAt: this.#context.now(),
        nextAt: nextRead(this.#context.now(), this.#turn.interval),
        refreshes: (this.#turn.before?.refreshes ?? 0) + 1,
        failures: 0,
        error: null,
        problems: report.problems.slice(0, MOST_PROBLEMS).map(problemOfNote),
      });
      return report;
    } catch (error) {
      if (error instanceof LociError && error.code === 'unreadable') await this.#noteFailure(error);
      throw error;
    }
  }

  async #sync(options: IndexOptions): Promise<SyncReport> {
    const { store, namespace, config, now } = this.#context;
    const source = await vaultSource(this.#context, this.#vault);
    return syncSource(store, source, {
      namespace,
      project: config.project,
      chunking: await this.#context.chunking(),
      now,
      allowEmpty: options.allowEmpty ?? false,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      onProgress: (done, total) =>
        options.onProgress?.({ stage: 'reading', subject: source.name, done, total }),
    });
  }

  #noteFailure(error: LociError): Promise<void> {
    const failures = (this.#turn.before?.failures ?? 0) + 1;
    return this.#note({
      nextAt: nextTry(this.#context.now(), this.#turn.interval, failures),
      failures,
      failed: (this.#turn.before?.failed ?? 0) + 1,
      error: error.message,
    });
  }

  #note(change: Partial<SourceState>): Promise<void> {
    const { store, namespace, now } = this.#context;
    const took = { triedAt: this.#began, tookMs: Math.max(0, now() - this.#began) };
    return store.changeSourceState(
      namespace,
      vaultName(this.#vault),
      { ...took, ...change },
      this.#turn.held,
    );
  }
}

export function vaultSource({ config, thread }: EngineContext, vault: VaultConfig): Promise<Source> {
  return openSource('vault', {
    name: vaultName(vault),
    root: vault.path,
    maxFileSize: config.index.maxFileSize,
    thread,
    ...(vault.project === undefined ? {} : { project: vault.project }),
    ...(vault.projects === undefined ? {} : { projects: vault.projects }),
  });
}
