import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/types.ts';
import { type ConfigFiles, type KeyChange, listAt } from './config-files.ts';

export const PLUGIN = 'memory-loci';
/** The plugin that needs no slot, for people who keep memory-core. */
export const CORPUS_PLUGIN = 'loci-corpus';
/** The memory of OpenClaw itself. */
export const HOST_PLUGIN = 'memory-core';
/** A memory whose settings Loci understands. */
const SHADOWDB = 'memory-shadowdb';
export const SLOT: readonly string[] = ['plugins', 'slots', 'memory'];
export const LOAD_PATHS: readonly string[] = ['plugins', 'load', 'paths'];
const ALLOW: readonly string[] = ['plugins', 'allow'];
const DENY: readonly string[] = ['plugins', 'deny'];

/** OpenClaw loads this plugin from the package of this command. */
const CORPUS_FOLDER = fileURLToPath(new URL('../../../../dist/loci-corpus', import.meta.url));

/**
 * Changes the keys, in memory, that make Loci the memory of OpenClaw.
 * @param home the Loci home, if it is not the default
 * @param folder that of the plugin, if OpenClaw does not have it yet
 * @throws LociError `invalid_config`
 */
export function changeKeys(files: ConfigFiles, home: string | null, folder: string | null): void {
  const values = files.values();
  assertMayLoad(values, PLUGIN);
  const settings = shadowdbSettings(values);
  for (const [key, value] of Object.entries(settings ?? {})) {
    const path = ['plugins', 'entries', PLUGIN, 'config', key];
    if (valueAt(values, path) === undefined) files.set(path, value);
  }
  const shadowdb = ['plugins', 'entries', SHADOWDB];
  if (settings !== null && valueAt(values, shadowdb) !== undefined)
    setKey(files, [...shadowdb, 'enabled'], false);
  setKey(files, SLOT, PLUGIN);
  // It would take the names of the tools, even without the slot.
  if (!isHostPluginOff(values, PLUGIN)) setKey(files, ['plugins', 'entries', HOST_PLUGIN, 'enabled'], false);
  enablePlugin(files, PLUGIN, home, folder);
}

/**
 * Changes the keys, in memory, that load the plugin beside memory-core.
 * @param home the Loci home, if it is not the default
 * @throws LociError `conflict` where memory-core does not load, `invalid_config`
 */
export function changeKeysBeside(files: ConfigFiles, home: string | null): void {
  const values = files.values();
  assertMayLoad(values, CORPUS_PLUGIN);
  const missing = memoryCoreProblem(values);
  if (missing !== null)
    throw new LociError('conflict', missing, {
      hint: '`loci openclaw setup` makes Loci the memory; `loci openclaw undo` restores what was there before.',
    });
  const other = listAt(values, LOAD_PATHS).find((path) => isCorpusFolder(path) && path !== CORPUS_FOLDER);
  if (other !== undefined)
    throw new LociError(
      'conflict',
      `plugins.load.paths has another ${CORPUS_PLUGIN}: ${JSON.stringify(other)}`,
      { hint: 'Remove it from plugins.load.paths, then run this again.' },
    );
  enablePlugin(files, CORPUS_PLUGIN, home, CORPUS_FOLDER);
}

/** @param folder is added to those that OpenClaw loads plugins from, in place of another version beside it */
function enablePlugin(files: ConfigFiles, plugin: string, home: string | null, folder: string | null): void {
  const values = files.values();
  const entry = ['plugins', 'entries', plugin];
  setKey(files, [...entry, 'enabled'], true);
  if (home !== null) setKey(files, [...entry, 'config', 'home'], home);
  const paths = listAt(values, LOAD_PATHS);
  if (folder !== null && !paths.includes(folder)) {
    const other = paths.find((path) => typeof path === 'string' && dirname(path) === dirname(folder));
    if (valueAt(values, LOAD_PATHS) === undefined) files.set(LOAD_PATHS, [folder]);
    else files.append(LOAD_PATHS, folder, typeof other === 'string' ? other : null);
  }
  // A list of the only plugins that may load.
  const allowed = valueAt(values, ALLOW);
  if (Array.isArray(allowed) && !allowed.includes(plugin)) files.append(ALLOW, plugin);
}

