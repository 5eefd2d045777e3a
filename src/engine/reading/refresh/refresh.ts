import { formatCount } from '../../../core/text/format-count.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import { maskDetected } from '../../../secrets/detect.ts';
import { replaceDocuments, type ReplaceReport } from '../../../ingest/replace-documents.ts';
import type { DocumentProblem, FetchResult } from '../../../sources/document.ts';
import { openSource } from '../../../sources/registry.ts';
import { MAX_PROBLEMS, sourceStates } from '../../../store/items/kinds.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import type { Fence } from '../../../store/model.ts';
import type { EngineContext } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import {
  RefreshAttempt,
  type AttemptStart,
  failureOfSource,
  noUsableDocument,
  problemText,
  shortened,
} from './refresh-attempt.ts';
import {
  approvalStatus,
  assertApproved,
  resolveCommand,
  type ResolvedCommand,
} from '../approval/approval.ts';
import { parseApproval } from '../approval/approval-record.ts';
import type { ConfiguredCommand, ConfiguredSource } from '../configured/configured-sources.ts';
import { withLease, type LeaseName, type LeaseOptions } from '../../shared/lease.ts';
import { missingProgramError } from '../approval/watched-files.ts';
import { isDue } from '../configured/schedule.ts';

/** The result of a refresh. */
export interface RefreshReport extends ReplaceReport {
  readonly id: string;
  readonly name: string;
  /** Documents that the source returned, including bad ones. */
  readonly printed: number;
  readonly problems: readonly DocumentProblem[];
  readonly tookMs: number;
  /** Documents that stay although the command printed none: only a second empty answer removes them. */
  readonly retained: number;
}

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
): Promise<RefreshReport> {
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
      return new Refresh(context, source, { section: 'sources', lease, before: state }, signal).run();
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
  source: ConfiguredSource,
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

class Refresh {
  readonly #context: EngineContext;
  readonly #source: ConfiguredSource;
  readonly #lease: Fence;
  readonly #signal: AbortSignal;
  readonly #attempt: RefreshAttempt;
  readonly #before: SourceState | undefined;

  constructor(
    context: EngineContext,
    source: ConfiguredSource,
    start: Omit<AttemptStart, 'interval'>,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#source = source;
    this.#lease = start.lease;
    this.#before = start.before;
    this.#signal = signal;
    this.#attempt = new RefreshAttempt(context, source.id, {
      ...start,
      interval: source.settings.refreshInterval,
    });
  }

  async run(): Promise<RefreshReport> {
    try {
      const fetched = await fetchOnce(this.#context, this.#source, this.#before, this.#signal);
      const retained = await this.#retainedBy(fetched);
      if (retained > 0) return await this.#recordEmpty(fetched, retained);
      return await this.#replace(fetched);
    } catch (error) {
      // The signal fires when the lease was lost. Another process has taken over then.
      if (this.#signal.reason instanceof LociError) throw this.#signal.reason;
      const isSourceFailure =
        !(error instanceof LociError) || !['not_approved', 'aborted', 'conflict'].includes(error.code);
      if (isSourceFailure) await this.#attempt.recordFailure(await this.#masked(messageOf(error)));
      throw error;
    }
  }

  /** How many documents stay because this is the first empty answer. */
  async #retainedBy({ printed }: FetchResult): Promise<number> {
    if (printed > 0 || this.#consecutiveEmpty > 0) return 0;
    return countDocuments(this.#context, this.#source.id);
  }

  async #replace(fetched: FetchResult): Promise<RefreshReport> {
    const context = this.#context;
    const { id, name, settings } = this.#source;
    if (fetched.printed > 0 && fetched.documents.length === 0) throw noUsableDocument(this.#source, fetched);
    const problems = await this.#problemsOf(fetched);
    const report = await replaceDocuments(
      context.store,
      {
        source: id,
        documents: fetched.documents,
        unreadableIds: new Set(
          fetched.problems.flatMap((problem) => (problem.skipped ? (problem.id ?? []) : [])),
        ),
      },
      {
        namespace: context.namespace,
        project: settings.project ?? context.config.project,
        chunking: await chunkingOf(context),
        now: context.now(),
        maxDocuments: settings.maxDocuments,
        keepCompleted: settings.keepCompleted,
        fence: this.#lease,
        sourceStateChange: (made) => this.#success(fetched, problems, made),
        signal: this.#signal,
      },
    );
    return {
      id,
      name,
      ...report,
      printed: fetched.printed,
      problems: fetched.problems,
      tookMs: this.#attempt.tookMs,
      retained: 0,
    };
  }

  #success(
    { printed }: FetchResult,
    problems: readonly string[],
    { overCap }: ReplaceReport,
  ): Partial<SourceState> {
    const leftOut =
      overCap > 0 ? [`${formatCount(overCap, 'document')} left out: there are more than maxDocuments`] : [];
    return {
      ...this.#attempt.success([...problems, ...leftOut]),
      consecutiveEmpty: printed === 0 ? this.#consecutiveEmpty + 1 : 0,
    };
  }

  /** Problems quote the output, so secrets are masked before the text is truncated. */
  async #problemsOf({ problems }: FetchResult): Promise<string[]> {
    const first = problems.slice(0, MAX_PROBLEMS);
    const texts = await Promise.all(first.map((problem) => this.#masked(problemText(problem))));
    return texts.map(shortened);
  }

  async #recordEmpty(fetched: FetchResult, retained: number): Promise<RefreshReport> {
    const { id, name } = this.#source;
    const what = this.#source.kind === 'code' ? 'fetch() returned' : 'the command printed';
    const problem = `${what} no documents; ${formatCount(retained, 'document')} stay until that happens again`;
    await this.#attempt.record({
      ...this.#attempt.answered([problem]),
      consecutiveEmpty: this.#consecutiveEmpty + 1,
    });
    const nothing = { added: 0, updated: 0, unchanged: 0, removed: 0, overCap: 0 };
    const { tookMs } = this.#attempt;
    return { id, name, ...nothing, printed: 0, problems: fetched.problems, tookMs, retained };
  }

  get #consecutiveEmpty(): number {
    return this.#before?.consecutiveEmpty ?? 0;
  }

  /** The output and the errors of programs may contain their keys. */
  #masked(message: string): Promise<string> {
    return maskDetected(this.#context.thread, message);
  }
}

/** The number of stored documents of a source. */
async function countDocuments({ store, namespace, now }: EngineContext, source: string): Promise<number> {
  const filter = { now: now(), origins: ['source' as const], sources: [source] };
  return (await store.records.facet(namespace, 'source', filter))[0]?.records ?? 0;
}
