import { LociError } from '../../core/errors.ts';
import { MAX_YOUNG_HEAP_MB, WorkerClient } from '../../core/threads/worker-client.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { Backend, BackendState, PoolQuery } from '../pool-adapter.ts';
import type { MemoryResult } from '../contract.ts';
import { unreadProblems } from '../pools/pool-files.ts';
import { PoolSet } from '../pools/pool-set.ts';
import type { FilesystemRequest } from './filesystem-worker.ts';
import type { PoolsState } from './pool-search.ts';

const MAX_HEAP_MB = 1024;

/**
 * Finds notes by their words, in their files: it keeps no index on disk, and answers from the files as they are. A thread reads them and keeps
 * the terms of notes that do not change.
 */
export class FilesystemBackend implements Backend {
  readonly id = 'filesystem';
  readonly capabilities = { semantic: false, keyword: true };
  readonly #thread = new WorkerClient({
    module: workerModule(import.meta.url, 'filesystem-worker'),
    name: 'loci-pools',
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
    failure: (reason, cause) =>
      new LociError('internal', `the thread that searches files stopped: ${reason}`, { cause }),
  });
  readonly #closing = new AbortController();
  #pools = new PoolSet([]);
  /** Whether the last query asked for a search by meaning. */
  #isMeaningWanted = false;

  async open(): Promise<void> {
    // There is nothing to open: the thread starts when it is needed.
  }

  /** Reads the notes, so that not even the first query does. */
  async registerPools(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    const located = await pools.located();
    const { signal } = this.#closing;
    // Queries read what this does not, and fail if the thread does.
    await this.#untilAborted(signal, (stop) => ({ kind: 'register', pools: located, stop })).catch(
      () => undefined,
    );
  }

  async readPools(): Promise<void> {
    // Each query sees the files as they are.
  }

  async recall({ mode, signal, ...query }: PoolQuery): Promise<readonly MemoryResult[]> {
    this.#isMeaningWanted = mode === 'semantic';
    return (await this.#untilAborted(signal, (stop) => ({
      kind: 'recall',
      query: { ...query, stop },
    }))) as MemoryResult[];
  }

  async state(): Promise<BackendState> {
    const pools = await this.#pools.located();
    const request: FilesystemRequest = { kind: 'state', pools };
    const { notes, unread } = (await this.#thread.request(request)) as PoolsState;
    const problems = unreadProblems(unread);
    if (this.#isMeaningWanted)
      problems.unshift(
        'the last query asked for a search by meaning, which filesystem cannot do: it was answered by words',
      );
    return { problems, details: { notes, unread: unread.size } };
  }

  /** Ends reading soon. */
  stop(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  /** @param requestOf makes a request with a number that is not 0 when the signal has fired */
  async #untilAborted(
    signal: AbortSignal,
    requestOf: (stop: Int32Array) => FilesystemRequest,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const onAbort = (): void => void Atomics.store(stop, 0, 1);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await this.#thread.request(requestOf(stop));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
