import { readFileSync } from 'node:fs';

/** A float32 scale, then a signed byte for each dimension. A quarter of the size of float32; cosines differ by about 0.001. */
export function quantise(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(4 + vector.length);
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  const scale = largest === 0 ? 1 : largest / 127;
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  const signed = components(bytes);
  for (let i = 0; i < vector.length; i++) signed[i] = Math.round(vector[i]! / scale);
  return bytes;
}

/** The approximate vector. */
export function dequantised(quantised: Uint8Array): Float32Array {
  const scale = scaleOf(quantised);
  const vector = new Float32Array(components(quantised));
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}

/** The bytes without the scale. */
export function components(quantised: Uint8Array): Int8Array {
  return new Int8Array(quantised.buffer, quantised.byteOffset + 4, quantised.byteLength - 4);
}

/** The size of a step of the bytes. */
function scaleOf(quantised: Uint8Array): number {
  return new DataView(quantised.buffer, quantised.byteOffset).getFloat32(0, true);
}

/** The dot product with a vector. */
export function product(quantised: Uint8Array, vector: Float32Array): number {
  const signed = components(quantised);
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += signed[i]! * vector[i]!;
  return sum * scaleOf(quantised);
}

/** The quantised vectors of this size that follow one another. */
export function parts(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

const WASM_PAGE_BYTES = 65_536;
const COMPILED = new Map<string, WebAssembly.Module>();

/** A kernel with so many bytes of memory. Each file is compiled once. */
function instantiate<Kernel>(file: 'dot.wasm' | 'hamming.wasm', bytes: number): [WebAssembly.Memory, Kernel] {
  const compiled = COMPILED.get(file) ?? new WebAssembly.Module(readFileSync(new URL(file, import.meta.url)));
  COMPILED.set(file, compiled);
  const memory = new WebAssembly.Memory({ initial: pages(bytes) });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return [memory, exports as unknown as Kernel];
}

function pages(bytes: number): number {
  return Math.ceil(bytes / WASM_PAGE_BYTES);
}

/** Length of a sign code: a bit for each dimension, set if the component is positive. */
export const CODE_BYTES = 48;
/** The kernel scans codes of this length only. `signCode` folds vectors of other lengths. */
const CODE_BITS = CODE_BYTES * 8;

const QUERY_OFFSET = 0;
const HISTOGRAM_OFFSET = 64;
const HISTOGRAM_LENGTH = CODE_BITS + 1;
const CODES_OFFSET = 2048;
const SPARE_CAPACITY = 1024;

interface HammingKernel {
  scan(codes: number, n: number, query: number, distances: number, histogram: number, mask: number): void;
  collect(distances: number, n: number, threshold: number, ties: number, slots: number): number;
}

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
  #kernel: HammingKernel;
  #capacity: number;
  #ids: Uint32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity + SPARE_CAPACITY;
    this.#ids = new Uint32Array(this.#capacity);
    [this.#memory, this.#kernel] = instantiate('hamming.wasm', layout(this.#capacity).end);
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
    [this.#memory, this.#kernel] = instantiate('hamming.wasm', layout(this.#capacity).end);
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

/** Bytes of the vectors that are kept, about. */
const MAX_BYTES = 12_000_000;
const MAX_SLOTS = 32_768;
/** The kernel reads 16 bytes at a time, so that shorter vectors end with zeros. */
const BLOCK_BYTES = 16;
const NO_VECTOR = 0;

interface DotKernel {
  dots(vectors: number, length: number, slots: number, n: number, query: number, products: number): void;
}

/**
 * Quantised vectors of one length in the memory of the kernel, by id, which is above 0. When all slots are in use, those that
 * were filled first are used again.
 */
export class VectorSlots {
  /** The number of vectors that fit. */
  readonly capacity: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: DotKernel;
  readonly #slotOf = new Map<number, number>();
  readonly #ids: Float64Array;
  readonly #scales: Float32Array;
  #next = 0;

  constructor(dimensions: number) {
    this.#stride = Math.ceil(dimensions / BLOCK_BYTES) * BLOCK_BYTES;
    this.capacity = Math.min(MAX_SLOTS, Math.ceil(MAX_BYTES / this.#stride));
    this.#ids = new Float64Array(this.capacity).fill(NO_VECTOR);
    this.#scales = new Float32Array(this.capacity);
    [this.#memory, this.#kernel] = instantiate('dot.wasm', this.#layout().vectors);
  }

  has(id: number): boolean {
    return this.#slotOf.has(id);
  }

  /** @param kept ids whose slots are not used for others; fewer than the capacity */
  set(id: number, quantised: Uint8Array, kept: ReadonlySet<number>): void {
    while (kept.has(this.#ids[this.#next]!)) this.#next = (this.#next + 1) % this.capacity;
    const slot = this.#next;
    this.#next = (slot + 1) % this.capacity;
    this.#slotOf.delete(this.#ids[slot]!);
    this.#slotOf.set(id, slot);
    this.#ids[slot] = id;
    this.#scales[slot] = scaleOf(quantised);
    const start = this.#layout().vectors + slot * this.#stride;
    const missing = pages(start + this.#stride) - this.#memory.buffer.byteLength / WASM_PAGE_BYTES;
    if (missing > 0) this.#memory.grow(missing);
    const signed = components(quantised);
    new Int8Array(this.#memory.buffer, start, this.#stride).fill(0, signed.length).set(signed);
  }

  /** The dot products of the query and of these vectors, all of which are here. */
  dots(ids: readonly number[], query: Float32Array): Float32Array {
    const { vectors, products } = this.#layout();
    new Float32Array(this.#memory.buffer, 0, this.#stride).fill(0, query.length).set(query);
    const slots = new Int32Array(this.#memory.buffer, this.#stride * 4, ids.length);
    for (let i = 0; i < ids.length; i++) slots[i] = this.#slotOf.get(ids[i]!)!;
    this.#kernel.dots(vectors, this.#stride, slots.byteOffset, ids.length, 0, products);
    const found = new Float32Array(this.#memory.buffer, products, ids.length).slice();
    for (let i = 0; i < ids.length; i++) found[i]! *= this.#scales[slots[i]!]!;
    return found;
  }

  /** The query is at 0, and the slots follow it. */
  #layout(): { readonly products: number; readonly vectors: number } {
    const products = (this.#stride + this.capacity) * 4;
    return { products, vectors: products + this.capacity * 4 };
  }
}
