import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { valueAt } from '../../../config/tree.ts';
import type { Check } from '../../../engine/health/check.ts';
import { Backup } from './backup.ts';
import { isBeside } from './beside.ts';
import { listAt, LOAD_PATHS, PLUGIN, SLOT } from './config/changes.ts';
import type { ConfigFiles } from './config/config-files.ts';
import { pluginsFolder } from './package.ts';
import { isAbandonedCopy } from './program.ts';

/** What a setup or an undo that did not end has left. */
export async function leftoversCheck(files: ConfigFiles, home: string): Promise<Check> {
  const name = 'earlier setup';
  const found = [
    ...(await unfinishedSetup(files, home)),
    ...unusedPlugin(files, home),
    ...(await abandonedCopies(dirname(files.root))),
  ];
  if (found.length === 0) return { name, result: 'ok', detail: 'it left nothing behind', hint: null };
  return {
    name,
    result: 'warning',
    detail: found.map(([detail]) => detail).join('\n'),
    hint: found.map(([, hint]) => hint).join(' '),
  };
}

type Leftover = readonly [detail: string, hint: string];

/** The backup is made before the keys are changed, and removed after they were restored. */
async function unfinishedSetup(files: ConfigFiles, home: string): Promise<Leftover[]> {
  const backup = new Backup(home);
  const manifest = await backup.manifest();
  if (manifest === null || manifest.configFile !== files.root) return [];
  const values = files.values();
  const isInForce = manifest.plugin === PLUGIN ? valueAt(values, SLOT) === PLUGIN : isBeside(values);
  if (isInForce) return [];
  return [
    [
      `setup of ${manifest.plugin} did not end, or its keys were removed; ${backup.folder} has the configuration before it`,
      'Run `loci openclaw undo` to restore that, or `loci openclaw setup` to complete it.',
    ],
  ];
}

function unusedPlugin(files: ConfigFiles, home: string): Leftover[] {
  const folder = pluginsFolder(home);
  const isLoaded = listAt(files.values(), ...LOAD_PATHS).some(
    (path) => typeof path === 'string' && dirname(path) === folder,
  );
  if (isLoaded || !existsSync(folder)) return [];
  return [
    [
      `${folder} has a copy of the plugin that OpenClaw does not load`,
      `Restart the gateway, then remove ${folder}.`,
    ],
  ];
}

async function abandonedCopies(folder: string): Promise<Leftover[]> {
  const names = (await readdir(folder)).filter(isAbandonedCopy);
  if (names.length === 0) return [];
  return [[`${folder} has copies of the configuration: ${names.join(', ')}`, 'Remove them.']];
}
