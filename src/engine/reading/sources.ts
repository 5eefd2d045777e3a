import type { z } from 'zod';
import { LociError, messageOf } from '../../core/errors.ts';
import { dayText } from '../../core/time/whole-day.ts';
import type { Closable, EngineContext } from '../context.ts';
import { embedNew } from './embed-new.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import {
  assertVaultNamesAreFree,
  isEnabled,
  vaultName,
  vaultsOfNamespace,
} from './configured/vault-names.ts';
import { isoTime, millisecondsSince } from '../fields/times.ts';
import { unwatched } from './approval/approval.ts';
import { parseApproval } from './approval/approval-record.ts';
import {
  configuredSources,
  requireSource,
  unknownSourceError,
  type ConfiguredSource,
} from './configured/configured-sources.ts';
import {
  RegisteredSources,
  type ReadOnlyMemorySource,
  type Registration,
} from './configured/registered-sources.ts';
import { RefreshScheduler, type RefreshSchedulerOptions } from './refresh-scheduler.ts';
import { fetchForTest, NOTHING_REFRESHED, refreshSource } from './refresh/refresh.ts';
import { refreshVault, vaultSource } from './refresh/refresh-vault.ts';
import { formatNoteProblem, formatProblem } from './refresh/refresh-attempt.ts';
import { isUnconfigured, sourceReports, type SourceReport } from './reports.ts';
import {
  DEFAULT_LIMIT,
  failureNotice,
  formatSource,
  type Refreshed,
  type RefreshedSource,
  type refreshSourcesInput,
  type sourceIdInput,
  type SourcesListOutput,
  type SourcesPauseOutput,
  type SourcesRefreshOutput,
  type SourcesShowOutput,
  type SourcesTestOutput,
  type testSourceInput,
  type excludedInput,
  type SourcesExcludedOutput,
} from './source-schemas.ts';
import { sourceStateChange } from '../../store/items/kinds.ts';

interface ViewerOptions extends ProgressOptions {
  /** Whether the caller may see commands, folders and errors. */
  readonly isOwner?: boolean;
}

/** Refreshes vaults and sources when they are due, until the engine or the returned object is closed. */
export function keepFresh(context: EngineContext, options: RefreshSchedulerOptions = {}): Closable {
  const scheduler = new RefreshScheduler(context, options);
  scheduler.start();
  return context.closeWithEngine(scheduler);
}

export async function listSources(
  context: EngineContext,
  { isOwner = false }: ViewerOptions = {},
): Promise<SourcesListOutput> {
  return { sources: (await sourceReports(context)).map((report) => formatSource(report, isOwner)) };
}

/** @throws LociError `not_found` that suggests the nearest */
export async function requireReport(context: EngineContext, id: string): Promise<SourceReport> {
  return reportOf(await sourceReports(context), id);
}

/** The report with this id, or else the one with this display name. @throws LociError `not_found` */
function reportOf(reports: readonly SourceReport[], id: string): SourceReport {
  const report = reports.find((each) => each.id === id) ?? reports.find((each) => each.name === id);
  if (report !== undefined) return report;
  throw unknownSourceError(
    id,
    reports.map((each) => each.id),
  );
}

/** Everything about a source, for its owner. @throws LociError `not_found` */
export async function showSource(
  context: EngineContext,
  { id }: z.infer<typeof sourceIdInput>,
): Promise<SourcesShowOutput> {
  const report = await requireReport(context, id);
  const source = formatSource(report, true);
  const { command, timeoutMs, state } = report;
  if (command === null || timeoutMs === null) return { source, runs: null };
  const approved = parseApproval(state);
  return {
    source,
    runs: {
      argv: [...command.argv],
      program: command.program,
      cwd: command.cwd,
      env: [...command.env],
      shell: command.shell,
      timeout_ms: timeoutMs,
      files: command.files.map((file) => ({ ...file })),
      fingerprint: command.fingerprint,
      not_watched: unwatched(command).text,
      approved:
        approved === null
          ? null
          : {
              at: isoTime(state?.approvedAt ?? 0),
              by: state?.approvedBy ?? '',
              fingerprint: approved.fingerprint,
            },
    },
  };
}

/**
 * Adds a source whose documents a function of this program returns, until it is unregistered or the engine is closed. Its
 * documents are treated like those of commands; it needs no approval.
 * @throws LociError `invalid_input`; `conflict` when another source or vault has the id; `forbidden` for a caller of another
 *   namespace than that of the settings
 */
