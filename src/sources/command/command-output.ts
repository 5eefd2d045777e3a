import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import { MOST_BYTES } from './printed.ts';
import { shownText } from './shown-text.ts';

/** Bytes of standard error that are kept: its end says what went wrong. */
const KEPT_BYTES = 4096;
/** Milliseconds between two looks at whether a pipe still brings something. */
const LOOK = 10;
/** Looks that find nothing new before a pipe counts as empty; between two of them the event loop reads all there is. */
const QUIET_LOOKS = 3;

/** What a running command prints, and the end of what it says on standard error. */
export class CommandOutput {
  readonly #stdout: Readable;
  readonly #stderr: Readable;
  readonly #chunks = new PassThrough();
  #bytes = 0;
  #said = 0;
  #lastWords: Buffer = Buffer.alloc(0);
  #tooMuch: (error: LociError) => void = () => undefined;

  constructor({ stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    stdout.on('data', (chunk: Buffer) => this.#count(chunk.length));
    stderr.on('data', (chunk: Buffer) => {
      this.#said += chunk.length;
      this.#lastWords = Buffer.concat([this.#lastWords, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
    });
    stdout.pipe(this.#chunks);
    // What is no longer read is thrown away, so that the program can go on to its end.
    this.#chunks.once('close', () => stdout.resume());
    for (const stream of [stdout, stderr, this.#chunks]) stream.on('error', () => undefined);
  }

  /** Of standard output, as far as it was read. */
  get chunks(): AsyncIterable<Uint8Array> {
    return this.#chunks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The last 4 kB of standard error, fit to be shown. */
  stderr(): string {
    return shownText(this.#lastWords.toString());
  }

  /** Tells once more than 10 MB are printed. */
  onTooMuch(listener: (error: LociError) => void): void {
    this.#tooMuch = listener;
  }

  /** Settles when the pipes bring nothing for the moment, whoever still holds their other ends. */
  async drained(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < QUIET_LOOKS;) {
      await delay(LOOK);
      const now = this.#bytes + this.#said;
      quiet = now === seen && !this.#chunks.writableNeedDrain ? quiet + 1 : 0;
      seen = now;
    }
  }

  /** What came until now is all: whoever reads it comes to its end. */
  end(): void {
    this.#stdout.unpipe(this.#chunks);
    this.#chunks.end();
  }

  /** Whoever reads it fails with this. */
  fail(error: LociError): void {
    this.#chunks.destroy(error);
  }

  destroy(): void {
    for (const stream of [this.#stdout, this.#stderr, this.#chunks]) stream.destroy();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MOST_BYTES) return;
    this.#tooMuch(
      new LociError('source_failed', `the command printed more than ${String(MOST_BYTES / 1e6)} MB`, {
        hint: 'Let it print less: what is open, or of the last months.',
      }),
    );
  }
}
