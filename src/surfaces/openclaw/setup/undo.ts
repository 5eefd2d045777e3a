import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { Backup, type Manifest, readIfExists } from './backup.ts';
import { describeChange, CORPUS_PLUGIN, PLUGIN } from './plugin-keys.ts';
import { ConfigFiles } from './config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import { pluginsFolder, removePlugins } from './package.ts';
import { lociHomeOf, openclawCommand, type HostSession } from './session.ts';

/** What became of a file. */
interface Restored {
  readonly path: string;
  /** Whether it has the bytes that it had before setup. A file that somebody has changed since is left as it is. */
  readonly identical: boolean;
  /** What setup has changed in a file that was left as it is. */
  readonly kept: readonly string[];
}

/** Runs `loci openclaw undo`: restores what was there before the first `loci openclaw setup`. */
export const undoOpenclaw = openclawCommand(async (session) => {
  const backup = await findBackup(session);
  await backup.lock();
  try {
    return await undo(session, backup);
  } finally {
    await backup.unlock();
  }
});

async function undo(session: HostSession, backup: Backup): Promise<number> {
  const { call, io, steps } = session;
  // Another `undo` may have ended meanwhile.
  const manifest = await backup.manifest();
  if (manifest === null) throw nothingToUndo(backup);
  steps.begin('restoring the configuration');
  const files: Restored[] = [];
  for (const saved of manifest.files) {
    const { path, copy, written } = saved;
    const [now, before] = await Promise.all([readIfExists(path), readFile(join(backup.folder, copy))]);
    const identical = now === null || now.equals(before) || sha256(now) === written;
    if (identical) await backup.restore(saved);
    const changes = manifest.changes.filter(({ file }) => file === path);
    files.push({ path, identical, kept: identical ? [] : changes.map(describeChange) });
  }
  const isExact = files.every(({ identical }) => identical);
  // A configuration that was left as it is may still load the plugin.
  const plugin = isExact ? await removePlugin(session, backup, manifest) : 'kept';
  // The copies stay where a file could not be restored from them.
  const copies = isExact ? null : await backup.setAside();
  if (isExact) await backup.remove();
  const folder = pluginsFolder(backup.home);
  const builds = plugin === 'no longer loaded' && existsSync(folder) ? folder : null;
  io.stdout.write(call.json ? `${toJson({ files, plugin, copies })}\n` : text(files, plugin, copies, builds));
  return 0;
}

/** @throws LociError `not_found` if setup did not run with this home */
async function findBackup(session: HostSession): Promise<Backup> {
  const { openclaw, call, io } = session;
  const asked = configHome({ env: io.env, ...(call.home !== undefined && { home: call.home }) });
  // The configuration may be damaged: then only the home that was asked for is looked at.
  const configured = await openclaw
    .configFile()
    .then((file) => ConfigFiles.load(file))
    .then((files) => [PLUGIN, CORPUS_PLUGIN].map((plugin) => lociHomeOf(session, files.values(), plugin)))
    .catch(() => []);
  for (const home of new Set([asked, ...configured])) {
    const backup = new Backup(home);
    if ((await backup.manifest()) !== null) return backup;
  }
  throw nothingToUndo(new Backup(asked));
}

function nothingToUndo({ folder }: Backup): LociError {
  return new LociError('not_found', `there is nothing to undo: ${folder} has no backup`, {
    hint: 'If setup ran with --home, name the same home.',
  });
}

/** What happened to the plugin. */
type PluginOutcome = 'kept' | 'no longer loaded' | 'removed';

/** Removes the copies of the plugin that setup has made, unless a gateway may still run their code. */
async function removePlugin(
  { io }: HostSession,
  { home }: Backup,
  { plugin, changes, configFile }: Manifest,
): Promise<PluginOutcome> {
  if (plugin === CORPUS_PLUGIN) return 'no longer loaded';
  const added = changes.flatMap(({ value }) => value);
  if (!added.some((path) => typeof path === 'string' && dirname(path) === pluginsFolder(home))) return 'kept';
  const values = (await ConfigFiles.load(configFile)).values();
  if (await isListening(gatewayPort(values, io.env))) return 'no longer loaded';
  await removePlugins(home, []);
  return 'removed';
}

/** @param builds the copies of the plugin that stay for a running gateway */
function text(
  files: readonly Restored[],
  plugin: PluginOutcome,
  copies: string | null,
  builds: string | null,
): string {
  const lines = [
    ...files.flatMap(({ path, identical, kept }) => [
      identical
        ? `${path} is as it was before setup.`
        : `${path} was changed since setup, and was left as it is. Revert yourself what setup had changed:`,
      ...kept.map((change) => `  ${change}`),
    ]),
    `The plugin: ${plugin}.`,
    ...(builds === null ? [] : [`Its files can be removed when the gateway has restarted: ${builds}`]),
    ...(copies === null ? [] : [`The files as they were before setup are in ${copies}.`]),
    'The memory in the Loci home stays. Restart the gateway if it does not load its plugins again by itself.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
