/** A program of the user that makes vectors, and speaks JSON on its standard input and output. docs/providers.md has the protocol. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Socket } from 'node:net';
import { homedir } from 'node:os';
import { z } from 'zod';
import { LociError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { abridge } from '../core/text/abridge.ts';
import { argvOf } from '../core/text/split-command.ts';
import type { EmbeddingPurpose } from './embedder.ts';
import { ProviderError, type SendOptions } from './http/provider-error.ts';
import type { Provider, Wire, WireSettings } from './provider.ts';

/** A longer line ends the program. In bytes. */
const MAX_LINE_BYTES = 64_000_000;
const MAX_STDERR_LENGTH = 1000;
const MAX_QUOTED_LENGTH = 200;
/** A program that is told to end by the end of its input has this long before it is killed. */
const MAX_END_MS = 1000;
const PASSED_VARIABLES = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER'];

const answer = z.object({
  id: z.number().optional(),
  vectors: z.array(z.array(z.unknown())).optional(),
  error: z.string().optional(),
  too_large: z.boolean().optional(),
});
type Answer = z.infer<typeof answer>;

export const command: Provider = {
  name: 'command',
  batch: { items: 32, tokens: 8192 },
  // A program that reads line by line works on one request at a time.
  concurrency: 1,
  open: (settings) => {
    const { command: line } = settings;
    if (line === undefined)
      throw new LociError('invalid_config', 'embedding.command is missing: the provider command runs it', {
        hint: 'Name a program, such as `command: [node, /path/to/embed.js]`; docs/providers.md has its protocol.',
      });
    const argv = argvOf({ command: line, shell: false });
    return settings.commandMode === 'once' ? new OneShot(argv, settings) : new Stream(argv, settings);
  },
};

interface Request {
  readonly id: number;
  readonly purpose: EmbeddingPurpose;
  readonly model: string;
  readonly texts: readonly string[];
}

/** Runs the program for each request. */
class OneShot implements Wire {
  readonly #argv: readonly string[];
  readonly #settings: WireSettings;
  readonly #running = new Set<Program>();

  constructor(argv: readonly string[], settings: WireSettings) {
    this.#argv = argv;
    this.#settings = settings;
  }

