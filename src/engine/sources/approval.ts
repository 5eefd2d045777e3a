import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import { sha256 } from '../../core/hash.ts';
import { SECRET_DETECTION } from '../../secrets/detect.ts';
import { maskSecrets } from '../../secrets/mask.ts';
import { openSource, seenByCommands } from '../../sources/registry.ts';
import type { SourceState } from '../../store/source-states.ts';
import type { EngineContext } from '../context.ts';
import { approvedOf, type Approved, type Noted } from './approved.ts';
import type { ConfiguredSource } from './configured.ts';
import { skillFiles } from './skill-files.ts';
import { findProgram, type StartedFile } from './started-file.ts';
import { startedFiles } from './started-files.ts';

/** What is approved: exactly this command, in this folder, with these files as they are now. */
export interface Approvable {
  /** SHA-256 of all of it, hexadecimal. */
  readonly fingerprint: string;
  readonly argv: readonly string[];
  /** The file that is started; `null` when there is none. */
  readonly program: string | null;
  readonly cwd: string;
  /** The folder that `cwd` leads to. */
  readonly folder: string;
  readonly env: readonly string[];
  readonly files: readonly StartedFile[];
}

/** Grows when the same things would be hashed differently, so that everything is asked again. */
const VERSION = 1;

/**
 * @param approved where the program was found when it was approved: an agent's host may have another PATH, and what runs
 *   there is the same file
 * @throws LociError `invalid_config` for a command that cannot be split; `not_approved` for a skill that is too large
 */
export async function approvable(source: ConfiguredSource, approved: Approved | null): Promise<Approvable> {
  const { settings, cwd, skill } = source;
  const { argv } = await openSource('command', { ...settings, cwd, env: process.env, allowed: settings.env });
  const [first = '', ...args] = argv;
  const program =
    (approved === null ? null : await sameProgram(approved.program, first, cwd)) ??
    (await findProgram(first, cwd, process.env['PATH'] ?? ''));
  const sees = await seenByCommands(process.env, settings.env);
  const started =
    program === null ? [] : await readable(source, startedFiles(program, args, { cwd, env: sees }));
  const files = [...started, ...(skill === null ? [] : await readable(source, skillFiles(skill)))];
  const env = settings.env.toSorted();
  const folder = await realpath(cwd).catch(() => cwd);
  const told = [VERSION, argv, program, cwd, folder, env, files.map(({ path, state }) => [path, state])];
  return { fingerprint: sha256(JSON.stringify(told)), argv, program, cwd, folder, env, files };
}

/** The same as it is noted when it is approved: programs are given keys as arguments, and the store is to hold none. */
export async function notedOf(
  { thread }: EngineContext,
  { argv, program, cwd, folder, env, files }: Approvable,
): Promise<Noted> {
  const words = commandInWords(argv);
  const secrets = await thread.run(SECRET_DETECTION, [words], { size: words.length });
  return { command: maskSecrets(words, secrets), program, cwd, folder, env, files };
}

/** The approved file, where it is still what the command names. */
async function sameProgram(program: string, name: string, cwd: string): Promise<string | null> {
  if (name.includes('/') || basename(program) !== name) return null;
  return findProgram(program, cwd, '');
}

async function readable<Files>({ id }: ConfiguredSource, files: Promise<Files>): Promise<Files> {
  try {
    return await files;
  } catch (error) {
    if (error instanceof LociError) throw error;
    throw new LociError('not_approved', `what ${id} starts cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** How far a source may run. */
export type Approval = 'approved' | 'waiting' | 'changed';

export function approvalOf(
  { config, trustsSettings }: EngineContext,
  source: ConfiguredSource,
  { fingerprint }: Approvable,
  state: Pick<SourceState, 'approval'> | undefined,
): Approval {
  const isOperatorsWord =
    trustsSettings && source.skill === null && config.sources.some(({ id }) => id === source.id);
  const approved = approvedOf(state);
  if (isOperatorsWord || approved?.fingerprint === fingerprint) return 'approved';
  return approved === null ? 'waiting' : 'changed';
}

/** @throws LociError `not_approved` */
export function assertApproved(source: ConfiguredSource, { argv }: Approvable, approval: Approval): void {
  if (approval === 'approved') return;
  const why =
    approval === 'changed'
      ? 'was approved, and its command, its folder or what it starts has changed since'
      : 'was not approved yet';
  throw new LociError('not_approved', `${source.id} ${why}: ${commandInWords(argv)}`, {
    hint: `\`loci sources show ${source.id}\` shows what would run; \`loci sources approve ${source.id}\` allows it.`,
  });
}

/** As one could type it into a shell. */
export function commandInWords(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
