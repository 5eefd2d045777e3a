import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** `npm run web` serves the page while it is changed, with the API of a running `loci serve`. */
const API = 'http://127.0.0.1:8737';

/** Adds a compressed form of each file, which the server sends to browsers: the page may be far away, at the end of a tunnel. */
const compress: Plugin = {
  name: 'compress',
  writeBundle({ dir = '' }, files) {
    for (const name of Object.keys(files).filter((each) => /\.(?:js|css|html)$/.test(each)))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name)), { level: 9 }));
  },
};

const config: UserConfig = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/ui/',
  plugins: [compress],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The Content-Security-Policy permits no `data:` fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSES.md' },
  },
  server: { proxy: { '/api': API, '/ui/session': API } },
});

export default config;
