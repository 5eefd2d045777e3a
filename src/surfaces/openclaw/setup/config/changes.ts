import { dirname } from 'node:path';
import { valueAt } from '../../../../config/tree.ts';
import { LociError } from '../../../../core/errors.ts';
import type { JsonMap } from '../../../../core/json.ts';
import type { Json } from '../../../../core/types.ts';
import type { ConfigFiles, KeyChange } from './config-files.ts';

export const PLUGIN = 'memory-loci';
/** The plugin beside memory-core. */
export const CORPUS_PLUGIN = 'loci-corpus';
/** The memory of OpenClaw itself. */
export const HOST_PLUGIN = 'memory-core';
export const SLOT: readonly string[] = ['plugins', 'slots', 'memory'];
export const LOAD_PATHS: readonly string[] = ['plugins', 'load', 'paths'];

/**
 * Changes the keys, in memory, that make Loci the memory of OpenClaw.
 * @param home the Loci home, if it is not the default
 * @param folder that of the plugin, if OpenClaw does not have it yet
 */
export function changeKeys(files: ConfigFiles, home: string | null, folder: string | null): void {
  const values = files.values();
  assertMayLoad(values, PLUGIN);
  const keys: (readonly [readonly string[], Json])[] = [
    [SLOT, PLUGIN],
    [['plugins', 'entries', PLUGIN, 'enabled'], true],
    // It would take the names of the tools, even without the slot.
    [['plugins', 'entries', HOST_PLUGIN, 'enabled'], false],
    ...(home === null ? [] : [[['plugins', 'entries', PLUGIN, 'config', 'home'], home] as const]),
  ];
  for (const [path, value] of keys) if (valueAt(values, path) !== value) files.set(path, value);
  if (folder !== null) addLoadPath(files, folder);
  allowPlugin(files, PLUGIN);
}

/** Adds the folder of a plugin to those that OpenClaw loads. It replaces another version beside it. */
export function addLoadPath(files: ConfigFiles, folder: string): void {
  const paths = listAt(files.values(), ...LOAD_PATHS);
  if (paths.includes(folder)) return;
  const other = paths.find((path) => typeof path === 'string' && dirname(path) === dirname(folder));
  if (valueAt(files.values(), LOAD_PATHS) === undefined) files.set(LOAD_PATHS, [folder]);
  else files.append(LOAD_PATHS, folder, typeof other === 'string' ? other : null);
}

/** @throws LociError `invalid_config` if the configuration forbids the plugin */
export function assertMayLoad(values: JsonMap, plugin: string): void {
  if (listAt(values, 'plugins', 'deny').includes(plugin))
    throw new LociError('invalid_config', `plugins.deny in openclaw.json forbids ${plugin}`, {
      hint: `Remove ${plugin} from plugins.deny, then run \`loci openclaw setup\` again.`,
    });
  if (valueAt(values, ['plugins', 'enabled']) === false)
    throw new LociError('invalid_config', 'plugins.enabled in openclaw.json turns all plugins off', {
      hint: 'Set plugins.enabled to true, then run `loci openclaw setup` again.',
    });
}

/** Adds the plugin to a list of the only ones that may load. */
export function allowPlugin(files: ConfigFiles, plugin: string): void {
  const allowed = valueAt(files.values(), ['plugins', 'allow']);
  if (Array.isArray(allowed) && !allowed.includes(plugin)) files.append(['plugins', 'allow'], plugin);
}

/** A change in words: `plugins.slots.memory = "memory-loci"`. */
export function describeChange({ path, value, previous, isElement }: KeyChange): string {
  const key = path.join('.');
  if (isElement)
    return `${key}: ${JSON.stringify(value)} is added${previous === null ? '' : ` in place of ${previous}`}`;
  return `${key} = ${JSON.stringify(value)}${previous === null ? '' : ` (was ${previous})`}`;
}

export function listAt(values: JsonMap, ...path: readonly string[]): readonly Json[] {
  const list = valueAt(values, path);
  return Array.isArray(list) ? list : [];
}
