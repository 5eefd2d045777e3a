import { readFileSync } from 'node:fs';
import { components, scaleOf } from './quantise.ts';

/** Bytes of the vectors that are kept, about. */
const MAX_BYTES = 12_000_000;
const MAX_SLOTS = 32_768;
/** The kernel reads 16 bytes at a time, so that shorter vectors end with zeros. */
const BLOCK_BYTES = 16;
const WASM_PAGE_BYTES = 65_536;
const NO_VECTOR = 0;

interface Kernel {
  dots(vectors: number, length: number, slots: number, n: number, query: number, products: number): void;
}

let compiled: WebAssembly.Module | undefined;

/**
 * Quantised vectors of one length in the memory of the kernel, by id, which is above 0. When all slots are in use, those that
 * were filled first are used again.
 */
export class VectorSlots {
  /** The number of vectors that fit. */
  readonly capacity: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: Kernel;
  readonly #slotOf = new Map<number, number>();
  readonly #ids: Float64Array;
  readonly #scales: Float32Array;
  #next = 0;

  constructor(dimensions: number) {
    this.#stride = Math.ceil(dimensions / BLOCK_BYTES) * BLOCK_BYTES;
    this.capacity = Math.min(MAX_SLOTS, Math.ceil(MAX_BYTES / this.#stride));
    this.#ids = new Float64Array(this.capacity).fill(NO_VECTOR);
    this.#scales = new Float32Array(this.capacity);
    compiled ??= new WebAssembly.Module(readFileSync(new URL('./dot.wasm', import.meta.url)));
    this.#memory = new WebAssembly.Memory({ initial: pages(this.#layout().vectors) });
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#kernel = exports as unknown as Kernel;
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

function pages(bytes: number): number {
  return Math.ceil(bytes / WASM_PAGE_BYTES);
}
