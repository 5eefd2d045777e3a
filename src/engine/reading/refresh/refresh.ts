import { formatCount } from '../../../core/text/format-count.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import { maskDetected } from '../../../secrets/detect.ts';
import { replaceDocuments } from '../../../ingest/replace-documents.ts';
import type { FetchResult } from '../../../sources/document.ts';
import { openSource } from '../../../sources/registry.ts';
import { MAX_PROBLEMS, sourceStates } from '../../../store/items/kinds.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import type { Fence } from '../../../store/model.ts';
import type { EngineContext } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import type { Refreshed } from '../source-schemas.ts';
import {
  RefreshAttempt,
  failureOfSource,
  formatProblem,
  noUsableDocument,
  problemText,
  truncatedProblem,
} from './refresh-attempt.ts';
import {
  approvalStatus,
  assertApproved,
  resolveCommand,
  type ResolvedCommand,
} from '../approval/approval.ts';
import { parseApproval } from '../approval/approval-record.ts';
import type {
  ConfiguredCommand,
  ConfiguredSource,
  ConversationFolder,
} from '../configured/configured-sources.ts';
import { withLease, type LeaseName, type LeaseOptions } from '../../shared/lease.ts';
import { missingProgramError } from '../approval/watched-files.ts';
import { isDue } from '../configured/schedule.ts';
import { assertNoConversations } from '../configured/vault-names.ts';
import { refreshConversations } from './refresh-conversations.ts';

/** A source whose documents are fetched all at once. */
type DocumentSource = Exclude<ConfiguredSource, ConversationFolder>;

/** The result of a refresh that changed nothing. */
export const NOTHING_REFRESHED: Readonly<Refreshed> = {
  ...{ added: 0, updated: 0, unchanged: 0, removed: 0, over_cap: 0, kept: 0, problems: [], took_ms: 0 },
};

/** The lease that a process needs to refresh or forget a vault or source. */
export function leaseName({ namespace }: EngineContext, source: string): LeaseName {
  return { namespace, name: `source/${source}` };
}

export interface RefreshOptions extends LeaseOptions {
  /** Fails with `conflict` when another process has just refreshed it. */
  readonly onlyIfDue?: boolean;
}

/**
 * Fetches the documents of a source and replaces the stored documents with them, in one transaction. When it fails, the
 * last good documents stay, and the failure is recorded.
 * @throws LociError `not_approved`; `source_failed` that says what happened; `conflict` when another process refreshes
 *   it (unless `wait`); `aborted`
 */
export async function refreshSource(
  context: EngineContext,
  source: ConfiguredSource,
  { onlyIfDue = false, ...leaseOptions }: RefreshOptions = {},
): Promise<Refreshed> {
  // A command that may not run takes no lease, which would be a useless write every few seconds.
  if (source.kind === 'command') await requireApproved(context, source, await stateOf(context, source.id));
  return withLease(
    context,
    leaseName(context, source.id),
    async (lease, signal) => {
      const state = await stateOf(context, source.id);
      const isFresh = state !== undefined && !isDue(state, source.settings.refreshInterval, context.now());
      if (onlyIfDue && isFresh)
        throw new LociError('conflict', `${source.id} was refreshed by another process`);
      if (source.kind !== 'conversations') {
        assertNoConversations(source.id, state?.hasConversations);
        return fetchAndReplace(context, source, lease, state, signal);
      }
      const basis = {
        section: 'sources',
        lease,
        before: state,
        interval: source.settings.refreshInterval,
      } as const;
      return refreshConversations(
        context,
        source,
        new RefreshAttempt(context, source.id, basis),
        lease,
        signal,
      );
    },
    leaseOptions,
  );
}

async function stateOf(
  { store, namespace }: EngineContext,
  source: string,
): Promise<SourceState | undefined> {
  return (await sourceStates(store.records, namespace)).get(source);
}

/** The command as it would run now. @throws LociError `not_approved`, `invalid_config` */
async function requireApproved(
  context: EngineContext,
  source: ConfiguredCommand,
  state: SourceState | undefined,
): Promise<ResolvedCommand> {
  const command = await resolveCommand(source, parseApproval(state));
  const status = approvalStatus(context, source, command, state);
  // An approval would not help.
  if (command.program === null && status !== 'approved')
    throw await missingProgramError(command.argv[0] ?? '', command.cwd);
  assertApproved(source, command, status);
  return command;
}

