import { createHash } from 'node:crypto';
import {
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
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputChunk } from 'rolldown';
import type { TestProject, VitestPluginContext } from 'vitest/node';
import { bundle, fileAddress } from '../scripts/bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundled command line, for `node PATH`. */
    command: string;
  }
}

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const COMMAND = join(SOURCES, 'surfaces/cli/main.ts');
/** Modules of threads that many tests start. */
const THREADS: readonly string[] = ['store/sqlite/thread.ts', 'adapters/lancedb/read-notes.ts'].map((file) =>
  join(SOURCES, file),
);
const BUNDLES = fileURLToPath(new URL('../.cache/bundles/', import.meta.url));
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Bundles the command line once for a test run, so that each start of it loads few files instead of several hundred. */
export async function setup(project: TestProject): Promise<void> {
  removeOldBundles();
  project.provide('command', await bundleFile(COMMAND));
}

const threads = new Map<string, Promise<string>>();

/** Makes threads start from one bundled file, which saves a third of the time. Vitest does not bundle threads. */
export const bundledThreads = {
  name: 'bundled-threads',
  enforce: 'pre',
  /** Vitest caches transformed modules by their source. These modules must not be cached, because they contain the bundle's path. */
  configureVitest({ defineCacheKeyGenerator }: VitestPluginContext): void {
    defineCacheKeyGenerator(({ id, sourceCode }) =>
      threadOf(id, sourceCode) === undefined ? undefined : false,
    );
  },
  async transform(code: string, id: string): Promise<{ code: string; map: null } | null> {
    const thread = threadOf(id, code);
    if (thread === undefined) return null;
    const bundled = threads.get(thread) ?? bundleFile(thread);
    threads.set(thread, bundled);
    const address = `new URL(${fileAddress(await bundled)})`;
    return { code: code.replace(expressionOf(thread), address), map: null };
  },
} as const;

/** The thread that a module starts. */
function threadOf(id: string, code: string): string | undefined {
  return THREADS.find((thread) => dirname(id) === dirname(thread) && code.includes(expressionOf(thread)));
}

function expressionOf(thread: string): string {
  return `workerModule(import.meta.url, '${basename(thread, '.ts')}')`;
}

/** Bundles a module with all its imports. Returns the path of the bundle, in a folder named after its content. */
async function bundleFile(module: string): Promise<string> {
  // SQL, WebAssembly and the manifest are read from the sources.
  const chunks = await bundle({
    modules: { main: module },
    addressOf: fileAddress,
    plugins: [bundledThreads],
  });
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\n${code}\n`);
  const folder = join(BUNDLES, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) writeBundle(folder, chunks);
  utimesSync(folder, new Date(), new Date());
  return join(folder, 'main.js');
}

function writeBundle(folder: string, chunks: readonly OutputChunk[]): void {
  mkdirSync(BUNDLES, { recursive: true });
  const unfinished = mkdtempSync(join(BUNDLES, 'unfinished-'));
  for (const { fileName, code } of chunks) writeFileSync(join(unfinished, fileName), code);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run has written the same bundle meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

function removeOldBundles(): void {
  if (!existsSync(BUNDLES)) return;
  for (const name of readdirSync(BUNDLES)) {
    const { mtimeMs } = statSync(join(BUNDLES, name));
    if (Date.now() - mtimeMs > MAX_AGE_MS) rmSync(join(BUNDLES, name), { recursive: true, force: true });
  }
}
