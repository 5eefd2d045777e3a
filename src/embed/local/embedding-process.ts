import { fork, type ChildProcess } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { LociError } from '../../core/errors.ts';
import { lowerPriority } from '../../core/runtime.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { aborted } from './worker-queue.ts';

/** What the process is sent. A `cancel` names the id of an earlier request. */
export type ProcessRequest =
  { readonly id: number; readonly texts: readonly string[] } | { readonly cancel: number };

/** The vectors one after the other, or the error. */
export type ProcessAnswer =
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly error: { readonly message: string; readonly hint: string | null } };

interface ProcessOptions {
  readonly threads: number;
  readonly revectorize: boolean;
  /** The process ends after this many milliseconds without a call, because it needs more than 100 MB. */
  readonly idleMs?: number;
}

const IDLE_MS = 30_000;

/**
 * Embeds many texts in a process of its own. The memory and the threads of the model are then not those of the host program,
 * and V8 can be set to compile the kernel for AVX2. The process starts with the first call, and ends with the host.
 */
export class EmbeddingProcess {
  readonly #options: ProcessOptions;
  readonly #pending = new Map<number, PromiseWithResolvers<Float32Array>>();
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /**
   * Returns the vectors one after the other.
   * @throws LociError `embedding_unavailable` if the process cannot be started or ends; `aborted`
   */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> {
    if (this.#isClosed) throw new LociError('embedding_unavailable', 'The embedder is closed.');
    if (signal?.aborted === true) throw aborted(signal);
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    const id = this.#nextId++;
    const call = Promise.withResolvers<Float32Array>();
    this.#pending.set(id, call);
    using _abort =
      signal &&
      addAbortListener(signal, () => {
        call.reject(aborted(signal));
        if (child.connected) child.send({ cancel: id } satisfies ProcessRequest);
      });
    child.ref();
    child.channel?.ref();
    child.send({ id, texts } satisfies ProcessRequest, (error) => {
      if (error !== null) call.reject(ended(error.message));
    });
    try {
      return await call.promise;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest(child);
    }
  }

  /** Ends the process. Running calls reject with `aborted`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#rejectAll(aborted());
    const child = this.#child;
    if (child === null) return;
    const exited = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await exited;
  }

  #start(): ChildProcess {
    const { threads, revectorize } = this.#options;
    // Options of the host, such as a debugger's port, are not for this process. With the variable, Electron behaves like Node.
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = fork(workerModule(import.meta.url, 'process'), [String(threads), String(revectorize)], {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
    });
    child.on('message', (message) => {
      const answer = message as ProcessAnswer;
      const call = this.#pending.get(answer.id);
      if ('vectors' in answer) call?.resolve(answer.vectors);
      else call?.reject(unavailable(answer.error.message, answer.error.hint));
    });
    child.on('error', (error) => this.#abandon(child, error.message));
    child.on('exit', (code, signal) =>
      this.#abandon(child, `it ended with ${signal ?? `exit code ${String(code)}`}`),
    );
    if (child.pid !== undefined) lowerPriority(child.pid);
    return child;
  }

  /** The next call starts another process. */
  #abandon(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#rejectAll(ended(reason));
  }

  #rejectAll(error: LociError): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }

  /** Does not keep the host alive, and ends the process if no call follows. */
  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    // Calls that end together each come here.
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      // A call that comes before the process has ended must not reach it.
      if (this.#child === child) this.#child = null;
      child.kill('SIGKILL');
    }, this.#options.idleMs ?? IDLE_MS).unref();
  }
}

function unavailable(message: string, hint: string | null = null): LociError {
  return new LociError('embedding_unavailable', message, hint === null ? {} : { hint });
}

function ended(reason: string): LociError {
  return unavailable(`The embedding process stopped: ${reason}`);
}
