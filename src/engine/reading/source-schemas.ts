import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { Timestamp } from '../../core/types.ts';
import { errorFields, limitField } from '../fields/record-fields.ts';
import { isoTime, tookMs } from '../fields/times.ts';
import { formatCommand } from './approval/approval.ts';
import { CONDITIONS, type Condition, type SourceReport } from './reports.ts';

const time = () => z.iso.datetime().nullable();
const idInput = (): z.ZodString =>
  z.string().trim().min(1).max(128).describe('The id, as `sources list` shows it.');

/** A source with its statistics (S11). Commands, folders and errors are only shown on the command line of this machine. */
export const sourceOutput = z.strictObject({
  id: z.string().describe('The id that the other `sources` operations take.'),
  name: z.string().describe('The name that results show.'),
  kind: z.enum(['vault', 'command', 'skill', 'code', 'conversations']),
  condition: z
    .enum(CONDITIONS)
    .describe(
      'fresh; stale: not read for more than twice its interval; new: never read; failing: the last attempt failed and the last ' +
        'good documents stay; broken: it cannot run before its settings are corrected; gone: it has documents but is no longer in ' +
        'the settings; set elsewhere: other settings, such as those of a plugin of OpenClaw, had it when it was last read; imported: ' +
        'conversations that `import` has stored.',
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
  problems: z
    .array(z.string())
    .describe(
      'Problems of single documents; at most 20. Empty over HTTP and MCP: they may show paths of the machine.',
    ),
  recent_runs: z
    .array(z.strictObject({ at: z.iso.datetime(), took_ms: count(), failed: z.boolean() }))
    .exactOptional()
    .describe('The last attempts, oldest first: at most 30. Only for the owner.'),
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
    .describe(
      'What differs from the last approval, if anything does, as the lines of a patch: `- command cat a.json`, `+ command cat b.json`. ' +
        'Secrets are masked, and more than 200 files are not compared. Only on the command line.',
    ),
  hint: z
    .string()
    .exactOptional()
    .describe('How to repair a broken source, if that is known. Only on the command line.'),
});
export type SourceOutput = z.infer<typeof sourceOutput>;

export const sourceIdInput = z.strictObject({ id: idInput() });

export const listSourcesOutput = z.strictObject({
  sources: z
    .array(sourceOutput)
    .describe(
      'Vaults, then sources of the settings, then those of skills, then those that are no longer configured.',
    ),
});
export type SourcesListOutput = z.infer<typeof listSourcesOutput>;

export const pauseSourceOutput = z.strictObject({
  paused: z.boolean().describe('Whether it is paused now.'),
  changed: z.boolean().describe('Whether it was in the other state before.'),
  source: sourceOutput,
});
export type SourcesPauseOutput = z.infer<typeof pauseSourceOutput>;

export const approveSourcesInput = z.strictObject({
  ids: z
    .array(z.string().trim().min(1).max(128))
    .max(1000)
    .min(1)
    .describe('The ids of the sources, as `sources list` shows them.'),
  fingerprint: z
    .string()
    .trim()
    .min(8)
    .max(64)
    .exactOptional()
    .describe(
      'Approve a single source only if it has this fingerprint, as `sources list` or `sources show` prints it.',
    ),
});

const approvedSource = z.strictObject({
  id: z.string(),
  command: z.string().describe('The command that may run now.'),
  cwd: z.string().describe('The working folder of the command.'),
  fingerprint: z.string(),
  changes: z.array(z.string()).describe('The changes since the last approval.'),
  shell: z.boolean().describe('Whether the command is a line for a shell.'),
  watched: z
    .array(z.string())
    .describe('Files whose change needs a new approval. Programs that only root can change are left out.'),
  not_watched: z.string().describe('What may change without a new approval, unless `watch` lists it.'),
  not_watched_risk: z.boolean().describe('Whether the command may run files that nothing watches.'),
});

export const approveSourcesOutput = z.strictObject({ approved: z.array(approvedSource) });
export type SourcesApproveOutput = z.infer<typeof approveSourcesOutput>;

export const refreshSourcesInput = z.strictObject({
  ids: z
    .array(z.string().trim().min(1).max(128))
    .max(1000)
    .exactOptional()
    .describe(
      'The ids of sources and vaults; all enabled sources unless given. A paused one is read once, a disabled one is not.',
    ),
});

const refreshedSource = z.strictObject({
  id: z.string(),
  name: z.string(),
  added: count(),
  updated: count(),
  unchanged: count(),
  removed: count().describe('Documents that are no longer printed, or are too many.'),
  over_cap: count().describe('Documents that were printed and left out because of `maxDocuments`.'),
  kept: count().describe(
    'Documents that stay although the command printed none. A second empty answer removes them.',
  ),
  problems: z.array(z.string()).describe('Problems of single documents. Empty over HTTP and MCP.'),
  took_ms: tookMs(),
  error: errorFields().exactOptional().describe('Why the refresh failed; the last good documents stay.'),
});
export type RefreshedSource = z.infer<typeof refreshedSource>;
/** What a refresh of a source did. */
export type Refreshed = Omit<RefreshedSource, 'id' | 'name' | 'error'>;

export const refreshSourcesOutput = z.strictObject({ sources: z.array(refreshedSource), took_ms: tookMs() });
export type SourcesRefreshOutput = z.infer<typeof refreshSourcesOutput>;

const runs = z.strictObject({
  argv: z.array(z.string()).describe('The program and its arguments, as the system receives them.'),
  program: z.string().nullable().describe('The file that is executed; null when there is none.'),
  cwd: z.string().describe('The working folder.'),
  env: z
    .array(z.string())
    .describe('Variables that the command may read in addition to those that every program needs.'),
  shell: z.boolean().describe('Whether the command is a line for a shell.'),
  timeout_ms: count().describe('How long it may run.'),
  files: z
    .array(z.strictObject({ path: z.string(), state: z.string() }))
    .describe(
      'The watched files, each with the SHA-256 of its content, or `system` for a file that only root can change.',
    ),
  fingerprint: z.string().describe('SHA-256 of all of the above.'),
  not_watched: z.string().describe('What may change without a new approval, unless `watch` lists it.'),
  approved: z
    .strictObject({ at: z.iso.datetime(), by: z.string(), fingerprint: z.string() })
    .nullable()
    .describe('The last approval. The command runs while its fingerprint is the current one.'),
});

export const showSourceOutput = z.strictObject({
  source: sourceOutput,
  runs: runs.nullable().describe('The command; null for a vault, and for a source that cannot run.'),
});
export type SourcesShowOutput = z.infer<typeof showSourceOutput>;

export const excludedInput = z.strictObject({
  id: idInput(),
  limit: limitField(1000).describe('The highest number of entries; 100 unless given.'),
  after: z
    .number()
    .int()
    .nonnegative()
    .max(Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('`next` of the previous page.'),
});

export const excludedOutput = z.strictObject({
  excluded: z
    .array(
      z.strictObject({
        path: z.string().describe('A folder ends with `/`, and nothing below it is read.'),
        rule: z.string().describe('The rule of the settings or of Obsidian, or the problem of the file.'),
        from: z.string().nullable().describe('The file with the rule; null for a problem.'),
      }),
    )
    .describe('Files and folders, those of the same rule together.'),
  total: count(),
  next: count().nullable().describe('Where the next page begins; null on the last page.'),
  other_files: z
    .array(z.strictObject({ ending: z.string(), files: count() }))
    .describe('Files in other formats, which are not read, most frequent first.'),
});
export type SourcesExcludedOutput = z.infer<typeof excludedOutput>;

export const DEFAULT_LIMIT = 10;

export const testSourceInput = z.strictObject({
  id: idInput(),
  limit: limitField(10_000).describe(
    `The maximum number of documents to show; ${String(DEFAULT_LIMIT)} unless given.`,
  ),
});

const testedDocument = z.strictObject({
  id: z.string(),
  title: z.string().nullable(),
  text: z.string(),
  tags: z.array(z.string()),
  timestamp: z
    .union([z.iso.datetime(), z.iso.date()])
    .nullable()
    .describe('A time, or a day without a time.'),
  completed: z.boolean().nullable(),
  project: z.string().nullable(),
  url: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
});

export const testSourceOutput = z.strictObject({
  id: z.string(),
  documents: z.array(testedDocument).describe('The first documents, as they would be stored.'),
  total: count().describe('The number of good documents.'),
  printed: count().describe('The number of printed documents, including bad ones.'),
  problems: z.array(z.string()).describe('Problems of single documents.'),
  stderr: z.string().describe('The end of standard error.'),
  bytes: count().describe('The size of standard output.'),
  took_ms: tookMs(),
});
export type SourcesTestOutput = z.infer<typeof testSourceOutput>;

/** @param isOwner whether the caller is the operator, who may see commands, folders and errors */
export function formatSource(report: SourceReport, isOwner: boolean): SourceOutput {
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
    ...(isOwner && {
      recent_runs: (state?.recentRuns ?? []).map(({ at, tookMs, failed }) => ({
        at: isoTime(at),
        took_ms: tookMs,
        failed,
      })),
    }),
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
