/** Turns the weights file, which was read into the shared memory, into the form that the kernel reads. */

import type { Kernel } from './kernel.ts';
import { Arena, FEED_FORWARD, HIDDEN_SIZE, LAYERS, MAX_TOKENS, type ModelPlan } from './memory-plan.ts';

/** Entries of the position table in the file; only the first MAX_TOKENS are used. */
const POSITIONS = 512;
const VOCABULARY = 30522;

interface Linear {
  readonly table: number;
  readonly weights: number;
  readonly scales: number;
  readonly bias: number;
  readonly columns: number;
  readonly depth: number;
  readonly maxColumnNorm: number;
}

/** Prepares tensors one by one. Matrices stay at their place in the file; the other tensors go to an arena. */
class WeightLoader {
  readonly #kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  readonly #plan: ModelPlan;
  readonly #file: Safetensors;
  readonly #arena: Arena;
  readonly #staging: number;
  readonly #modelTable: number;
  readonly #layerTable: number;

  constructor(kernel: Kernel, memory: WebAssembly.Memory, plan: ModelPlan) {
    this.#kernel = kernel;
    this.#memory = memory;
    this.#plan = plan;
    this.#file = new Safetensors(new Uint8Array(memory.buffer, plan.image, plan.fileBytes));
    this.#arena = new Arena(plan.table);
    this.#modelTable = this.#arena.take(24);
    this.#layerTable = this.#arena.take(LAYERS * 40);
    this.#staging = this.#arena.take(16 * FEED_FORWARD * 2);
  }

  load(): void {
    const words = this.#at('embeddings.word_embeddings.weight', [VOCABULARY, HIDDEN_SIZE]);
    const positions = this.#positions();
    const norm = this.#norm('embeddings.LayerNorm');
    for (let index = 0; index < LAYERS; index++) this.#layer(index);
    if (this.#arena.top > this.#plan.end) throw new RangeError('the plan is too small for the weights');
    this.#write(this.#modelTable, [words, positions, ...norm, LAYERS, this.#layerTable]);
  }

  #at(name: string, shape: readonly number[]): number {
    return this.#plan.image + this.#file.offsetOf(name, shape);
  }

  #write(address: number, words: readonly number[]): void {
    new Uint32Array(this.#memory.buffer, address, words.length).set(words);
  }

  /** Writes the first `count` values to the arena as float32. */
  #floats(name: string, shape: readonly number[], count: number): number {
    const floats = this.#arena.take(count * 4);
    this.#kernel.widenHalf(this.#at(name, shape), floats, count);
    return floats;
  }

  #positions(): number {
    const name = 'embeddings.position_embeddings.weight';
    const positions = this.#floats(name, [POSITIONS, HIDDEN_SIZE], MAX_TOKENS * HIDDEN_SIZE);
    const type = this.#floats('embeddings.token_type_embeddings.weight', [2, HIDDEN_SIZE], HIDDEN_SIZE);
    this.#kernel.addToRows(positions, type, MAX_TOKENS);
    return positions;
  }

  #norm(name: string): [gain: number, shift: number] {
    return [
      this.#floats(`${name}.weight`, [HIDDEN_SIZE], HIDDEN_SIZE),
      this.#floats(`${name}.bias`, [HIDDEN_SIZE], HIDDEN_SIZE),
    ];
  }

  #linear(name: string, columns: number, depth: number): Linear {
    const weights = this.#at(`${name}.weight`, [columns, depth]);
    const scales = this.#arena.take(columns * 4);
    const maxColumnNorm = this.#kernel.packWeights(weights, columns, depth, this.#staging, scales);
    const bias = this.#floats(`${name}.bias`, [columns], columns);
    return { table: this.#arena.take(24), weights, scales, bias, columns, depth, maxColumnNorm };
  }

  /** Writes `Linear` structures that share the largest column norm, and returns their addresses. */
  #tables(linears: readonly Linear[]): number[] {
    const maxColumnNorm = Math.max(...linears.map((linear) => linear.maxColumnNorm));
    return linears.map(({ table, weights, scales, bias, columns, depth }) => {
      this.#write(table, [weights, scales, bias, 0, columns, depth]);
      new Float32Array(this.#memory.buffer, table + 12, 1)[0] = maxColumnNorm;
      return table;
    });
  }

  #layer(index: number): void {
    const name = `encoder.layer.${index}`;
    const attention = `${name}.attention`;
    const qkv = ['query', 'key', 'value'].map((part) =>
      this.#linear(`${attention}.self.${part}`, HIDDEN_SIZE, HIDDEN_SIZE),
    );
    const layer = [
      ...this.#tables(qkv),
      ...this.#tables([this.#linear(`${attention}.output.dense`, HIDDEN_SIZE, HIDDEN_SIZE)]),
      ...this.#tables([this.#linear(`${name}.intermediate.dense`, FEED_FORWARD, HIDDEN_SIZE)]),
      ...this.#tables([this.#linear(`${name}.output.dense`, HIDDEN_SIZE, FEED_FORWARD)]),
      ...this.#norm(`${attention}.output.LayerNorm`),
      ...this.#norm(`${name}.output.LayerNorm`),
    ];
    this.#write(this.#layerTable + index * 40, layer);
  }
}

/**
 * Quantises and packs 21 MB of weights in place, which takes about 15 ms of a 3 GHz core. Call it once, in a worker thread.
 * @throws Error if the file is not the one of this model.
 */
export function loadWeights(kernel: Kernel, memory: WebAssembly.Memory, plan: ModelPlan): void {
  new WeightLoader(kernel, memory, plan).load();
}

/** The safetensors format: a length (u64), a JSON header of that length, then the tensors' bytes. */

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Number of bytes before the first tensor, computed from the first eight bytes of a file. */
export function headerBytes(start: Uint8Array): number {
  return 8 + Number(new DataView(start.buffer, start.byteOffset, 8).getBigUint64(0, true));
}

/** Finds tensors in the bytes of a safetensors file. */
export class Safetensors {
  readonly #data: number;
  readonly #size: number;
  readonly #header: Readonly<Record<string, Tensor | undefined>>;

  /** @throws Error when the bytes are not a safetensors file. */
  constructor(bytes: Uint8Array) {
    this.#data = headerBytes(bytes);
    if (this.#data > bytes.length) throw new Error('it is not a safetensors file');
    this.#size = bytes.length;
    // TextDecoder does not accept shared memory.
    const json = new TextDecoder().decode(bytes.slice(8, this.#data));
    this.#header = JSON.parse(json) as Record<string, Tensor>;
  }

  /**
   * Offset of a float16 tensor's first byte from the start of the file.
   * @throws Error when the tensor is missing, cut off, or has another type or shape.
   */
  offsetOf(name: string, shape: readonly number[]): number {
    const tensor = this.#header[name];
    const found = tensor ? `${tensor.dtype} [${tensor.shape.join(', ')}]` : 'nothing';
    const wanted = `F16 [${shape.join(', ')}]`;
    if (!tensor || found !== wanted) throw new Error(`${name} should be ${wanted}, found ${found}`);
    const [start, end] = tensor.data_offsets;
    if (this.#data + end > this.#size) throw new Error('it ends early');
    return this.#data + start;
  }
}
