/** The kernel: what it exports, how V8 compiles it, and a test that it computes what it must. */

import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { LociError } from '../../../core/errors.ts';

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

/** V8 prints an error for flags that it does not know, and cannot be asked. These major versions know the flag. */
const V8_VERSIONS: ReadonlySet<string> = new Set(['13']);

/**
 * Lets V8 compile 128-bit operations of WebAssembly as 256-bit ones (AVX2), which makes embedding up to twice as fast. Every element
 * is still computed by the same operation, so that the vectors stay the same bits; `testKernel` checks this. It concerns all
 * WebAssembly that this process compiles from now on, so it is only for processes of Loci. Returns whether V8 supports it here.
 */
export function enableRevectorization(): boolean {
  const [major = ''] = process.versions.v8.split('.');
  if (process.arch !== 'x64' || !V8_VERSIONS.has(major)) return false;
  setFlagsFromString('--experimental-wasm-revectorize');
  return true;
}

/** One pass of the kernel, with tokens of many kinds. */
const SELF_TEST_TEXT = Array.from(
  { length: 16 },
  (_, i) => `Note ${String(i)}: the oven moves; Größe ${String(i * 37)} µm?`,
).join(' ');
/** V8 compiles the loops again with optimisation while they run, so that the first runs do not test the optimised code. */
const SELF_TEST_RUNS = 3;
/** SHA-256 of the vector of `SELF_TEST_TEXT`, little-endian. It is the same on every machine. */
export const SELF_TEST_DIGEST = '665daca883cac2c54dde0e72ae22e0d2496ed45d6bd4a5f69aac71a96da34d0d';

/** @throws LociError `embedding_unavailable` if the kernel computes other vectors than on every other machine */
export function testKernel(encoder: { embed(texts: readonly string[]): Float32Array }): void {
  for (let run = 0; run < SELF_TEST_RUNS; run++) {
    const { buffer, byteOffset, byteLength } = encoder.embed([SELF_TEST_TEXT]);
    const digest = createHash('sha256')
      .update(new Uint8Array(buffer, byteOffset, byteLength))
      .digest('hex');
    if (digest === SELF_TEST_DIGEST) continue;
    throw new LociError(
      'embedding_unavailable',
      'The embedding kernel computes wrong vectors on this machine.',
      {
        hint: 'Turn off its optimisation: `loci config set embedding.revectorize false`.',
      },
    );
  }
}
