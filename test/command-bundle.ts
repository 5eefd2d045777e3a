import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundled command line, for `node PATH`. */
    command: string;
  }
}

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const BUNDLES = fileURLToPath(new URL('../.cache/command/', import.meta.url));
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Bundles the command line once for a test run, so that each start of it loads few files instead of several hundred.
 * A folder per content keeps concurrent runs of different sources apart.
 */
export async function setup(project: TestProject): Promise<void> {
  const chunks = await bundle(join(SOURCES, 'surfaces/cli/main.ts'));
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\n${code}\n`);
  const folder = join(BUNDLES, hash.digest('hex').slice(0, 16));
  mkdirSync(BUNDLES, { recursive: true });
  removeOldEntries(BUNDLES);
  if (!existsSync(folder)) writeBundle(folder, chunks);
  utimesSync(folder, new Date(), new Date());
  project.provide('command', join(folder, 'main.js'));
}

async function bundle(main: string): Promise<OutputChunk[]> {
  const build = await rolldown({
    input: { main },
    platform: 'node',
    // The model is found by its package's path.
    external: [/^@lat\.md\//],
    plugins: [sourceAddresses],
  });
  const { output } = await build.generate({
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  return output.filter((file) => file.type === 'chunk');
}

/** Modules of worker threads become files of the bundle; SQL, WebAssembly and the manifest are read from the sources. */
const sourceAddresses: Plugin = {
  name: 'source-addresses',
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
    const source = JSON.stringify(pathToFileURL(id).href);
    return code.replaceAll(
      /workerModule\(import\.meta\.url, '([\w-]+)'\)|import\.meta\.url/g,
      (_, worker: string | undefined) => {
        if (worker === undefined) return source;
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${worker}.ts`), fileName: `${worker}.js` });
        return `new URL('./${worker}.js', import.meta.url)`;
      },
    );
  },
};

function writeBundle(folder: string, chunks: readonly OutputChunk[]): void {
  const unfinished = mkdtempSync(join(BUNDLES, 'unfinished-'));
  // Some tests start the command as another user.
  chmodSync(unfinished, 0o755);
  for (const { fileName, code } of chunks) writeFileSync(join(unfinished, fileName), code);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run has written the same bundle meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

function removeOldEntries(folder: string): void {
  for (const name of readdirSync(folder)) {
    const { mtimeMs } = statSync(join(folder, name));
    if (Date.now() - mtimeMs > MAX_AGE_MS) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
