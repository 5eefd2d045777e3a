import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { Backup, type Manifest, readIfExists, replaceText, type SavedFile } from './backup.ts';
import { describeChange, CORPUS_PLUGIN, PLUGIN } from './config/plugin-keys.ts';
import { ConfigFiles, revertChange } from './config/config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import { pluginsFolder, removePlugins } from './package.ts';
import { lociHomeOf, openclawCommand, type HostSession } from './session.ts';

/** What became of a file. */
interface Restored {
  readonly path: string;
  /** Whether it has the bytes that it had before setup. */
  readonly identical: boolean;
  /** Keys that somebody has changed since setup, which were left as they are. */
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
  const planned = await Promise.all(manifest.files.map((saved) => planRestore(backup, manifest, saved)));
  steps.begin('restoring the configuration');
  const files: Restored[] = [];
  for (const each of planned) files.push(await restore(backup, each));
  const plugin = await removePlugin(session, backup, manifest);
  const isExact = files.every(({ identical }) => identical);
  steps.end();
  // The copies stay where a file could not be restored from them.
  const copies = isExact ? null : await backup.setAside();
  if (isExact) await backup.remove();
  const folder = pluginsFolder(backup.home);
  const builds = existsSync(folder) ? folder : null;
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

/** What a file is to become. */
interface PlannedRestore {
  readonly saved: SavedFile;
  readonly before: string;
  /** `null` for the bytes of the copy. */
  readonly text: string | null;
  readonly kept: readonly string[];
}

/** Looks at a file before anything else changes it. */
async function planRestore(backup: Backup, manifest: Manifest, saved: SavedFile): Promise<PlannedRestore> {
  const { path, copy, written } = saved;
  const [now, bytes] = await Promise.all([readIfExists(path), readFile(join(backup.folder, copy))]);
  const before = bytes.toString('utf8');
  if (now === null || now.equals(bytes) || sha256(now) === written)
    return { saved, before, text: null, kept: [] };
  let text = now.toString('utf8');
  const kept: string[] = [];
  for (const change of manifest.changes.filter(({ file }) => file === path).toReversed()) {
    const reverted = revertChange(text, change);
    if (reverted === null) kept.push(describeChange(change));
    else text = reverted;
  }
  return { saved, before, text, kept };
}

async function restore(backup: Backup, { saved, before, text, kept }: PlannedRestore): Promise<Restored> {
  if (text === null) await backup.restore(saved);
  else await replaceText(saved.path, text);
  const now = await readIfExists(saved.path);
  return { path: saved.path, identical: now?.toString('utf8') === before, kept };
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
        : `${path} was changed since setup, so only the keys that setup had changed were reverted.`,
      ...kept.map((key) => `  left as it is, because it was changed since: ${key}`),
    ]),
    `The plugin: ${plugin}.`,
    ...(builds === null ? [] : [`Its files can be removed when the gateway has restarted: ${builds}`]),
    ...(copies === null ? [] : [`The files as they were before setup are in ${copies}.`]),
    'The memory in the Loci home stays. Restart the gateway if it does not load its plugins again by itself.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