export function registerSource(context: EngineContext, source: ReadOnlyMemorySource): Registration {
  const { config, namespace } = context;
  if (namespace !== config.namespace)
    throw new LociError('forbidden', `only the namespace ${config.namespace} has sources`, {
      hint: 'Register the source with the engine that openLoci() returned.',
    });
  return context
    .shared(RegisteredSources)
    .register(source, [...config.vaults.map(vaultName), ...config.sources.map(({ id }) => id)]);
}

/** Does work that is stopped and awaited when the engine closes. */
async function whileOpen<Result>(
  context: EngineContext,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const running = work(signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]));
  const registration = context.closeWithEngine({
    close: async () => {
      closing.abort(new LociError('aborted', 'Loci is closing'));
      await running.catch(() => undefined);
    },
  });
  try {
    return await running;
  } finally {
    await registration.close();
  }
}

/**
 * Runs the named commands and reads the named vaults, or runs all enabled commands, even if they are paused. The failure of one does
 * not affect the others. A named source that is disabled is a `conflict`.
 * @throws LociError `not_found` for an id that no source has; `aborted`
 */
export async function refreshSources(
  context: EngineContext,
  { ids }: z.infer<typeof refreshSourcesInput> = {},
  options: ViewerOptions = {},
): Promise<SourcesRefreshOutput> {
  const started = performance.now();
  const sources = await whileOpen(context, options.signal, (signal) =>
    refreshSelected(context, ids, { ...options, signal }),
  );
  return { sources, took_ms: millisecondsSince(started) };
}

async function refreshSelected(
  context: EngineContext,
  ids: readonly string[] | undefined,
  options: ViewerOptions,
): Promise<RefreshedSource[]> {
  const configured = await configuredSources(context);
  const vaults = vaultsOfNamespace(context);
  const selected =
    ids === undefined
      ? configured.sources.filter(({ settings }) => settings.enabled)
      : [...new Set(ids)].map(
          (id) => vaults.find((vault) => vaultName(vault) === id) ?? requireSource(configured, id),
        );
  const results = await Promise.all(selected.map((source) => refreshOne(context, source, options)));
  if (options.signal?.aborted === true) throw new LociError('aborted', 'refreshing was stopped');
  if (results.some(({ added, updated }) => added + updated > 0)) {
    // Without a model, the documents are found by text, and embedded later (R16).
    await embedNew(context, options).catch((error: unknown) => {
      if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    });
  }
  await context.updateRelations(options);
  return results;
}

async function refreshOne(
  context: EngineContext,
  source: ConfiguredSource | VaultConfig,
  options: ViewerOptions,
): Promise<RefreshedSource> {
  const isVault = !('kind' in source);
  const [id, name] = isVault ? [vaultName(source), vaultName(source)] : [source.id, source.name];
  const isOwner = options.isOwner ?? false;
  try {
    const { problems, ...counts } = isVault
      ? await readVault(context, source, options)
      : await runSource(context, source, options);
    return { id, name, ...counts, problems: isOwner ? problems : [] };
  } catch (cause) {
    const error = cause instanceof LociError ? cause : new LociError('internal', messageOf(cause), { cause });
    // A remote caller learns that a source failed, but not its error.
    const message = isOwner ? error.message : failureNotice(id);
    return { id, name, ...NOTHING_REFRESHED, error: { code: error.code, message, hint: error.hint } };
  }
}

async function runSource(
  context: EngineContext,
  source: ConfiguredSource,
  options: ViewerOptions,
): Promise<Refreshed> {
  const { id, name, kind, settings } = source;
  const notify = (stage: 'reading' | 'waiting', subject: string): void =>
    options.onProgress?.({ stage, subject, done: 0, total: 0 });
  if (!settings.enabled) {
    const isOfSkill = kind === 'command' && source.skill !== null;
    const place = kind === 'code' ? 'the program' : isOfSkill ? 'its SKILL.md' : 'loci.yaml';
    throw disabledError(id, place, ` \`loci sources test ${id}\` runs it anyway, and stores nothing.`);
  }
  return refreshSource(context, source, {
    wait: true,
    onWait: (process) => notify('waiting', `${process} to read ${name}`),
    onAcquired: () => notify('reading', name),
    ...pickSignal(options),
  });
}

