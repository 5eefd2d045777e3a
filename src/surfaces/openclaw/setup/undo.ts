import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { Backup, readIfExists, replaceText } from './backup.ts';
import { CORPUS_PLUGIN, LOAD_PATHS, PLUGIN } from './plugin-keys.ts';
import { ConfigFiles, listAt } from './config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import { pluginsFolder, removePlugins } from './package.ts';
import { removeConfigCopies } from './program.ts';
import { lociHomeOf, openclawCommand, type HostSession } from './session.ts';

/** What became of a file. */
interface Restored {
  readonly path: string;
  /** Whether it has the bytes that it had before setup. A file that somebody has changed since is left as it is. */
  readonly identical: boolean;
  /** The keys that setup has changed in a file that was left as it is. */
  readonly kept: readonly string[];
}

/** Runs `loci openclaw undo`: restores what was there before the first `loci openclaw setup`. */
export const undoOpenclaw = openclawCommand(async (session) => {
  const backup = await findBackup(session);
  return backup.exclusively(() => undo(session, backup));
});

async function undo({ call, io, steps }: HostSession, backup: Backup): Promise<number> {
  // Another `undo` may have ended meanwhile.
  const manifest = await backup.manifest();
  if (manifest === null) throw nothingToUndo(backup);
  steps.begin('restoring the configuration');
  const files: Restored[] = [];
  for (const [index, { path, written, keys }] of manifest.files.entries()) {
    const [now, before] = await Promise.all([readIfExists(path), backup.copyOf(index)]);
    const identical = now === null || now.equals(before) || written.includes(sha256(now));
    if (identical) await replaceText(path, before.toString('utf8'));
    files.push({ path, identical, kept: identical ? [] : keys });
  }
  // A setup that was killed leaves its own.
  await removeConfigCopies(dirname(manifest.configFile));
  const isExact = files.every(({ identical }) => identical);
  const folder = pluginsFolder(backup.home);
  const wasCopied = existsSync(folder);
  // A configuration that was left as it is, and a gateway that runs, may still use the plugin.
  const values = isExact ? (await ConfigFiles.load(manifest.configFile)).values() : {};
  const mayRemove = isExact && !(await isListening(gatewayPort(values, io.env)));
  if (mayRemove) await removePlugins(backup.home, listAt(values, LOAD_PATHS));
  const hasCopy = existsSync(folder);
  const plugin = !isExact ? 'kept' : wasCopied && !hasCopy ? 'removed' : 'no longer loaded';
  // The copies stay where a file could not be restored from them.
  const copies = isExact ? null : await backup.setAside();
  if (isExact) await backup.remove();
  const lines = [
    ...files.flatMap(({ path, identical, kept }) => [
      identical
        ? `${path} is as it was before setup.`
        : `${path} was changed since setup, and was left as it is. Revert these keys yourself: ${kept.join(', ')}.`,
    ]),
    `The plugin: ${plugin}.`,
    ...(isExact && hasCopy ? [`Its files can be removed when the gateway has restarted: ${folder}`] : []),
    ...(copies === null ? [] : [`The files as they were before setup are in ${copies}.`]),
    'The memory in the Loci home stays. Restart the gateway if it does not load its plugins again by itself.',
    '',
  ];
  io.stdout.write(call.json ? `${toJson({ files, plugin, copies })}\n` : escapeControl(lines.join('\n')));
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
