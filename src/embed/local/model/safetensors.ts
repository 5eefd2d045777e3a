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
