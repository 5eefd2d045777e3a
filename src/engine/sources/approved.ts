import { z } from 'zod';
import type { SourceState } from '../../store/source-states.ts';
import type { StartedFile } from './started-file.ts';

/** What is noted of a command when it is approved, so that it can be told later what has changed since. */
export interface Noted {
  /** In words, with its secrets masked. */
  readonly command: string;
  readonly program: string | null;
  readonly cwd: string;
  /** The folder that `cwd` leads to. */
  readonly folder: string;
  /** Names of variables. */
  readonly env: readonly string[];
  /** `null` where there are too many to be noted. */
  readonly files: readonly StartedFile[] | null;
}

/** What was approved, as the state of a source has it. */
export interface Approved {
  readonly fingerprint: string;
  /** The file that was started. */
  readonly program: string;
  /** `null` of an approval by an earlier Loci, which noted the program alone. */
  readonly noted: Noted | null;
}

const noted: z.ZodType<Noted> = z.object({
  command: z.string(),
  program: z.string().nullable(),
  cwd: z.string(),
  folder: z.string(),
  env: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), state: z.string() })).nullable(),
});
/** What approves nothing, and says so: a new approval takes its place. */
const DAMAGED: Approved = { fingerprint: '', program: '', noted: null };
const MOST_FILES = 200;
/** Characters of a hash that tell one state of a file from the next. */
const ENOUGH = 16;
const MOST_CHANGES = 20;
const UNKNOWN = 'what it was before was not noted';

/** The fingerprint, then what is noted. */
export function approvalText(fingerprint: string, noted: Noted): string {
  const files = noted.files?.map(({ path, state }) => ({ path, state: shortened(state) })) ?? [];
  return `${fingerprint} ${JSON.stringify({ ...noted, files: files.length > MOST_FILES ? null : files })}`;
}

/** What is noted there and cannot be read counts as the approval of nothing. */
export function approvedOf(state: Pick<SourceState, 'approval'> | null | undefined): Approved | null {
  const approval = state?.approval ?? null;
  if (approval === null) return null;
  const [fingerprint = ''] = approval.split(' ', 1);
  const rest = approval.slice(fingerprint.length + 1);
  if (rest.startsWith('/')) return { fingerprint, program: rest, noted: null };
  const read = noted.safeParse(parsed(rest));
  return read.success ? { fingerprint, program: read.data.program ?? '', noted: read.data } : DAMAGED;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is different from what was approved, a line each; at least one. */
export function changesSince({ noted: before }: Approved, now: Noted): string[] {
  if (before === null) return [UNKNOWN];
  const changes = [
    ...(before.command === now.command ? [] : [`command: ${before.command} → ${now.command}`]),
    ...folderChange(before, now),
    ...variableChange(before, now),
    ...(now.program === null
      ? [`program: ${before.program ?? ''} → there is none of that name`]
      : fileChanges(before, now)),
  ];
  const more = changes.length - MOST_CHANGES;
  if (more > 0) return [...changes.slice(0, MOST_CHANGES), `… and ${String(more)} more`];
  return changes.length === 0 ? [unnoted(before)] : changes;
}

function folderChange(before: Noted, now: Noted): string[] {
  if (before.cwd !== now.cwd) return [`folder: ${before.cwd} → ${now.cwd}`];
  if (before.folder === now.folder) return [];
  return [`folder: ${now.cwd} leads to ${now.folder}, no longer to ${before.folder}`];
}

function variableChange(before: Noted, now: Noted): string[] {
  const added = now.env.filter((name) => !before.env.includes(name));
  const gone = before.env.filter((name) => !now.env.includes(name));
  const told = [
    ...(added.length === 0 ? [] : [`sees ${added.join(', ')} too`]),
    ...(gone.length === 0 ? [] : [`no longer sees ${gone.join(', ')}`]),
  ];
  return told.length === 0 ? [] : [`variables: ${told.join('; ')}`];
}

function fileChanges({ files: before }: Noted, { files: now }: Noted): string[] {
  if (before === null) return [];
  const present = new Map(now?.map(({ path, state }) => [path, shortened(state)]));
  const former = new Map(before.map(({ path, state }) => [path, state]));
  return [
    ...[...present].flatMap(([path, state]) => {
      const known = former.get(path);
      if (known === undefined) return [`new: ${path}`];
      return known === state ? [] : [`changed: ${path}`];
    }),
    ...[...former.keys()].filter((path) => !present.has(path)).map((path) => `gone: ${path}`),
  ];
}

function unnoted({ command, files }: Noted): string {
  if (files === null) return 'files: one of many';
  return command.includes('[secret masked') ? 'command: a secret in it' : UNKNOWN;
}

/** Of a link, what it leads to stands behind the hash. */
function shortened(state: string): string {
  return state.replace(/^[0-9a-f]{64}/, (hash) => hash.slice(0, ENOUGH));
}
