import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { configSchema, type Config } from '../../src/config/schema.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { openEngine, type OpenOptions } from '../../src/engine/open.ts';

/** A temporary folder for one test. It is removed when its scope ends. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'loci-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

interface Folder {
  readonly path: string;
}

/** A temporary folder for each test of a file. It is removed after what later hooks close. */
export function folderForEach(): Folder {
  return folderOf(beforeEach, afterEach);
}

/** A temporary folder for all tests of a file. */
export function folderForAll(): Folder {
  return folderOf(beforeAll, afterAll);
}

function folderOf(
  before: (work: () => Promise<void>) => void,
  after: (work: () => Promise<void>) => void,
): Folder {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
  });
  after(async () => folder[Symbol.asyncDispose]());
  return {
    get path() {
      return folder.path;
    },
  };
}

/** Writes notes to a folder. The keys are paths, the values are texts. */
export async function writeNotes(root: string, notes: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(notes)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

export async function copyExampleVault(to: string): Promise<void> {
  await cp(join(import.meta.dirname, '../../examples/vault'), to, { recursive: true });
}

/** The settings of a `loci.yaml` with these values. There is no embedding model by default. */
export function settings(folder: string, values: Readonly<Record<string, unknown>> = {}): Config {
  return configSchema.parse({
    store: { path: join(folder, 'loci.db') },
    embedding: { provider: 'none' },
    ...values,
  });
}

/** Opens an engine whose store runs in this thread. It starts in half the time. */
export function openInline(config: Config, options: OpenOptions = {}): Promise<EngineContext> {
  return openEngine(config, { inlineStore: true, ...options });
}
