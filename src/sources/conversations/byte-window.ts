/** The last part of a stream of bytes, by the offset in the whole stream. Its memory is that of what is kept. */
export class ByteWindow {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #base = 0;
  #length = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The offset after the last byte that was read. */
  get end(): number {
    return this.#base + this.#length;
  }

  /** The bytes from an offset that is kept, to the end. They change at the next call of `more`. */
  from(offset: number): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(offset - this.#base, this.#length);
  }

  text(start: number, end: number): string {
    return this.#buffer.toString('utf8', start - this.#base, end - this.#base);
  }

  /** Reads more bytes, and forgets those before an offset. False at the end of the stream. @throws what the stream throws */
  async more(keepFrom: number): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    const { value } = next;
    const dropped = keepFrom - this.#base;
    const length = this.#length - dropped + value.length;
    if (this.#length + value.length <= this.#buffer.length) {
      this.#buffer.set(value, this.#length);
      this.#length += value.length;
      return true;
    }
    const isRoomy = length <= this.#buffer.length / 2;
    const buffer = isRoomy ? this.#buffer : Buffer.allocUnsafeSlow(length * 2);
    this.#buffer.copy(buffer, 0, dropped, this.#length);
    buffer.set(value, length - value.length);
    [this.#buffer, this.#base, this.#length] = [buffer, keepFrom, length];
    return true;
  }

  /** Ends the stream before its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

const NEWLINE = 0x0a;

/** A line of a stream of bytes, from 1. `text` is null for one that is too long. */
export interface TextLine {
  readonly number: number;
  readonly text: string | null;
  /** Whether a line break follows. A program may still be writing a line without one. */
  readonly isEnded: boolean;
}

/** The lines of a stream from an offset. */
export async function* readLines(
  window: ByteWindow,
  start: number,
  maxBytes: number,
): AsyncGenerator<TextLine> {
  let [from, searched, isTooLong] = [start, start, false];
  for (let number = 1; ;) {
    const found = window.from(searched).indexOf(NEWLINE);
    const end = found < 0 ? window.end : searched + found;
    if (found >= 0) {
      yield { number, text: isTooLong ? null : window.text(from, end), isEnded: true };
      [from, searched, isTooLong] = [end + 1, end + 1, false];
      number++;
      continue;
    }
    searched = end;
    isTooLong ||= end - from > maxBytes;
    if (isTooLong) from = end;
    if (await window.more(from)) continue;
    if (isTooLong || end > from)
      yield { number, text: isTooLong ? null : window.text(from, end), isEnded: false };
    return;
  }
}
