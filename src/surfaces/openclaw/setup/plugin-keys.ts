import { dirname } from 'node:path';
import { maskSecret } from '../../../config/secrets.ts';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/types.ts';
import type { Check } from '../../../engine/health/check.ts';
import type { ConfigFiles, KeyChange } from './config-files.ts';

export const PLUGIN = 'memory-loci';
/** The plugin beside memory-core. */
export const CORPUS_PLUGIN = 'loci-corpus';
/** The memory of OpenClaw itself. */
export const HOST_PLUGIN = 'memory-core';
/** A memory whose settings Loci understands. */
const SHADOWDB = 'memory-shadowdb';
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
    ...shadowdbKeys(values),
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

/** The settings of memory-shadowdb, if it is the memory now; else `null`. */
export function shadowdbSettings(values: JsonMap): JsonMap | null {
  const entry = valueAt(values, ['plugins', 'entries', SHADOWDB]);
  const isOn = isJsonMap(entry) && entry['enabled'] !== false;
  if (valueAt(values, SLOT) !== SHADOWDB && !isOn) return null;
  return isJsonMap(entry) && isJsonMap(entry['config']) ? entry['config'] : {};
}

/** Makes the settings of memory-shadowdb those of Loci, but for keys that Loci has already, and turns it off. */
function shadowdbKeys(values: JsonMap): (readonly [readonly string[], Json])[] {
  const settings = shadowdbSettings(values);
  if (settings === null) return [];
  const entry = ['plugins', 'entries', SHADOWDB];
  const config = ['plugins', 'entries', PLUGIN, 'config'];
  return [
    ...Object.entries(settings)
      .filter(([key]) => valueAt(values, [...config, key]) === undefined)
      .map(([key, value]) => [[...config, key], value] as const),
    ...(valueAt(values, entry) === undefined ? [] : [[[...entry, 'enabled'], false] as const]),
  ];
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
  const [problem, remedy] = forbids(values, plugin) ?? [];
  if (problem !== undefined)
    throw new LociError('invalid_config', `openclaw.json: ${problem}`, {
      hint: `${remedy} Then run \`loci openclaw setup\` again.`,
    });
}

/** How the configuration forbids a plugin; `null` if it does not. */
function forbids(values: JsonMap, plugin: string): SetupProblem | null {
  if (valueAt(values, ['plugins', 'enabled']) === false)
    return ['plugins.enabled turns all plugins off', 'Set plugins.enabled to true.'];
  if (listAt(values, 'plugins', 'deny').includes(plugin))
    return [`plugins.deny has ${plugin}`, `Remove ${plugin} from plugins.deny.`];
  return null;
}

/** Whether memory-core is turned off. It loads beside another memory too, for its "dreaming", and its `memory_search` is then the one that agents have. */
export function isHostPluginOff(values: JsonMap, memory: string): boolean {
  return (
    valueAt(values, ['plugins', 'entries', HOST_PLUGIN, 'enabled']) === false ||
    listAt(values, 'plugins', 'deny').includes(HOST_PLUGIN) ||
    valueAt(values, ['plugins', 'entries', memory, 'config', 'dreaming', 'enabled']) === false
  );
}

/** Adds the plugin to a list of the only ones that may load. */
export function allowPlugin(files: ConfigFiles, plugin: string): void {
  const allowed = valueAt(files.values(), ['plugins', 'allow']);
  if (Array.isArray(allowed) && !allowed.includes(plugin)) files.append(['plugins', 'allow'], plugin);
}

/** The value of a change, without secrets. */
export function shownValue({ path, value }: Pick<KeyChange, 'path' | 'value'>): Json {
  return maskSecret(path.join('.'), value);
}

/** A change in words: `plugins.slots.memory = "memory-loci"`. */
export function describeChange({ path, value, previous, isElement }: KeyChange): string {
  const key = path.join('.');
  const shown = (each: Json): string => JSON.stringify(shownValue({ path, value: each }));
  if (isElement)
    return `${key}: ${shown(value)} is added${previous === null ? '' : ` in place of ${shown(previous)}`}`;
  return `${key} = ${shown(value)}${previous === null ? '' : ` (was ${shown(previous)})`}`;
}

export function listAt(values: JsonMap, ...path: readonly string[]): readonly Json[] {
  const list = valueAt(values, path);
  return Array.isArray(list) ? list : [];
}

const SETUP = 'Run `loci openclaw setup`.';
const TOOLS: readonly string[] = ['memory_search', 'memory_get'];

export function passed(name: string, detail: string): Check {
  return { name, result: 'ok', detail, hint: null };
}

export function found(
  name: string,
  detail: string,
  hint: string,
  result: 'failed' | 'warning' = 'failed',
): Check {
  return { name, result, detail, hint };
}

/** The checks that need only the configuration of OpenClaw. */
export function configChecks(values: JsonMap): Check[] {
  return [
    slotCheck(values),
    ...shadowdbChecks(values),
    hostPluginCheck(values),
    pluginListsCheck(values, PLUGIN, SETUP),
    accessCheck(values),
    toolsCheck(values),
  ];
}