/** Runs the command of an approved source once; nothing is stored. @throws LociError as `refreshSource` does */
export async function fetchForTest(
  context: EngineContext,
  source: ConfiguredSource,
  signal?: AbortSignal,
): Promise<FetchResult> {
  if (source.kind === 'conversations')
    throw new LociError('conflict', `${source.id} reads a folder, and not the output of a command`, {
      hint: '`loci import PATH --dry-run` counts the conversations in a folder.',
    });
  try {
    return await fetchOnce(context, source, await stateOf(context, source.id), signal);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'source_failed') throw error;
    // The usual hint is to run `loci sources test`, which is what just failed.
    throw new LociError('source_failed', error.message, {
      hint:
        source.kind === 'code'
          ? 'Correct the function that the program has registered.'
          : 'Run the command yourself in its working folder, and look at its output.',
      cause: error,
    });
  }
}

/** Runs a command that is approved, or calls the function of the program. */
async function fetchOnce(
  context: EngineContext,
  source: DocumentSource,
  state: SourceState | undefined,
  signal: AbortSignal | undefined,
): Promise<FetchResult> {
  if (source.kind === 'code') {
    const { unregistered } = source;
    const anySignal = signal === undefined ? unregistered : AbortSignal.any([signal, unregistered]);
    const opened = await source.open();
    return opened.fetch({ signal: anySignal }).catch((error: unknown) => {
      throw failureOfSource(error, source);
    });
  }
  const { settings, cwd } = source;
  const { program } = await requireApproved(context, source, state);
  const opened = await openSource('command', { ...settings, cwd, env: process.env, allowed: settings.env });
  return opened.fetch({ program, ...(signal !== undefined && { signal }) }).catch((error: unknown) => {
    throw failureOfSource(error, source, cwd);
  });
}

/** Fetches the documents under the lease, replaces the stored ones, and records how it went. */
async function fetchAndReplace(
  context: EngineContext,
  source: DocumentSource,
  lease: Fence,
  before: SourceState | undefined,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { id, settings } = source;
  const { refreshInterval: interval } = settings;
  const attempt = new RefreshAttempt(context, id, { section: 'sources', lease, before, interval });
  const consecutiveEmpty = before?.consecutiveEmpty ?? 0;
  // The output and the errors of programs may contain their keys.
  const masked = (message: string): Promise<string> => maskDetected(context.thread, message);
  try {
    const fetched = await fetchOnce(context, source, before, signal);
    const { printed, documents, problems } = fetched;
    const texts = problems.map(formatProblem);
    // The documents stay after the first empty answer.
    const retained = printed > 0 || consecutiveEmpty > 0 ? 0 : await countDocuments(context, id);
    if (retained > 0) {
      const what = source.kind === 'code' ? 'fetch() returned' : 'the command printed';
      const problem = `${what} no documents; ${formatCount(retained, 'document')} stay until that happens again`;
      await attempt.record({ ...attempt.answered([problem]), consecutiveEmpty: consecutiveEmpty + 1 });
      return { ...NOTHING_REFRESHED, problems: texts, took_ms: attempt.tookMs, kept: retained };
    }
    if (printed > 0 && documents.length === 0) throw noUsableDocument(source, fetched);
    const first = problems.slice(0, MAX_PROBLEMS);
    // Problems quote the output, so secrets are masked before the text is truncated.
    const stored = (await Promise.all(first.map((each) => masked(problemText(each))))).map(truncatedProblem);
    const unreadable = problems.flatMap((problem) => (problem.skipped ? (problem.id ?? []) : []));
    const { overCap, ...replaced } = await replaceDocuments(
      context.store,
      { source: id, documents, unreadableIds: new Set(unreadable) },
      {
        namespace: context.namespace,
        project: settings.project ?? context.config.project,
        chunking: await chunkingOf(context),
        now: context.now(),
        maxDocuments: settings.maxDocuments,
        keepCompleted: settings.keepCompleted,
        fence: lease,
        sourceStateChange: ({ overCap: count }) => {
          const leftOut = `${formatCount(count, 'document')} left out: there are more than maxDocuments`;
          return {
            ...attempt.success(count > 0 ? [...stored, leftOut] : stored),
            consecutiveEmpty: printed === 0 ? consecutiveEmpty + 1 : 0,
          };
        },
        signal,
      },
    );
    return { ...replaced, over_cap: overCap, kept: 0, problems: texts, took_ms: attempt.tookMs };
  } catch (error) {
    // The signal fires when the lease was lost. Another process has taken over then.
    if (signal.reason instanceof LociError) throw signal.reason;
    const isSourceFailure =
      !(error instanceof LociError) || !['not_approved', 'aborted', 'conflict'].includes(error.code);
    if (isSourceFailure) await attempt.recordFailure(await masked(messageOf(error)));
    throw error;
  }
}

/** The number of stored documents of a source. */
async function countDocuments({ store, namespace, now }: EngineContext, source: string): Promise<number> {
  const filter = { now: now(), origins: ['source' as const], sources: [source] };
  return (await store.records.facet(namespace, 'source', filter))[0]?.records ?? 0;
}
