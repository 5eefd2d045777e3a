import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { LociError } from '../../../core/errors.ts';
import { MAX_OUTPUT_BYTES } from '../../documents/collect-documents.ts';

/** Only the end of standard error is kept, because it says what went wrong. */
const MAX_STDERR_BYTES = 4096;
const PIPE_POLL_INTERVAL_MS = 10;
/** Polls without new data before a pipe counts as empty. The event loop reads all available data between two polls. */
const IDLE_POLLS = 3;

/** The standard output of a running command, and the end of its standard error. */
export class CommandOutput {
  readonly #stdout: Readable;
  readonly #stderr: Readable;
  readonly #chunks = new PassThrough();
  #bytes = 0;
  #stderrBytes = 0;
  #stderrTail: Buffer = Buffer.alloc(0);
  #onLimitExceeded: (error: LociError) => void = () => undefined;

  constructor({ stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    stdout.on('data', (chunk: Buffer) => this.#count(chunk.length));
    stderr.on('data', (chunk: Buffer) => {
      this.#stderrBytes += chunk.length;
      this.#stderrTail = Buffer.concat([this.#stderrTail, chunk.subarray(-MAX_STDERR_BYTES)]).subarray(
        -MAX_STDERR_BYTES,
      );
    });
    stdout.pipe(this.#chunks);
    // After the reader has stopped, the rest is discarded, so that the program does not block on a full pipe.
    this.#chunks.once('close', () => stdout.resume());
    for (const stream of [stdout, stderr, this.#chunks]) stream.on('error', () => undefined);
  }

  get chunks(): AsyncIterable<Uint8Array> {
    return this.#chunks;
  }

  /** Bytes of standard output so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The last 4 kB of standard error, without control characters. */
  stderr(): string {
    return printableText(this.#stderrTail.toString());
  }

  /** Calls the listener when the command has printed more than 10 MB. */
  onLimitExceeded(listener: (error: LociError) => void): void {
    this.#onLimitExceeded = listener;
  }

  /** Resolves when the pipes deliver nothing more at the moment, even if another process has their other ends open. */
  async drained(): Promise<void> {
    let before = -1;
    for (let idle = 0; idle < IDLE_POLLS;) {
      await delay(PIPE_POLL_INTERVAL_MS);
      const total = this.#bytes + this.#stderrBytes;
      idle = total === before && !this.#chunks.writableNeedDrain ? idle + 1 : 0;
      before = total;
    }
  }

  /** Ends `chunks` after the data that has arrived so far. */
  end(): void {
    this.#stdout.unpipe(this.#chunks);
    this.#chunks.end();
  }

  /** Makes reading `chunks` fail with this error. */
  fail(error: LociError): void {
    this.#chunks.destroy(error);
  }

  destroy(): void {
    for (const stream of [this.#stdout, this.#stderr, this.#chunks]) stream.destroy();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_OUTPUT_BYTES) return;
    this.#onLimitExceeded(
      new LociError('source_failed', `the command printed more than ${String(MAX_OUTPUT_BYTES / 1e6)} MB`, {
        hint: 'Let it print less, for example only open items, or those of the last months.',
      }),
    );
  }
}

/** Control characters and marks that change the direction of text, except line breaks and tabs. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The output of a command without colours and control characters, so that a terminal only shows it. */
export function printableText(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/g, '\n')).replaceAll(CONTROL, '').toWellFormed();
}

/** The first `maxLength` characters in quotes, on one line. */
export function quotedExcerpt(text: string, maxLength: number): string {
  const line = printableText(text.slice(0, maxLength * 4))
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isCut = line.length > maxLength || text.length > maxLength * 4;
  return `"${line.slice(0, maxLength).toWellFormed()}${isCut ? '…' : ''}"`;
}
