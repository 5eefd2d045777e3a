import { readFileSync } from 'node:fs';

/** Length of a sign code: a bit for each dimension, set if the component is positive. */
export const CODE_BYTES = 48;
/** The kernel scans codes of this length only. `signCode` folds vectors of other lengths. */
const CODE_BITS = CODE_BYTES * 8;

const WASM_PAGE_BYTES = 65_536;
const QUERY_OFFSET = 0;
const HISTOGRAM_OFFSET = 64;
const HISTOGRAM_LENGTH = CODE_BITS + 1;
const CODES_OFFSET = 2048;
const SPARE_CAPACITY = 1024;

interface Kernel {
  scan(codes: number, n: number, query: number, distances: number, histogram: number, mask: number): void;
  collect(distances: number, n: number, threshold: number, ties: number, slots: number): number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * The signs of a vector's components as 384 bits. For a longer vector, the signs of sums of components that are 384 apart; for
 * a shorter one, some bits stay unset. Both preserve the order of distances approximately, and rescoring makes it exact.
 */
export function signCode(vector: ArrayLike<number>): Uint8Array {
  const code = new Uint8Array(CODE_BYTES);
  for (let bit = 0; bit < CODE_BITS; bit++) {
    let sum = 0;
    for (let i = bit; i < vector.length; i += CODE_BITS) sum += vector[i]!;
    if (sum > 0) code[bit >> 3]! |= 1 << (bit & 7);
  }
  return code;
}

/** The sign codes of a namespace and generation in memory, in the order of the vectors' ids. */
export class SignCodes {
  #memory: WebAssembly.Memory;
  #kernel: Kernel;
  #capacity: number;
  #ids: Uint32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity + SPARE_CAPACITY;
    this.#ids = new Uint32Array(this.#capacity);
    [this.#memory, this.#kernel] = instantiate(this.#capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** The highest id; 0 if there is no vector. */
  get lastVector(): number {
    return this.#size === 0 ? 0 : this.#ids[this.#size - 1]!;
  }

  /** @param ids ascending and above `lastVector` @param codes 48 bytes for each id */
  append(ids: Uint32Array, codes: Uint8Array): void {
    if (this.#size + ids.length > this.#capacity) this.#grow(this.#size + ids.length);
    this.#ids.set(ids, this.#size);
    new Uint8Array(this.#memory.buffer, CODES_OFFSET).set(codes, this.#size * CODE_BYTES);
    this.#size += ids.length;
  }

  /** The ids of the vectors nearest to the query's code, ascending. @param allowed restricts them to these ids (ascending) */
  nearest(query: Uint8Array, count: number, allowed?: Uint32Array): number[] {
    const { distances, mask, slots } = this.#layout();
    const bytes = new Uint8Array(this.#memory.buffer);
    bytes.set(query, QUERY_OFFSET);
    const histogram = new Int32Array(this.#memory.buffer, HISTOGRAM_OFFSET, HISTOGRAM_LENGTH).fill(0);
    if (allowed !== undefined) this.#markMask(bytes.subarray(mask, mask + this.#size), allowed);
    this.#kernel.scan(
      CODES_OFFSET,
      this.#size,
      QUERY_OFFSET,
      distances,
      HISTOGRAM_OFFSET,
      allowed === undefined ? 0 : mask,
    );
    let threshold = 0;
    let below = 0;
    while (threshold < CODE_BITS && below + histogram[threshold]! < count) below += histogram[threshold++]!;
    const ties = Math.min(histogram[threshold]!, count - below);
    const found = this.#kernel.collect(distances, this.#size, threshold, ties, slots);
    return Array.from(new Int32Array(this.#memory.buffer, slots, found), (slot) => this.#ids[slot]!);
  }

  #markMask(mask: Uint8Array, allowed: Uint32Array): void {
    mask.fill(0);
    let slot = 0;
    for (const id of allowed) {
      while (slot < this.#size && this.#ids[slot]! < id) slot++;
      if (slot < this.#size && this.#ids[slot] === id) mask[slot] = 1;
    }
  }

  #layout(): { distances: number; mask: number; slots: number } {
    return layout(this.#capacity);
  }

  #grow(needed: number): void {
    const bytes = new Uint8Array(this.#memory.buffer, CODES_OFFSET, this.#size * CODE_BYTES);
    const ids = this.#ids.subarray(0, this.#size);
    this.#capacity = Math.max(needed, Math.ceil(this.#capacity * 1.5));
    [this.#memory, this.#kernel] = instantiate(this.#capacity);
    new Uint8Array(this.#memory.buffer, CODES_OFFSET).set(bytes);
    this.#ids = new Uint32Array(this.#capacity);
    this.#ids.set(ids);
  }
}

/** The memory after the codes: u16 distances, a mask byte for each code, and space to collect every slot. */
function layout(capacity: number): { distances: number; mask: number; slots: number; end: number } {
  const distances = aligned(CODES_OFFSET + capacity * CODE_BYTES);
  const mask = aligned(distances + capacity * 2);
  const slots = aligned(mask + capacity);
  return { distances, mask, slots, end: slots + capacity * 4 };
}

function aligned(offset: number): number {
  return (offset + 15) & ~15;
}

function instantiate(capacity: number): [WebAssembly.Memory, Kernel] {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./hamming.wasm', import.meta.url)));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(layout(capacity).end / WASM_PAGE_BYTES) });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return [memory, exports as unknown as Kernel];
}
