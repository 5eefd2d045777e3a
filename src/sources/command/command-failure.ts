import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import { shownText } from './shown-text.ts';

/** How a program ended: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const SHOWN_LINES = 3;
/** Characters of each of them. */
const SHOWN = 200;

/** @throws LociError `source_failed` when there is no such folder to run in */
export async function assertFolderExists(cwd: string): Promise<void> {
  const found = await stat(cwd).catch((error: unknown) => error as NodeJS.ErrnoException);
  if ('isDirectory' in found && found.isDirectory()) return;
  const missing = !('isDirectory' in found) && found.code === 'ENOENT';
  const fault = missing ? 'does not exist' : 'is no folder that may be entered';
  throw failed(`the folder that the command runs in ${fault}: ${cwd}`, 'Correct `cwd` of the source.');
}

/** Why a program could not be started at all. */
export async function explainStart(error: unknown, { argv, cwd, env }: Start): Promise<LociError> {
  const program = argv[0] ?? '';
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const hasPath = program.includes('/');
  const where = hasPath ? `in ${cwd}` : `in PATH (${env['PATH'] ?? 'which is not set'})`;
  if (code === 'EACCES')
    return failed(`may not run ${program} ${where}: it is not executable`, `Run \`chmod +x\` on it.`, error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR')
    return failed(`could not start ${program}: ${messageOf(error)}`, undefined, error);
  const exists =
    hasPath &&
    (await access(resolve(cwd, program)).then(
      () => true,
      () => false,
    ));
  if (exists)
    return failed(
      `could not start ${program} ${where}: its first line names an interpreter that is not there`,
    );
  return failed(
    `there is no program ${program} ${where}`,
    'Install it, or write its whole path; what needs a shell says `shell: true`.',
    error,
  );
}

/**
 * The failure that an exit tells of, with what the program said last; `null` for success.
 * @param otherwise what to tell of where it said nothing on standard error
 */
export function explainExit({ code, signal }: Exit, stderr: string, otherwise: string): LociError | null {
  if (code === 0) return null;
  const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${String(code)}`;
  return withLastWords(`the command ${how}`, stderr.trim() === '' ? otherwise : stderr);
}

/** A failure of a command with the last lines that it said, if it said any. */
export function withLastWords(message: string, said: string): LociError {
  const lines = shownText(said)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-SHOWN_LINES)
    .map((line) => (line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line).toWellFormed());
  return failed(lines.length === 0 ? message : `${message}: ${lines.join(' / ')}`);
}

function failed(message: string, hint?: string, cause?: unknown): LociError {
  return new LociError('source_failed', message, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}