function setKey(files: ConfigFiles, path: readonly string[], value: Json): void {
  if (valueAt(files.values(), path) !== value) files.set(path, value);
}

/** The settings of memory-shadowdb, if it is the memory now; else `null`. */
export function shadowdbSettings(values: JsonMap): JsonMap | null {
  const entry = valueAt(values, ['plugins', 'entries', SHADOWDB]);
  const isOn = isJsonMap(entry) && entry['enabled'] !== false;
  if (valueAt(values, SLOT) !== SHADOWDB && !isOn) return null;
  return isJsonMap(entry) && isJsonMap(entry['config']) ? entry['config'] : {};
}

/** @throws LociError `invalid_config` if the configuration forbids the plugin */
function assertMayLoad(values: JsonMap, plugin: string): void {
  const refuse = (problem: string, hint: string): never => {
    throw new LociError('invalid_config', `openclaw.json: ${problem}`, { hint });
  };
  if (valueAt(values, ['plugins', 'enabled']) === false)
    refuse('plugins.enabled turns all plugins off', 'Set plugins.enabled to true.');
  if (listAt(values, DENY).includes(plugin))
    refuse(`plugins.deny has ${plugin}`, `Remove ${plugin} from plugins.deny.`);
}

/** Whether memory-core is turned off. It loads beside another memory too, for its "dreaming", and its `memory_search` is then the one that agents have. */
function isHostPluginOff(values: JsonMap, memory: string): boolean {
  return (
    valueAt(values, ['plugins', 'entries', HOST_PLUGIN, 'enabled']) === false ||
    listAt(values, DENY).includes(HOST_PLUGIN) ||
    valueAt(values, ['plugins', 'entries', memory, 'config', 'dreaming', 'enabled']) === false
  );
}

/** Why memory-core does not ask the plugin beside it; `null` if it does. */
function memoryCoreProblem(values: JsonMap): string | null {
  const slot = valueAt(values, SLOT);
  if (slot === PLUGIN) return `${PLUGIN} is the memory already, and has all that ${CORPUS_PLUGIN} finds`;
  if (slot === 'none') return `plugins.slots.memory is "none": only ${HOST_PLUGIN} asks ${CORPUS_PLUGIN}`;
  const isOff = isHostPluginOff(values, typeof slot === 'string' ? slot : HOST_PLUGIN);
  return isOff ? `${HOST_PLUGIN} is turned off: only it asks ${CORPUS_PLUGIN}` : null;
}

function isCorpusFolder(path: unknown): boolean {
  return typeof path === 'string' && basename(path) === CORPUS_PLUGIN;
}

/** The plugin that the configuration loads or should load: the one beside memory-core, or the memory. */
export function pluginIn(values: JsonMap): string {
  const isBeside =
    valueAt(values, SLOT) !== PLUGIN &&
    (valueAt(values, ['plugins', 'entries', CORPUS_PLUGIN, 'enabled']) === true ||
      listAt(values, LOAD_PATHS).some(isCorpusFolder));
  return isBeside ? CORPUS_PLUGIN : PLUGIN;
}

/** @throws LociError `unreadable` for a package that npm removes again */
export function assertStays(): void {
  if (!existsSync(join(CORPUS_FOLDER, 'index.js')))
    throw new LociError('unreadable', `${CORPUS_FOLDER} is missing`, {
      hint: 'Run `npm run build` in the clone of Loci first.',
    });
  if (/[\\/]_npx[\\/]/.test(CORPUS_FOLDER))
    throw new LociError(
      'unreadable',
      'npx keeps this package only for a while, and OpenClaw would load it from there',
      { hint: 'Run `npm install --global loci-memory`, and then `loci openclaw setup --beside`.' },
    );
}

/** A change in words: `plugins.slots.memory: "memory-loci"`. */
export function changeText({ file, key, value }: KeyChange): string {
  return `${file}: ${key}: ${JSON.stringify(value)}`;
}
