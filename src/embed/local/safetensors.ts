/** The safetensors format: a length (u64), a JSON header of that length, then the tensors' bytes. */

import { closeSync, openSync, readSync } from 'node:fs';

interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** A header of the model's size is 11 KB; a length far above that is not a header. */
const MAX_HEADER = 16 * 1024 * 1024;

/** An open file of tensors, read one by one straight to where they are wanted. */
export class SafetensorsFile {
  readonly #file: number;
  readonly #path: string;
  readonly #data: number;
  readonly #entries: ReadonlyMap<string, TensorEntry>;

  /** @throws Error when the file cannot be opened or is not safetensors. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'r');
    try {
      const length = Number(this.#readAt(new Uint8Array(8), 0).readBigUInt64LE());
      if (length > MAX_HEADER) throw new Error(`${path} is not a safetensors file`);
      this.#data = 8 + length;
      this.#entries = parseHeader(this.#readAt(new Uint8Array(length), 8).toString('utf8'));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /**
   * Reads a float16 tensor's bytes to the start of `target`.
   * @throws Error when the tensor is missing or has another type or shape.
   */
  readHalf(name: string, shape: readonly number[], target: Uint8Array): void {
    const entry = this.#entries.get(name);
    const found = entry ? `${entry.dtype} [${entry.shape.join(', ')}]` : 'nothing';
    const wanted = `F16 [${shape.join(', ')}]`;
    if (!entry || found !== wanted)
      throw new Error(`${this.#path}: ${name} should be ${wanted}, found ${found}`);
    this.#readAt(target.subarray(0, entry.end - entry.start), this.#data + entry.start);
  }

  close(): void {
    closeSync(this.#file);
  }

  #readAt(target: Uint8Array, position: number): Buffer {
    let done = 0;
    while (done < target.length) {
      const read = readSync(this.#file, target, done, target.length - done, position + done);
      if (read === 0) throw new Error(`${this.#path} ends early: it was not installed completely`);
      done += read;
    }
    return Buffer.from(target.buffer, target.byteOffset, target.byteLength);
  }
}

function parseHeader(json: string): Map<string, TensorEntry> {
  const header = JSON.parse(json) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const entries = new Map<string, TensorEntry>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    entries.set(name, { dtype, shape, start: data_offsets[0], end: data_offsets[1] });
  }
  return entries;
}
