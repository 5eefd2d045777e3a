import { LociError } from '../../core/errors.ts';
import { WorkerClient } from '../../core/threads/worker-client.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { ModelPlan, SlotPlan } from './model/memory-plan.ts';

/** The model, which a thread gets once the weights have been read. */
export interface ThreadModel {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly plan: ModelPlan;
  /** The thread's own part of the memory. */
  readonly slot: SlotPlan;
  /** Whether the weights are still as they were read: one thread prepares them for all. */
  readonly prepare: boolean;
  /** When the thread tests the kernel: before its first vectors, after them, or never. */
  readonly selfTest: 'before' | 'after' | null;
}

/** Requests of an embedding thread, in the order in which they must come. Only `texts` has an answer, their vectors. */
export type EmbeddingThreadRequest =
  | { readonly tokenizerPath: string }
  | { readonly model: ThreadModel }
  | { readonly texts: readonly string[] };

/** A worker thread that embeds texts, in order. Once it has failed it stays dead. */
export class EmbeddingThread {
  readonly #client = new WorkerClient({
    module: workerModule(import.meta.url, 'worker'),
    name: 'loci-embed',
    failure: (reason, cause) => new LociError('embedding_unavailable', reason, { cause }),
    onExit: (reason, cause) => this.#die(reason, cause),
  });
  #death: LociError | null = null;

  /** The thread reads the vocabulary while the weights arrive. */
  constructor(tokenizerPath: string) {
    // `attach` reports the failure.
    this.#request({ tokenizerPath }).catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#death === null;
  }

  /** The number of requests that are not answered yet. */
  get load(): number {
    return this.#client.pendingCount;
  }

  /** Gives the thread its model. Must come before any text. @throws LociError `embedding_unavailable` */
  async attach(model: ThreadModel): Promise<void> {
    await this.#request({ model });
  }

  /** The vectors of `texts` one after the other. @throws LociError `embedding_unavailable` */
  async run(texts: readonly string[]): Promise<Float32Array> {
    return (await this.#request({ texts })) as Float32Array;
  }

  async close(): Promise<void> {
    this.#die('it was closed');
    await this.#client.terminate();
  }

  async #request(request: EmbeddingThreadRequest): Promise<unknown> {
    if (this.#death !== null) throw this.#death;
    try {
      return await this.#client.request(request);
    } catch (error) {
      // After an error the state of the kernel's memory is unknown.
      const death = this.#die(error instanceof Error ? error.message : String(error), error);
      void this.#client.terminate();
      throw death;
    }
  }

  #die(reason: string, cause?: unknown): LociError {
    this.#death ??= new LociError('embedding_unavailable', `The embedding thread stopped: ${reason}`, {
      cause,
    });
    return this.#death;
  }
}