async function readVault(
  context: EngineContext,
  vault: VaultConfig,
  options: ViewerOptions,
): Promise<Refreshed> {
  const started = performance.now();
  if (!isEnabled(vault)) throw disabledError(vaultName(vault), 'loci.yaml');
  await assertVaultNamesAreFree(context, [vault]);
  const report = await refreshVault(context, vault, { ...options, wait: true });
  const { added, updated, renamed, unchanged, removed } = report;
  return {
    ...{ added, updated: updated + renamed, unchanged, removed, over_cap: 0, kept: 0 },
    problems: report.problems.map(formatNoteProblem),
    took_ms: millisecondsSince(started),
  };
}

/** The documents of a disabled source are never found, so it is not refreshed. */
function disabledError(id: string, place: string, advice = ''): LociError {
  return new LociError('conflict', `${id} is disabled: its settings have \`enabled: false\``, {
    hint: `Remove that from ${place} first.${advice}`,
  });
}

/**
 * Pauses or resumes a source in any condition, also one that cannot run. A paused source or vault is not refreshed automatically; a
 * refresh that is running is not stopped.
 * @throws LociError `not_found`
 */
export async function pauseSource(
  context: EngineContext,
  given: z.infer<typeof sourceIdInput>,
  paused: boolean,
  { isOwner = false }: ViewerOptions = {},
): Promise<SourcesPauseOutput> {
  const reports = await sourceReports(context);
  const isPausable = ({ condition }: SourceReport): boolean => !isUnconfigured(condition);
  const { id, state } = reportOf(reports.filter(isPausable), given.id);
  const changed = (state?.paused ?? false) !== paused;
  const change = { paused, ...(paused ? {} : { nextAt: null }) };
  if (changed)
    await context.store.records.commit(context.namespace, { items: [sourceStateChange(id, change)] });
  return { paused, changed, source: formatSource(await requireReport(context, id), isOwner) };
}

/** Runs the command once and stores nothing. @throws LociError `not_approved`, `source_failed` … */
export async function testSource(
  context: EngineContext,
  { id, limit = DEFAULT_LIMIT }: z.infer<typeof testSourceInput>,
  { signal }: ProgressOptions = {},
): Promise<SourcesTestOutput> {
  const fetched = await whileOpen(context, signal, async (anySignal) =>
    fetchForTest(context, requireSource(await configuredSources(context), id), anySignal),
  );
  return {
    id,
    documents: fetched.documents.slice(0, limit).map(({ timestamp, wholeDay, tags, ...document }) => ({
      ...document,
      tags: [...tags],
      timestamp: timestamp === null ? null : wholeDay ? dayText(timestamp) : isoTime(timestamp),
    })),
    total: fetched.documents.length,
    printed: fetched.printed,
    problems: fetched.problems.map(formatProblem),
    stderr: fetched.stderr,
    bytes: fetched.bytes,
    took_ms: Math.round(fetched.milliseconds),
  };
}

const PAGE_SIZE = 100;

/**
 * What a vault leaves out, found by listing its folder without reading the notes.
 * @throws LociError `not_found` for a name that no vault has; `unreadable`
 */
export async function excludedFiles(
  context: EngineContext,
  { id, limit = PAGE_SIZE, after = 0 }: z.infer<typeof excludedInput>,
  options: ProgressOptions = {},
): Promise<SourcesExcludedOutput> {
  const vaults = vaultsOfNamespace(context);
  const vault = vaults.find((each) => vaultName(each) === id);
  if (vault === undefined) throw unknownSourceError(id, vaults.map(vaultName));
  const source = await vaultSource(context, vault);
  const problems: SourcesExcludedOutput['excluded'] = [];
  const files = source.list(({ key, detail, skipped }) => {
    if (skipped) problems.push({ path: key, rule: detail, from: null });
  }, pickSignal(options).signal);
  for await (const _ of files)
    if (options.signal?.aborted === true) throw new LociError('aborted', 'stopped');
  const byRule = (source.excluded?.() ?? []).flatMap(({ rule, from, paths }) =>
    paths.map((path) => ({ path, rule, from })),
  );
  const all = [...byRule, ...problems];
  return {
    excluded: all.slice(after, after + limit),
    total: all.length,
    next: after + limit < all.length ? after + limit : null,
    other_files: [...(source.otherFiles?.() ?? [])]
      .map(([ending, count]) => ({ ending, files: count }))
      .toSorted((a, b) => b.files - a.files),
  };
}
