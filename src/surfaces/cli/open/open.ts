import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LociError } from '../../../core/errors.ts';
import { describeFileError, systemErrorCode, unreadableError } from '../../../core/fs/file-errors.ts';
import { vaultName } from '../../../engine/reading/configured/vault-names.ts';
import { createContext } from '../../../operations/context.ts';
import type { OperationContext } from '../../../operations/operation.ts';
import { resolveWithin } from '../../../sources/files/paths.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { type Io, isTerminal } from '../../shared/io.ts';
import type { RunStandalone, StandaloneCall } from '../../shared/run-standalone.ts';
import { editorCommand, editorOf, mayBeSetByNpm, needsTerminal } from './editor-command.ts';
import { urlCommand } from '../ui/open-in-browser.ts';

interface NoteFile {
  readonly vault: string;
  /** The real path of the vault's folder. */
  readonly root: string;
  /** The real path of the file, which is below the root. */
  readonly path: string;
  /** The line of the citation, from 1; `null` for the whole note. */
  readonly line: number | null;
}

/** How a note is opened: by an address for Obsidian, or in an editor. */
interface Opening {
  readonly url: string | null;
  /** The program and its arguments; `null` if nothing is to be started. */
  readonly command: readonly string[] | null;
}

/** Runs `loci open CITATION`. The engine is closed before the editor starts, which may run for hours. */
export const openNote: RunStandalone = async (call, io) => {
  const note = await findNote(call, io);
  const { url, command } = await openingOf(note, call, io);
  if (command !== null) await start(command, io.env, call.json);
  const { vault, path, line } = note;
  if (call.json) io.stdout.write(`${toJson({ vault, path, line, url, command })}\n`);
  else if (command === null) {
    const text = url ?? path;
    io.stdout.write(`${isTerminal(io.stdout) ? escapeControl(text) : text}\n`);
  }
  return 0;
};

async function findNote({ operands, home }: StandaloneCall, io: Io): Promise<NoteFile> {
  const citation = operands.join(' ');
  if (citation.trim() === '')
    throw new LociError('invalid_input', 'CITATION is missing', { hint: 'See `loci open --help`.' });
  const caller = { surface: 'cli', trust: 'operator' } as const;
  const context = createContext({ caller, env: io.env, ...(home !== undefined && { home }) });
  try {
    const { get } = await import('../../../engine/records/get.ts');
    const { id, origin, source, path, lines } = await get(await context.loci(), { citation });
    if (origin !== 'vault' || path === null)
      throw new LociError('invalid_input', `${citation} has no file: only notes of vaults can be opened`, {
        hint: `\`loci get record/${String(id)}\` shows it.`,
      });
    const isWhole = lines.from === 1 && lines.to === lines.total;
    const place = await locate(context, source, path);
    return { vault: source, ...place, line: isWhole ? null : lines.from };
  } finally {
    await context.close();
  }
}

/** @throws LociError `not_found`, `forbidden` for a path that leads out of the vault, `unreadable` */
async function locate(
  context: OperationContext,
  source: string,
  key: string,
): Promise<Pick<NoteFile, 'root' | 'path'>> {
  const { vaults } = (await context.loadConfig()).values;
  const vault = vaults.find((each) => vaultName(each) === source);
  if (vault === undefined)
    throw new LociError('not_found', `the vault ${source} is not in loci.yaml, so its folder is not known`, {
      hint: '`loci index PATH` adds it.',
    });
  try {
    const root = await realpath(vault.path);
    const path = await resolveWithin(root, key);
    if (path !== null) return { root, path };
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreadableError(join(vault.path, key), error);
    throw new LociError('not_found', `${join(vault.path, key)} no longer exists`, {
      hint: '`loci index` updates what is remembered.',
      cause: error,
    });
  }
  throw new LociError('forbidden', `${key} leads out of the vault ${source}`, {
    hint: 'A link of the file system in the vault points to another folder. Open the file there.',
  });
}

async function openingOf(note: NoteFile, { options }: StandaloneCall, io: Io): Promise<Opening> {
  const { env } = io;
  const editor = editorOf(env);
  const inObsidian =
    options['obsidian'] === true ||
    ((editor === null || mayBeSetByNpm(env)) && (await isObsidianVault(note.root)));
  const isPrinted = options['print'] === true || (!inObsidian && hasNoTerminalFor(editor, io));
  if (inObsidian) {
    const url = `obsidian://open?path=${encodeURIComponent(note.path)}`;
    return { url, command: isPrinted ? null : urlCommand(url) };
  }
  if (isPrinted) return { url: null, command: null };
  if (editor !== null) return { url: null, command: editorCommand(editor, note.path, note.line) };
  throw new LociError('invalid_input', 'no editor is set', {
    hint: 'Set $VISUAL or $EDITOR, or use --obsidian. --print prints the path.',
  });
}

/** Whether the editor would wait for keys that nobody can press. */
function hasNoTerminalFor(editor: string | null, { stdin, stdout }: Io): boolean {
  const hasTerminal = isTerminal(stdout) && 'isTTY' in stdin && stdin.isTTY === true;
  return editor !== null && !hasTerminal && needsTerminal(editor);
}

async function isObsidianVault(root: string): Promise<boolean> {
  const folder = await stat(join(root, '.obsidian')).catch(() => null);
  return folder?.isDirectory() === true;
}

/**
 * Runs a program in this terminal until it ends. With `json`, its output goes to standard error.
 * @throws LociError `unreadable` if it cannot be started or fails
 */
async function start(
  [program = '', ...parameters]: readonly string[],
  env: NodeJS.ProcessEnv,
  json: boolean,
): Promise<void> {
  const child = spawn(program, parameters, { env, stdio: ['inherit', json ? 2 : 'inherit', 'inherit'] });
  const [code, signal] = (await once(child, 'close').catch((error: unknown) => {
    throw new LociError('unreadable', `${program} cannot be started: ${describeFileError(error)}`, {
      hint: 'Set $VISUAL or $EDITOR to a program that exists. `loci open --print` prints the path.',
      cause: error,
    });
  })) as [number | null, string | null];
  if (code === 0) return;
  throw new LociError('unreadable', `${program} ended with ${signal ?? `exit code ${String(code)}`}`, {
    hint: '`loci open --print` prints the path.',
  });
}
