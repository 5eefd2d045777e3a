/** What `minilm.wasm` exports (kernel/forward.ts). All arguments are byte addresses and counts. */
export interface Kernel {
  readonly packWeights: (
    source: number,
    columns: number,
    depth: number,
    target: number,
    scales: number,
  ) => number;
  readonly widenHalf: (source: number, target: number, count: number) => void;
  readonly addToRows: (target: number, row: number, rows: number) => void;
  readonly forward: (
    model: number,
    scratch: number,
    ids: number,
    lengths: number,
    sequences: number,
    target: number,
  ) => void;
}

export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;
}
