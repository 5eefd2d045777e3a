/** What `minilm.wasm` exports (kernel/forward.as.ts). All arguments are byte addresses and counts. */
export interface Kernel {
  readonly packWeights: (
    matrix: number,
    columns: number,
    depth: number,
    staging: number,
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
