import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { LociError, messageOf } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { maskDetected } from '../../../secrets/detect.ts';
import { openSource } from '../../../sources/registry.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import type { EngineContext } from '../../context.ts';
import {
  FINGERPRINT_VERSION,
  parseApproval,
  type ApprovalDetails,
  type RecordedApproval,
} from './approval-record.ts';
import type { ConfiguredCommand } from '../configured/configured-sources.ts';
import { findProgram, watchedFiles, type WatchedFile, INLINE_CODE, INTERPRETERS } from './watched-files.ts';

/** Exactly what would run now, and what an approval covers. */
export interface ResolvedCommand {
  /** SHA-256 of everything below, hexadecimal. */
  readonly fingerprint: string;
  readonly argv: readonly string[];
  /** The file that is executed; `null` when there is none. */
  readonly program: string | null;
  readonly cwd: string;
  /** The real path of `cwd`. */
  readonly realCwd: string;
  /** Names of the variables that the command may read. */
  readonly env: readonly string[];
  readonly files: readonly WatchedFile[];
  /** Whether the command is a line for a shell. Files that the line starts are not watched. */
  readonly shell: boolean;
}

/**
 * @param approved the recorded approval, whose program is used even if PATH now finds another: an agent that runs Loci may
 *   have its own PATH
 * @throws LociError `invalid_config` for a command that cannot be split; `not_approved` when a file cannot be watched
 */
export async function resolveCommand(
  source: ConfiguredCommand,
  approved: RecordedApproval | null,
): Promise<ResolvedCommand> {
  const { settings, cwd, skill } = source;
  const { shell, watch } = settings;
  const { argv } = await openSource('command', { ...settings, cwd, env: process.env, allowed: settings.env });
  const [name = '', ...args] = argv;
  const program =
    (await approvedProgram(approved?.details?.program ?? null, name, cwd)) ??
    (await findProgram(name, cwd, process.env['PATH'] ?? ''));
  const files = await readable(source, watchedFiles({ program, args, cwd, watch, skill }));
  const env = settings.env.toSorted();
  const realCwd = await realpath(cwd).catch(() => cwd);
  const states = files.map(({ path, state }) => [path, state]);
  const fingerprint = sha256(JSON.stringify([FINGERPRINT_VERSION, argv, program, cwd, realCwd, env, states]));
  return { fingerprint, argv, program, cwd, realCwd, env, files, shell };
}

/** The details that are recorded with the approval. Secrets are masked, because a command may have keys among its arguments. */
export async function approvalDetails(
  { thread }: EngineContext,
  { argv, program, cwd, realCwd, env, files }: ResolvedCommand,
): Promise<ApprovalDetails> {
  const command = await maskDetected(thread, formatCommand(argv));
  return { version: FINGERPRINT_VERSION, command, program, cwd, realCwd, env, files };
}

/** The approved program, if the command still names it. */
async function approvedProgram(program: string | null, name: string, cwd: string): Promise<string | null> {
  if (program === null || name.includes('/') || basename(program) !== name) return null;
  return findProgram(program, cwd, '');
}

async function readable<Files>({ id }: ConfiguredCommand, files: Promise<Files>): Promise<Files> {
  try {
    return await files;
  } catch (error) {
    if (error instanceof LociError) throw error;
    throw new LociError('not_approved', `a watched file of ${id} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** `unreadable`: there is a recorded approval, but another version of Loci wrote it, or it is damaged. */
type ApprovalStatus = 'approved' | 'missing' | 'changed' | 'unreadable';

export function approvalStatus(
  { config, trustsSettings }: EngineContext,
  source: ConfiguredCommand,
  { fingerprint }: ResolvedCommand,
  state: Pick<SourceState, 'approval'> | null | undefined,
): ApprovalStatus {
  const isTrusted =
    trustsSettings && source.skill === null && config.sources.some(({ id }) => id === source.id);
  const approved = parseApproval(state);
  if (isTrusted || approved?.fingerprint === fingerprint) return 'approved';
  if (approved === null) return 'missing';
  return approved.details === null ? 'unreadable' : 'changed';
}

const REFUSALS: Readonly<Record<Exclude<ApprovalStatus, 'approved'>, string>> = {
  missing: 'was not approved yet',
  changed: 'was approved, and its command, folder, variables or watched files have changed since',
  unreadable:
    'must be approved again, because its approval was recorded by another version of Loci or is damaged',
};

/** @throws LociError `not_approved` */
export function assertApproved(
  { id }: ConfiguredCommand,
  { argv }: ResolvedCommand,
  status: ApprovalStatus,
): void {
  if (status === 'approved') return;
  throw new LociError('not_approved', `${id} ${REFUSALS[status]} (command: ${formatCommand(argv)})`, {
    hint: `\`loci sources show ${id}\` shows what would run; \`loci sources approve ${id}\` allows it.`,
  });
}

/** The command as one could type it into a shell. */
export function formatCommand(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Programs that start what a file of theirs, a package or their arguments name. */
const LAUNCHERS =
  /^(?:g?make|just|task|ninja|rake|gradlew?|mvnw?|ant|npm|npx|pnpm|yarn|bunx?|deno|cargo|go|uvx?|pipx?|poetry|docker|podman|ssh|xargs|parallel|find|timeout|nice|nohup|sudo|doas|watch|busybox)$/;

/** What an approval does not cover. */
interface Unwatched {
  readonly text: string;
  /** Whether the command may run files that nothing watches. */
  readonly isRisk: boolean;
}

/** What the command may run or load although the approval does not cover it. */
export function unwatched({ argv, program, shell, files }: ResolvedCommand): Unwatched {
  const name = basename(program ?? argv[0] ?? '');
  if (shell) return { text: 'files that the line for the shell starts', isRisk: true };
  if (LAUNCHERS.test(name))
    return {
      text: `what ${name} reads or starts by itself, such as a Makefile, a package or the program that it is given`,
      isRisk: true,
    };
  if (!INTERPRETERS.test(name)) return { text: `what ${name} loads or starts`, isRisk: false };
  if (argv.some((argument) => INLINE_CODE.test(argument)))
    return { text: `files that the code for ${name} loads or starts`, isRisk: true };
  if (files.every(({ path }) => path === program))
    return { text: `what ${name} runs: no argument is a file or a folder that exists`, isRisk: true };
  return { text: 'what the watched code loads or starts from elsewhere', isRisk: false };
}
