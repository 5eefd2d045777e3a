/** Turns texts into vectors on one thread: tokenises, divides long texts into windows, fills passes and runs the kernel. */

import type { Kernel } from './kernel.ts';
import { HIDDEN_SIZE, MAX_TOKENS } from './memory-plan.ts';
import type { ModelPlan, SlotPlan } from './memory-plan.ts';
import type { WordPiece } from './wordpiece.ts';

/** Tokens of a window without `[CLS]` and `[SEP]`. */
const WINDOW = MAX_TOKENS - 2;
/** Maximum number of windows of one text. A text above 2,032 tokens is represented by this many, spread evenly over it. */
export const MAX_WINDOWS = 8;

/**
 * Divides token ids into windows of equal length, at most 254 tokens each. If there are more than MAX_WINDOWS, returns the
 * first, the last and evenly spread ones between them. Returns one empty window for an empty list.
 */
export function windowsOf(ids: readonly number[]): (readonly number[])[] {
  const count = Math.max(1, Math.ceil(ids.length / WINDOW));
  const size = Math.ceil(ids.length / count);
  const kept = Math.min(count, MAX_WINDOWS);
  return Array.from({ length: kept }, (_, i) => {
    const index = kept === count ? i : Math.round((i * (count - 1)) / (kept - 1));
    return ids.slice(index * size, (index + 1) * size);
  });
}

/** The mean of the windows' vectors, weighted by their tokens and normalised to unit length. It overwrites the first vector. */
function mergeWindows(
  vectors: readonly Float32Array[],
  windows: readonly (readonly number[])[],
): Float32Array {
  const first = vectors[0];
  if (!first) throw new RangeError('a text has at least one window');
  if (vectors.length === 1) return first;
  const sum = new Float64Array(HIDDEN_SIZE);
  vectors.forEach((vector, w) => {
    const weight = windows[w]?.length ?? 0;
    for (let k = 0; k < HIDDEN_SIZE; k++) sum[k] = (sum[k] ?? 0) + weight * (vector[k] ?? 0);
  });
  const norm = Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0));
  return norm > 0 ? Float32Array.from(sum, (x) => x / norm) : first;
}

export class Encoder {
  readonly #kernel: Kernel;
  readonly #tokenizer: WordPiece;
  readonly #model: number;
  readonly #slot: SlotPlan;
  readonly #ints: Int32Array;
  readonly #floats: Float32Array;

  constructor(
    kernel: Kernel,
    memory: WebAssembly.Memory,
    model: ModelPlan,
    slot: SlotPlan,
    tokenizer: WordPiece,
  ) {
    this.#kernel = kernel;
    this.#tokenizer = tokenizer;
    this.#model = model.table;
    this.#slot = slot;
    this.#ints = new Int32Array(memory.buffer);
    this.#floats = new Float32Array(memory.buffer);
    this.#ints.set(slot.fields, slot.scratch / 4);
  }

  /** One unit vector for each text, one after the other: [texts][384]. */
  embed(texts: readonly string[]): Float32Array {
    const windows = texts.map((text) => windowsOf(this.#tokenizer.encode(text)));
    const vectors = this.#runAll(windows.flat());
    const result = new Float32Array(texts.length * HIDDEN_SIZE);
    let next = 0;
    windows.forEach((ofText, i) => {
      const merged = mergeWindows(vectors.slice(next, next + ofText.length), ofText);
      result.set(merged, i * HIDDEN_SIZE);
      next += ofText.length;
    });
    return result;
  }

  /** Fills passes of at most MAX_TOKENS in order. A vector does not depend on the other texts of its pass. */
  #runAll(windows: readonly (readonly number[])[]): Float32Array[] {
    const vectors: Float32Array[] = [];
    let pass: (readonly number[])[] = [];
    let tokens = 0;
    for (const window of windows) {
      if (tokens + window.length + 2 > MAX_TOKENS) {
        vectors.push(...this.#run(pass));
        pass = [];
        tokens = 0;
      }
      pass.push(window);
      tokens += window.length + 2;
    }
    if (pass.length > 0) vectors.push(...this.#run(pass));
    return vectors;
  }

  #run(windows: readonly (readonly number[])[]): Float32Array[] {
    const { scratch, ids, lengths, vectors } = this.#slot;
    let offset = ids / 4;
    windows.forEach((window, i) => {
      this.#ints[offset] = this.#tokenizer.cls;
      this.#ints.set(window, offset + 1);
      this.#ints[offset + 1 + window.length] = this.#tokenizer.sep;
      this.#ints[lengths / 4 + i] = window.length + 2;
      offset += window.length + 2;
    });
    this.#kernel.forward(this.#model, scratch, ids, lengths, windows.length, vectors);
    return windows.map((_, i) =>
      this.#floats.slice(vectors / 4 + i * HIDDEN_SIZE, vectors / 4 + (i + 1) * HIDDEN_SIZE),
    );
  }
}
