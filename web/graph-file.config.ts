import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Writes in escapes what a script within HTML cannot have: the end of its element, and control characters, which a parser of HTML
 * replaces. They occur in literals only.
 */
const embeddable: Plugin = {
  name: 'embeddable',
  generateBundle: (_options, files) => {
    for (const file of Object.values(files))
      if (file.type === 'chunk')
        file.code = file.code
          .replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
          .replaceAll(/<\/(?=script)/gi, '<\\/')
          .replaceAll('<!--', '<\\!--');
  },
};

/** Builds the script and the style of the file that `loci graph view` makes, which has them within it. */
const config: UserConfig = defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [embeddable],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../dist/graph-file'),
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      input: path('src/standalone/main.tsx'),
      output: { format: 'iife', entryFileNames: 'viewer.js', assetFileNames: 'viewer[extname]' },
    },
  },
});

export default config;
