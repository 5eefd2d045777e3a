// Copies the files that the compiled code reads at run time and that tsc does not copy: kernels and migrations.
import { cpSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const assets = globSync('**/*.{wasm,sql}', { cwd: `${root}src` }).sort();
for (const asset of assets) cpSync(`${root}src/${asset}`, `${root}dist/${asset}`);
console.log(`${assets.length} assets copied to dist/`);