  async send(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    options: SendOptions,
  ): Promise<unknown[][]> {
    const program = new Program(this.#argv, this.#settings);
    this.#running.add(program);
    try {
      const request = { id: 1, purpose, model: this.#settings.model, texts };
      const sent = program.request(request, options);
      program.endInput();
      return await sent;
    } finally {
      this.#running.delete(program);
      await program.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((program) => program.end()));
  }
}

/** Keeps the program running, and starts it again after it has ended. */
class Stream implements Wire {
  readonly #argv: readonly string[];
  readonly #settings: WireSettings;
  #program: Program | null = null;
  #lastId = 0;

  constructor(argv: readonly string[], settings: WireSettings) {
    this.#argv = argv;
    this.#settings = settings;
  }

  send(texts: readonly string[], purpose: EmbeddingPurpose, options: SendOptions): Promise<unknown[][]> {
    if (this.#program?.isRunning !== true) this.#program = new Program(this.#argv, this.#settings);
    this.#lastId += 1;
    return this.#program.request({ id: this.#lastId, purpose, model: this.#settings.model, texts }, options);
  }

  async close(): Promise<void> {
    await this.#program?.end();
  }
}

type Pending = PromiseWithResolvers<Answer>;

/** A running program. It is in a process group of its own, and does not keep this process alive. */
class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #name: string;
  /** Values that no message repeats. */
  readonly #secrets: readonly string[];
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #isRunning = true;
  #stderr = '';
  #line: Buffer[] = [];
  #lineBytes = 0;

  constructor([program = '', ...args]: readonly string[], { commandEnv }: WireSettings) {
    this.#name = program;
    this.#secrets = commandEnv.flatMap((name) => process.env[name] || []);
    const names = new Set([...PASSED_VARIABLES, ...commandEnv]);
    const env = Object.fromEntries(
      [...names].flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])),
    );
    this.#child = spawn(program, args, {
      ...{ cwd: homedir(), env, shell: false },
      detached: process.platform !== 'win32',
      stdio: 'pipe',
    });
    const exited = Promise.withResolvers<undefined>();
    this.#exited = exited.promise;
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      this.#fail(
        new ProviderError('unreachable', `${program} cannot be started: ${error.code ?? error.message}`),
      );
      exited.resolve(undefined);
    });
    this.#child.on('close', (code, signal) => {
      this.#fail(this.#endError(code, signal));
      exited.resolve(undefined);
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-MAX_STDERR_LENGTH);
    });
    // A program that has ended does not read; its end is reported above.
    this.#child.stdin.on('error', () => undefined);
    this.#unref();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  async request(request: Request, { timeoutMs, signal }: SendOptions): Promise<unknown[][]> {
    const pending = Promise.withResolvers<Answer>();
    this.#pending.set(request.id, pending);
    // A program that does not answer, or works on what nobody waits for, is ended: another one starts for the next request.
    const timer = setTimeout(() => {
      this.#fail(new ProviderError('late', `${this.#name} did not answer within ${String(timeoutMs)} ms`));
      this.#kill();
    }, timeoutMs);
    const abort = (): void => {
      pending.reject(new LociError('aborted', 'The embedding was stopped.', { cause: signal?.reason }));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    try {
      const { vectors, error, too_large: isTooLarge } = await pending.promise;
      if (vectors !== undefined) return vectors;
      const what = error === undefined ? 'answers without `vectors`' : 'answers with an `error`';
      throw new ProviderError(isTooLarge === true ? 'too_large' : 'refused', `${this.#name} ${what}`, {
        ...{ mayBeOneText: error !== undefined, said: this.#quoted(error ?? '') },
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#pending.delete(request.id);
    }
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Resolves when the program has ended. */
  async end(): Promise<void> {
    this.endInput();
    const timer = setTimeout(() => {
      this.#kill();
    }, MAX_END_MS);
    await this.#exited;
    clearTimeout(timer);
    // What it has started and left behind ends with it.
    this.#kill();
  }

  /** Lines of JSON. A line without `id` answers the only request, as of a program that runs once. */
  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#line.push(chunk.subarray(start, end));
      this.#take(Buffer.concat(this.#line).toString());
      this.#line = [];
      this.#lineBytes = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    this.#line.push(rest);
    this.#lineBytes += rest.length;
    if (this.#lineBytes <= MAX_LINE_BYTES) return;
    this.#fail(
      new ProviderError('refused', `${this.#name} printed more than ${String(MAX_LINE_BYTES / 1e6)} MB`),
    );
    this.#kill();
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const parsed = answer.safeParse(parseJson(line));
    if (!parsed.success) {
      this.#fail(
        new ProviderError('refused', `${this.#name} printed a line that is no answer`, {
          said: this.#quoted(line),
        }),
      );
      this.#kill();
      return;
    }
    const [onlyId] = this.#pending.size === 1 ? this.#pending.keys() : [];
    // The request of an unknown id may have been stopped.
    this.#pending.get(parsed.data.id ?? onlyId ?? 0)?.resolve(parsed.data);
  }

  #fail(error: Error): void {
    this.#isRunning = false;
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  }

  #endError(code: number | null, signal: NodeJS.Signals | null): ProviderError {
    // A program that runs once may end its answer without a line break.
    const rest = Buffer.concat(this.#line).toString();
    if (code === 0 && rest.trim() !== '') this.#take(rest);
    const how =
      code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${String(code)}`;
    const said = this.#quoted(this.#stderr.trim().split('\n').at(-1) ?? '');
    return new ProviderError('unreachable', `${this.#name} ${how} before it answered`, { said });
  }

  #quoted(text: string): string {
    const masked = this.#secrets.reduce((all, secret) => all.replaceAll(secret, '********'), text);
    return abridge(masked.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_QUOTED_LENGTH);
  }

  /** A request that runs keeps the process alive with its timer. */
  #unref(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      if (stream instanceof Socket) stream.unref();
  }
}
