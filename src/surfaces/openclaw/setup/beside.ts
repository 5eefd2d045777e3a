import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import type { JsonMap } from '../../../core/json.ts';
import type { Check } from '../../../engine/health/check.ts';
import {
  addLoadPath,
  allowPlugin,
  assertMayLoad,
  CORPUS_PLUGIN,
  found,
  HOST_PLUGIN,
  isHostPluginOff,
  listAt,
  LOAD_PATHS,
  passed,
  PLUGIN,
  pluginListsCheck,
  SLOT,
} from './plugin-keys.ts';
import type { ConfigFiles } from './config-files.ts';
import type { Openclaw } from './program.ts';

/** The plugin that needs no slot, for people who keep memory-core. OpenClaw loads it from the package of this command. */
const FOLDER = fileURLToPath(new URL('../../../../dist/loci-corpus', import.meta.url));

/** @throws LociError `unreadable` in a clone that was not built, or for a package that npm removes again */
export function assertStays(): void {
  if (!existsSync(join(FOLDER, 'index.js')))
    throw new LociError('unreadable', `${FOLDER} is missing`, {
      hint: 'Run `npm run build` in the clone of Loci first.',
    });
  if (/[\\/]_npx[\\/]/.test(FOLDER))
    throw new LociError(
      'unreadable',
      'npx keeps this package only for a while, and OpenClaw would load it from there',
      {
        hint: 'Run `npm install --global loci-memory`, and then `loci openclaw setup --beside`.',
      },
    );
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
  const paths = listAt(values, ...LOAD_PATHS);
  const other = paths.find((path) => isCorpusFolder(path) && path !== FOLDER);
  if (other !== undefined)
    throw new LociError(
      'conflict',
      `plugins.load.paths has another ${CORPUS_PLUGIN}: ${JSON.stringify(other)}`,
      {
        hint: 'Remove it from plugins.load.paths, then run this again.',
      },
    );
  addLoadPath(files, FOLDER);
  const entry = ['plugins', 'entries', CORPUS_PLUGIN];
  if (valueAt(values, [...entry, 'enabled']) !== true) files.set([...entry, 'enabled'], true);
  if (home !== null) files.set([...entry, 'config', 'home'], home);
  allowPlugin(files, CORPUS_PLUGIN);
}

function isCorpusFolder(path: unknown): path is string {
  return typeof path === 'string' && basename(path) === CORPUS_PLUGIN;
}

/** Whether the configuration loads the plugin beside another memory than Loci. */
export function usesCorpusPlugin(values: JsonMap): boolean {
  if (valueAt(values, SLOT) === PLUGIN) return false;
  return (
    valueAt(values, ['plugins', 'entries', CORPUS_PLUGIN, 'enabled']) === true ||
    listAt(values, ...LOAD_PATHS).some(isCorpusFolder)
  );
}

/** Why memory-core does not ask the plugin; `null` if it does. */
function memoryCoreProblem(values: JsonMap): string | null {
  const slot = valueAt(values, SLOT);
  if (slot === PLUGIN) return `${PLUGIN} is the memory already, and has all that ${CORPUS_PLUGIN} finds`;
  if (slot === 'none') return `plugins.slots.memory is "none": only ${HOST_PLUGIN} asks ${CORPUS_PLUGIN}`;
  const isOff = isHostPluginOff(values, typeof slot === 'string' ? slot : HOST_PLUGIN);
  return isOff ? `${HOST_PLUGIN} is turned off: only it asks ${CORPUS_PLUGIN}` : null;
}

/** Checks that OpenClaw loads the plugin. @throws LociError `source_failed` with what OpenClaw says of it */
export async function verifyLoaded(openclaw: Openclaw): Promise<void> {
  const { result, detail } = await loadedCheck(openclaw);
  if (result === 'ok') return;
  throw new LociError('source_failed', detail, {
    hint: 'Run `openclaw plugins doctor`, and see what it says.',
  });
}

const SETUP_BESIDE = 'Run `loci openclaw setup --beside`.';

async function loadedCheck(openclaw: Openclaw): Promise<Check> {
  const plugin = (await openclaw.plugins()).find(({ id }) => id === CORPUS_PLUGIN);
  if (plugin?.status === 'loaded')
    return passed('plugin', `${CORPUS_PLUGIN} is loaded from ${plugin.rootDir}`);
  const state = plugin === undefined ? 'not found' : (plugin.error ?? plugin.status);
  return found('plugin', `${CORPUS_PLUGIN} is ${state}`, SETUP_BESIDE);
}

/** The checks of the plugin for `loci openclaw doctor`. */
export async function checksBeside(openclaw: Openclaw, values: JsonMap): Promise<Check[]> {
  const problem = memoryCoreProblem(values);
  return [
    await loadedCheck(openclaw),
    problem === null
      ? passed('memory slot', `${HOST_PLUGIN} loads, and its memory_search asks ${CORPUS_PLUGIN}`)
      : found('memory slot', problem, `Enable ${HOST_PLUGIN}, or run \`loci openclaw setup\`.`),
    pluginListsCheck(values, CORPUS_PLUGIN, SETUP_BESIDE),
  ];
}
