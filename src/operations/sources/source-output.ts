import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import { formatCommand } from '../../engine/reading/approval/approval.ts';
import { hasSources, unknownSourceError } from '../../engine/reading/configured/configured-sources.ts';
import { CONDITIONS, type Condition, type SourceReport } from '../../engine/reading/reports.ts';
import { isoTime } from '../../engine/fields/times.ts';
import type { OperationContext } from '../operation.ts';
import { sourcesOf } from '../../engine/reading/sources.ts';

const time = () => z.iso.datetime().nullable();
const count = () => z.number().int().nonnegative();

/** A source with its statistics (S11). Commands, folders and errors are only shown on the command line of this machine. */
export const sourceOutput = z.strictObject({
  id: z.string().describe('The id that the other `sources` operations take.'),
  name: z.string().describe('The name that results show.'),
  kind: z.enum(['vault', 'command', 'skill', 'code']),
  condition: z
    .enum(CONDITIONS)
    .describe(
      'fresh; stale: not read for more than twice its interval; new: never read; failing: the last attempt failed and the last ' +
        'good documents stay; broken: it cannot run before its settings are corrected; gone: it has documents but is no longer in ' +
        'the settings.',
    ),
  documents: count().describe('Documents, or notes, in the store.'),
  hits: count().describe('Searches that found at least one of its documents.'),
  last_hit: time(),
  last_refresh: time().describe('When it was last read successfully; null: never.'),
  last_try: time(),
  next_refresh: time().describe(
    'When it is due again; null: at once, or not at all in its present condition.',
  ),
  took_ms: count().nullable().describe('How long the last attempt took.'),
  refresh_interval_ms: count().nullable(),
  refreshes: count().describe('Successful refreshes.'),
  consecutive_failures: count().describe('Failed attempts since the last successful one.'),
  total_failures: count().describe('All failed attempts.'),
  error: z
    .string()
    .nullable()
    .describe('Why the last attempt failed; outside of the command line, only that it failed.'),
  problems: z.array(z.string()).describe('Problems of single documents; at most 20.'),
  command: z.string().exactOptional().describe('Its command. Only on the command line.'),
  folder: z.string().exactOptional().describe('The folder of a vault or a skill. Only on the command line.'),
  fingerprint: z
    .string()
    .exactOptional()
    .describe(
      'The fingerprint of the command, its folder and the watched files, for `sources-approve`. Only on the command line.',
    ),
  changes: z
    .array(z.string())
    .exactOptional()
    .describe('The changes since the approval, if there are any. Only on the command line.'),
  hint: z
    .string()
    .exactOptional()
    .describe('How to repair a broken source, if that is known. Only on the command line.'),
});
export type SourceOutput = z.infer<typeof sourceOutput>;

/** @param isOwner whether the caller is the operator, who may see commands, folders and errors */
export function toSourceOutput(report: SourceReport, isOwner: boolean): SourceOutput {
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
    next_refresh: isRefreshed(condition) ? timeOrNull(state?.nextAt) : null,
    took_ms: state?.tookMs ?? null,
    refresh_interval_ms: report.refreshInterval,
    refreshes: state?.refreshes ?? 0,
    consecutive_failures: state?.consecutiveFailures ?? 0,
    total_failures: state?.totalFailures ?? 0,
    error: isOwner || report.error === null ? report.error : failureNotice(id),
    // Problems may quote parts of documents that are not stored.
    problems: isOwner ? [...(state?.problems ?? [])] : [],
    ...(isOwner &&
      report.command !== null && {
        command: formatCommand(report.command.argv),
        fingerprint: report.command.fingerprint.slice(0, FINGERPRINT_LENGTH),
      }),
    ...(isOwner && report.changes.length > 0 && { changes: [...report.changes] }),
    ...(isOwner && report.hint !== null && { hint: report.hint }),
    ...(isOwner && report.folder !== null && { folder: report.folder }),
  };
}

/** Whether the source is refreshed again without any action of the operator. */
function isRefreshed(condition: Condition): boolean {
  return ['fresh', 'stale', 'new', 'failing'].includes(condition);
}

/** Replaces an error that may name folders and programs, and may quote their output. */
export function failureNotice(id: string): string {
  return `it failed; \`loci sources show ${id}\` on the machine of Loci shows the error`;
}

/** Characters of a fingerprint that are shown. They suffice to identify a command. */
export const FINGERPRINT_LENGTH = 16;

function timeOrNull(at: Timestamp | null | undefined): string | null {
  return at === null || at === undefined ? null : isoTime(at);
}

export const idInput = (): z.ZodString =>
  z.string().trim().min(1).max(128).describe('The id, as `sources list` shows it.');

/**
 * Opens the engine. For the operator, a missing store is created when there are sources or skills, because listing them is the first
 * step with a new source.
 * @throws LociError `store_not_found` when there are no sources either
 */
export async function openForSources(context: OperationContext): ReturnType<OperationContext['loci']> {
  if (context.machine === undefined) return context.loci();
  const { values } = await context.loadConfig();
  return context.loci({ create: await hasSources(values) });
}

/** @throws LociError `not_found` that suggests the nearest */
export async function requireReport(context: OperationContext, id: string): Promise<SourceReport> {
  const reports = await sourcesOf(await openForSources(context)).list();
  const report = reports.find((each) => each.id === id) ?? reports.find((each) => each.name === id);
  if (report !== undefined) return report;
  throw unknownSourceError(
    id,
    reports.map((each) => each.id),
  );
}
