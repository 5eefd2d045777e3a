import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import { formatCommand } from '../../engine/sources/approval.ts';
import { noSuchSource } from '../../engine/sources/configured.ts';
import { CONDITIONS, type Condition, type SourceReport } from '../../engine/sources/reports.ts';
import { isoTime } from '../shared/times.ts';
import type { OperationContext } from '../operation.ts';

const KINDS = ['vault', 'command', 'skill'] as const;

/** A source as the verbs tell of it: its statistics (S11). */
export interface SourceOutput {
  readonly id: string;
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  readonly condition: Condition;
  readonly documents: number;
  readonly hits: number;
  readonly last_hit: string | null;
  readonly last_refresh: string | null;
  readonly last_try: string | null;
  readonly next_refresh: string | null;
  readonly took_ms: number | null;
  readonly refresh_interval_ms: number | null;
  readonly refreshes: number;
  readonly failures: number;
  readonly failed: number;
  readonly error: string | null;
  readonly problems: string[];
  readonly command?: string;
  readonly folder?: string;
  readonly fingerprint?: string;
  readonly changes?: string[];
  readonly hint?: string;
}

const time = () => z.iso.datetime().nullable();
const count = () => z.number().int().nonnegative();

/** Fields of `SourceOutput`. */
const sourceFields: {
  [Name in keyof SourceOutput]-?: z.ZodType<Exclude<SourceOutput[Name], undefined>>;
} = {
  id: z.string().describe('What the other `sources` verbs take.'),
  name: z.string().describe('What results call it.'),
  kind: z.enum(KINDS),
  condition: z
    .enum(CONDITIONS)
    .describe(
      'fresh; stale: nobody has read it for more than twice its interval; new: never read; failing: the last good documents ' +
        'are kept; broken: it cannot be run as it stands; gone: nothing in the settings brings its documents any more.',
    ),
  documents: count().describe('Documents, or notes, in the store.'),
  hits: count().describe('Searches that some of them were among the results of.'),
  last_hit: time(),
  last_refresh: time().describe('When it was last read with success; null: never.'),
  last_try: time(),
  next_refresh: time().describe(
    'When whoever stays open reads it next; null: as soon as somebody does, or not at all as its condition is.',
  ),
  took_ms: count().nullable().describe('How long the last attempt took.'),
  refresh_interval_ms: count().nullable(),
  refreshes: count().describe('How often it was read with success.'),
  failures: count().describe('How often it has failed since then.'),
  failed: count().describe('How often it has failed in all.'),
  error: z
    .string()
    .nullable()
    .describe('What the last attempt failed with; elsewhere than on the command line, only that it failed.'),
  problems: z.array(z.string()).describe('What was wrong with single documents; at most 20.'),
  command: z.string().describe('What runs. On the command line alone.'),
  folder: z
    .string()
    .describe('Of a vault, its folder; of a skill, that of the skill. On the command line alone.'),
  fingerprint: z
    .string()
    .describe(
      'Of the command, its folder and the files it starts: what `sources-approve` approves. On the command line alone.',
    ),
  changes: z
    .array(z.string())
    .describe(
      'What of that is different from what was approved, where something is. On the command line alone.',
    ),
  hint: z
    .string()
    .describe('What to do about what is broken, where that is known. On the command line alone.'),
};

const { command, folder, fingerprint, changes, hint, ...told } = sourceFields;

export const sourceOutput: z.ZodType<SourceOutput> = z.strictObject({
  ...told,
  command: command.exactOptional(),
  folder: folder.exactOptional(),
  fingerprint: fingerprint.exactOptional(),
  changes: changes.exactOptional(),
  hint: hint.exactOptional(),
});

/** `isOwner`: whoever sits at this machine learns what runs there. */
export function outputOf(report: SourceReport, isOwner: boolean): SourceOutput {
  const { id, name, kind, condition, documents, state } = report;
  return {
    id,
    name,
    kind,
    condition,
    documents,
    hits: state?.hits ?? 0,
    last_hit: timeOrNull(state?.hitAt),
    last_refresh: timeOrNull(state?.readAt),
    last_try: timeOrNull(state?.triedAt),
    next_refresh: isKeptFresh(condition) ? timeOrNull(state?.nextAt) : null,
    took_ms: state?.tookMs ?? null,
    refresh_interval_ms: report.refreshInterval,
    refreshes: state?.refreshes ?? 0,
    failures: state?.failures ?? 0,
    failed: state?.failed ?? 0,
    error: isOwner || report.error === null ? report.error : untold(id),
    // They quote what is not to be stored.
    problems: isOwner ? [...(state?.problems ?? [])] : [],
    ...(isOwner &&
      report.command !== null && {
        command: formatCommand(report.command.argv),
        fingerprint: report.command.fingerprint.slice(0, SHOWN),
      }),
    ...(isOwner && report.changes.length > 0 && { changes: [...report.changes] }),
    ...(isOwner && report.hint !== null && { hint: report.hint }),
    ...(isOwner && report.folder !== null && { folder: report.folder }),
  };
}

/** Whether it is read again without anybody doing anything about it. */
function isKeptFresh(condition: Condition): boolean {
  return ['fresh', 'stale', 'new', 'failing'].includes(condition);
}

/** Errors name folders and programs, and hold what programs of others said. */
export function untold(id: string): string {
  return `it failed; \`loci sources show ${id}\` on the machine of Loci says how`;
}

/** Characters of a fingerprint that are told: nobody finds another command with the same ones. */
export const SHOWN = 16;

function timeOrNull(at: Timestamp | null | undefined): string | null {
  return at === null || at === undefined ? null : isoTime(at);
}

export const idInput = (): z.ZodString =>
  z.string().trim().min(1).max(128).describe('Its id, as `sources list` shows it.');

/**
 * The memory whose sources are meant. Whoever names sources before anything is stored sees them all the same: a list is
 * where one looks first.
 * @throws LociError `store_not_found` where there is nothing to see yet
 */
export async function memoryOfSources(context: OperationContext): ReturnType<OperationContext['loci']> {
  const { sources, skills } = (await context.loadConfig()).values;
  const create = context.machine !== undefined && sources.length + skills.length > 0;
  return context.loci({ create });
}

/** The report of one source. @throws LociError `not_found` that suggests the nearest */
export async function reportOf(context: OperationContext, id: string): Promise<SourceReport> {
  const reports = await (await memoryOfSources(context)).sources.list();
  const report = reports.find((each) => each.id === id) ?? reports.find((each) => each.name === id);
  if (report !== undefined) return report;
  throw noSuchSource(
    id,
    reports.map((each) => each.id),
  );
}
