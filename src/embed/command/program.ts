/** A program of the provider `command` while it runs. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { Socket } from 'node:net';
import { homedir } from 'node:os';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { abridge } from '../../core/text/abridge.ts';
import { within } from '../../core/time/deadline.ts';
import type { EmbeddingPurpose } from '../embedder.ts';
import { ProviderError, type WireOptions } from '../http/provider-error.ts';
import { maskKeys } from '../http/key.ts';
import type { WireSettings } from '../provider.ts';

const MAX_STDERR_LENGTH = 1000;
const MAX_QUOTED_LENGTH = 200;
/** A program that is told to end by the end of its input has this long before it is terminated. */
const MAX_END_MS = 700;
/** A program that was terminated has this long before it is killed. */
const MAX_TERMINATION_MS = 300;
/** The system needs no longer to report that a killed process has ended. */
const MAX_KILL_MS = 500;
/** What a program has printed is read within this time after it has ended. A process that it has left may hold the pipe for longer. */
const MAX_DRAIN_MS = 200;
const PASSED_VARIABLES = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER'];

const answer = z.object({
  id: z.number().optional(),
  vectors: z.array(z.array(z.unknown())).optional(),
  error: z.string().optional(),
  too_large: z.boolean().optional(),
});
type Answer = z.infer<typeof answer>;

interface Request {
  readonly id: number;
  readonly purpose: EmbeddingPurpose;
  readonly model: string;
  readonly texts: readonly string[];
}

type Pending = PromiseWithResolvers<Answer>;

/** A running program. It is in a process group of its own, and does not keep this process alive. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #name: string;
  /** Values that no message repeats. */
  readonly #secrets: readonly string[];
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<true>;
  #isRunning = true;
  /** Whether its whole process group has ended, so that another one may have its number. */
  #isGone = false;
  #stderr = '';
  #line: Buffer[] = [];
  #lineBytes = 0;
  /** A longer line ends the program. Requests that were stopped may still be answered. */
  #maxLineBytes = 0;

  constructor([program = '', ...args]: readonly string[], { commandEnv }: Pick<WireSettings, 'commandEnv'>) {
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
    const exited = Promise.withResolvers<true>();
    this.#exited = exited.promise;
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      this.#fail(
        new ProviderError('unreachable', `${program} cannot be started: ${error.code ?? error.message}`),
      );
      exited.resolve(true);
    });
    this.#child.on('exit', (code, signal) => {
      this.#isRunning = false;
      exited.resolve(true);
      // A request that waits keeps this process alive.
      setTimeout(() => {
        this.#fail(this.#endError(code, signal));
        this.#kill();
        this.#closePipes();
        this.#isGone = true;
      }, MAX_DRAIN_MS).unref();
    });
    this.#child.on('close', (code, signal) => {
      this.#fail(this.#endError(code, signal));
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#readError(chunk);
    });
    // A program that has ended does not read; its end is reported above.
    this.#child.stdin.on('error', () => undefined);
    this.#unref();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  async request(request: Request, { timeoutMs, maxAnswerBytes, signal }: WireOptions): Promise<unknown[][]> {
    this.#maxLineBytes = Math.max(this.#maxLineBytes, maxAnswerBytes);
    const pending = Promise.withResolvers<Answer>();
    this.#pending.set(request.id, pending);
    // A program that does not answer, or works on what nobody waits for, is ended: another one starts for the next request.
    using _timer = setTimeout(() => {
      this.#fail(new ProviderError('late', `${this.#name} did not answer within ${String(timeoutMs)} ms`));
      this.#kill();
    }, timeoutMs);
    using _abort =
      signal &&
      addAbortListener(signal, () => {
        pending.reject(new LociError('aborted', 'The embedding was stopped.', { cause: signal.reason }));
      });
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    try {
      const { vectors, error, too_large: isTooLarge } = await pending.promise;
      if (vectors !== undefined) return vectors;
      const what = error === undefined ? 'answers without `vectors`' : 'answers with an `error`';
      throw new ProviderError(isTooLarge === true ? 'too_large' : 'refused', `${this.#name} ${what}`, {
        ...{ mayBeOneText: error !== undefined, said: this.#quoted(error ?? '') },
      });
    } finally {
      this.#pending.delete(request.id);
    }
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Resolves when the program has ended, and everything that is left of its process group. */
  async end(): Promise<void> {
    this.endInput();
    if (!(await this.#endsWithin(MAX_END_MS))) {
      this.#signal('SIGTERM');
      await this.#endsWithin(MAX_TERMINATION_MS);
    }
    // What it has started and left behind ends with it.
    this.#kill();
    await this.#endsWithin(MAX_KILL_MS);
    this.#closePipes();
  }

  /** Whether the program ends in this time. Nothing else may keep this process alive so long. */
  async #endsWithin(milliseconds: number): Promise<boolean> {
    return within<boolean>(this.#exited, milliseconds, () => false);
  }

  /** A process that the program has left behind may hold the other ends. */
  #closePipes(): void {
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
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
    if (this.#lineBytes <= this.#maxLineBytes) return;
    this.#fail(
      new ProviderError(
        'refused',
        `${this.#name} printed more than ${String(Math.ceil(this.#maxLineBytes / 1000))} kB in a line`,
      ),
    );
    this.#kill();
  }

  /** Keys are masked before the text is cut, so that no part of one is left. A key may come in two chunks. */
  #readError(chunk: string): void {
    const longest = Math.max(0, ...this.#secrets.map(({ length }) => length));
    const kept = MAX_STDERR_LENGTH + 2 * longest;
    this.#stderr = maskKeys(this.#stderr + chunk, this.#secrets).slice(-kept);
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
    this.#signal('SIGKILL');
  }

  #signal(signal: 'SIGKILL' | 'SIGTERM'): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isGone) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal);
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
    const masked = maskKeys(text, this.#secrets);
    return abridge(masked.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_QUOTED_LENGTH);
  }

  /** A request that runs keeps the process alive with its timer. */
  #unref(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      if (stream instanceof Socket) stream.unref();
  }
}
