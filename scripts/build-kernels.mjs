/**
 * Compiles the WebAssembly kernels from their AssemblyScript. The results are committed; with `--check` they are
 * built elsewhere and compared byte for byte, and any difference is exit code 1.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js');

/** No runtime, no allocator, no abort. */
const FREESTANDING = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];
/** The memory comes from outside and is shared between threads; the sizes are in pages of 64 KB. */
const SHARED = ['--importMemory', '--enable', 'threads', '--sharedMemory', '--initialMemory', '1'];

const KERNELS = [
  {
    entry: 'src/embed/local/model/kernel/forward.as.ts',
    output: 'src/embed/local/model/minilm.wasm',
    flags: [...FREESTANDING, ...SHARED, '--maximumMemory', '16384'],
  },
  {
    entry: 'src/embed/local/model/kernel/wordpiece.as.ts',
    output: 'src/embed/local/model/wordpiece.wasm',
    flags: [...FREESTANDING, '--importMemory'],
  },
  {
    entry: 'src/store/sqlite/vectors/kernel/hamming.ts',
    output: 'src/store/sqlite/vectors/hamming.wasm',
    flags: [...FREESTANDING, '--importMemory'],
  },
  {
    entry: 'src/store/sqlite/vectors/kernel/dot.ts',
    output: 'src/store/sqlite/vectors/dot.wasm',
    flags: [...FREESTANDING, '--importMemory'],
  },
];

function build(kernel, output) {
  execFileSync(process.execPath, [compiler, kernel.entry, ...kernel.flags, '--outFile', output], {
    cwd: root,
    stdio: 'inherit',
  });
}

function differs(kernel, folder) {
  const output = join(folder, 'kernel.wasm');
  build(kernel, output);
  const same = readFileSync(output).equals(readFileSync(join(root, kernel.output)));
  console.log(`${same ? 'same' : 'DIFFERENT'}  ${kernel.output}`);
  return !same;
}

if (process.argv.includes('--check')) {
  const folder = mkdtempSync(join(tmpdir(), 'loci-kernels-'));
  try {
    if (KERNELS.filter((kernel) => differs(kernel, folder)).length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  for (const kernel of KERNELS) build(kernel, join(root, kernel.output));
}
