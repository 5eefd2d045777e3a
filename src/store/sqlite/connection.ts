import type { ResourceLimits } from 'node:worker_threads';
import { LociError } from '../../core/errors.ts';
import { WorkerClient } from '../../core/threads/worker-client.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { StoreCall } from '../sql/calls/calls.ts';
import type { SessionOptions } from './session.ts';
import type { ThreadRequest } from './thread.ts';

/** A connection in its own worker thread: SQLite's calls are synchronous and must not block the host's event loop. */
export class Connection {
  readonly #options: SessionOptions;
  readonly #client: WorkerClient;
  #opened: Promise<unknown> | null = null;
  #closed: Promise<void> | null = null;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: SessionOptions, resourceLimits: ResourceLimits = {}) {
    this.#options = options;
    this.#client = new WorkerClient({
      module: workerModule(import.meta.url, 'thread'),
      name: 'loci-store',
      resourceLimits,
      failure: (reason, cause) => this.#failure(reason, cause),
      // The next call opens the store in another thread.
      onExit: () => {
        this.#opened = null;
      },
    });
  }

  /** Resolves when the store is open and has the current schema. After a failure the next call tries again. */
  open(): Promise<unknown> {
    this.#opened ??= this.#request({ open: this.#options }).catch((error: unknown) => {
      this.#opened = null;
      void this.#client.terminate();
      throw error;
    });
    return this.#opened;
  }

  async call(call: StoreCall, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#closed !== null) throw this.#failure('is closed');
    await this.open();
    const running = this.#request({ call, parameters });
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Resolves when the thread has answered all calls and has exited. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#opened?.catch(() => undefined);
    await Promise.allSettled(this.#calls);
    if (!this.#client.isRunning) return;
    const exited = this.#client.exited();
    // A thread that is already ending does not answer.
    await this.#request({ close: true }).catch(() => undefined);
    await exited;
  }

  #request(request: ThreadRequest): Promise<unknown> {
    return this.#client.request(request);
  }

  #failure(reason: string, cause?: unknown): LociError {
    return new LociError('store_failed', `${this.#options.path}: ${reason}`, { cause });
  }
}