function slotCheck(values: JsonMap): Check {
  const slot = valueAt(values, SLOT) ?? null;
  const name = 'memory slot';
  if (slot === PLUGIN) return passed(name, `plugins.slots.memory is ${PLUGIN}`);
  return found(name, `plugins.slots.memory is ${slot === null ? 'not set' : JSON.stringify(slot)}`, SETUP);
}

function shadowdbChecks(values: JsonMap): Check[] {
  if (shadowdbSettings(values) === null) return [];
  const detail = 'it is on, and its settings are not those of Loci';
  return [found(SHADOWDB, detail, '`loci openclaw setup` takes its settings over.', 'warning')];
}

function hostPluginCheck(values: JsonMap): Check {
  if (isHostPluginOff(values, PLUGIN)) return passed(HOST_PLUGIN, 'it is not in the way');
  return found(
    HOST_PLUGIN,
    'it loads beside Loci, and its memory_search and memory_get replace those of Loci',
    `Set plugins.entries.${HOST_PLUGIN}.enabled to false; \`loci openclaw setup\` does that.`,
  );
}

/** @param setup how to correct it */
export function pluginListsCheck(values: JsonMap, plugin: string, setup: string): Check {
  const name = 'allowed plugins';
  const forbidden = forbids(values, plugin);
  if (forbidden !== null) return found(name, ...forbidden);
  if (valueAt(values, ['plugins', 'entries', plugin, 'enabled']) === false)
    return found(name, `plugins.entries.${plugin}.enabled is false`, setup);
  const allow = valueAt(values, ['plugins', 'allow']);
  if (Array.isArray(allow) && !allow.includes(plugin))
    return found(name, `plugins.allow does not have ${plugin}`, setup);
  return passed(name, `${plugin} may load`);
}

function accessCheck(values: JsonMap): Check {
  const entry = ['plugins', 'entries', PLUGIN];
  const needing = ['autoRecall', 'autoCapture'].filter(
    (setting) => valueAt(values, [...entry, 'config', setting, 'enabled']) === true,
  );
  const name = 'conversation access';
  const key = [...entry, 'hooks', 'allowConversationAccess'];
  if (needing.length === 0) return passed(name, 'no setting needs it');
  if (valueAt(values, key) === true) return passed(name, `${key.join('.')} is true`);
  const settings = needing.join(' and ');
  return found(
    name,
    `${settings} cannot work: the plugin may not read conversations`,
    `Set ${key.join('.')} to true, or turn ${settings} off.`,
  );
}

function toolsCheck(values: JsonMap): Check {
  const agents = valueAt(values, ['agents', 'entries']);
  const scopes: (readonly [string, unknown])[] = [
    ['tools', values['tools']],
    ...Object.entries(isJsonMap(agents) ? agents : {}).map(
      ([id, agent]) => [`agents.entries.${id}.tools`, isJsonMap(agent) ? agent['tools'] : undefined] as const,
    ),
  ];
  const problems = scopes.flatMap(([place, policy]) => (isJsonMap(policy) ? hiddenBy(policy, place) : []));
  return allFound('tools', problems, 'agents may use memory_search and memory_get');
}

/** A problem, and how to solve it. */
export type SetupProblem = readonly [detail: string, hint: string];

/** @param fine what to say if there are no problems */
export function allFound(
  name: string,
  problems: readonly SetupProblem[],
  fine: string,
  result?: 'failed' | 'warning',
): Check {
  if (problems.length === 0) return passed(name, fine);
  const [details, hints] = [problems.map(([detail]) => detail), problems.map(([, hint]) => hint)];
  return found(name, details.join('\n'), hints.join(' '), result);
}

/** Profiles without the tools of memory. */
const PROFILES: readonly string[] = ['minimal', 'messaging'];

/** The parts of a policy that hide the tools, each with its remedy. */
function hiddenBy(policy: JsonMap, place: string): SetupProblem[] {
  const denied = listAt(policy, 'deny').filter((entry) => TOOLS.some((tool) => matches(entry, tool)));
  const allow = policy['allow'];
  const alsoAllow = listAt(policy, 'alsoAllow');
  const isMissing = (list: readonly unknown[]): boolean =>
    !TOOLS.every((tool) => list.some((entry) => matches(entry, tool)));
  const { profile } = policy;
  const names = TOOLS.join(' and ');
  return [
    ...(denied.length > 0
      ? [[`${place}.deny hides them: ${JSON.stringify(denied)}`, `Remove it from ${place}.deny.`] as const]
      : []),
    ...(Array.isArray(allow) && allow.length > 0 && isMissing([...allow, ...alsoAllow])
      ? [[`${place}.allow does not have ${names}`, `Add group:memory to ${place}.allow.`] as const]
      : []),
    ...(typeof profile === 'string' && PROFILES.includes(profile) && isMissing(alsoAllow)
      ? [
          [
            `${place}.profile ${profile} does not have ${names}`,
            `Add group:memory to ${place}.alsoAllow.`,
          ] as const,
        ]
      : []),
  ];
}

/** Whether an entry of a tool policy is about a tool: its name, a pattern, its plugin or a group. */
function matches(entry: unknown, tool: string): boolean {
  if (typeof entry !== 'string') return false;
  const name = entry.trim().toLowerCase();
  if ([tool, PLUGIN, 'group:memory', 'group:plugins'].includes(name)) return true;
  if (!name.includes('*')) return false;
  const parts = name.split('*').map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(tool);
}
