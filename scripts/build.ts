/**
 * Builds `dist/`: the library, the command line, the plugins, the page and the viewer of the graph. Declarations of types, which nothing
 * of this needs, are made by `build-types.ts`.
 */

import { cpSync, globSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build as buildPage } from 'vite';
import { bundlePrograms } from './bundle.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Copies the files that the compiled code reads at run time: kernels and migrations. */
function copyAssets(): void {
  for (const asset of globSync('**/*.{wasm,sql}', { cwd: `${ROOT}src` }))
    cpSync(`${ROOT}src/${asset}`, `${ROOT}dist/${asset}`);
}

const startedAt = new Date();
// The package must have no file that was deleted from `src/`.
rmSync(`${ROOT}dist`, { recursive: true, force: true });
copyAssets();
await Promise.all([
  bundlePrograms(),
  ...['vite.config.ts', 'graph-file.config.ts'].map((file) =>
    buildPage({ configFile: `${ROOT}web/${file}`, logLevel: 'warn' }),
  ),
]);
// `prepare.mjs` compares this file with the sources, which may have changed since the build began.
writeFileSync(`${ROOT}dist/.built`, '');
utimesSync(`${ROOT}dist/.built`, startedAt, startedAt);
