import { formatCount } from '../../core/text/format-count.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { SECRET_DETECTION } from '../../secrets/detect.ts';
import { maskSecrets } from '../../secrets/secret.ts';
import { replaceDocuments, type ReplaceReport } from '../../ingest/replace-documents.ts';
import type { DocumentProblem, Fetched } from '../../sources/document.ts';
import { openSource } from '../../sources/registry.ts';
import type { SourceProblem } from '../../sources/source.ts';
import { MOST_PROBLEMS, type SourceState } from '../../store/source-states.ts';
import type { EngineContext } from '../context.ts';
import { RefreshAttempt, type AttemptStart } from './refresh-attempt.ts';
import { approvalStatus, assertApproved, resolveCommand, type ResolvedCommand } from '../sources/approval.ts';
import { parseApproval } from '../sources/approval-record.ts';
import type { ConfiguredSource } from '../sources/configured.ts';
import { withLease, type LeaseHandle, type LeaseOptions } from './lease.ts';
import { missingProgramError } from '../sources/program.ts';
import { isDue } from './schedule.ts';

/** What one refresh came to. */
export interface Refreshed extends ReplaceReport {
  readonly id: string;
  readonly name: string;
  /** Documents in what was printed. */
  readonly printed: number;
  readonly problems: readonly DocumentProblem[];
  /** Milliseconds. */
  readonly tookMs: number;
  /** Documents that stay although nothing was printed: it takes a second empty answer. */
  readonly kept: number;
}

const LONGEST_PROBLEM = 300;

/** What one process at a time does with a source. */
export function leaseOf({ namespace }: EngineContext, source: string): string {
  return `source/${namespace}/${source}`;
}

export interface RefreshOptions extends LeaseOptions {
  /** Leaves it to whoever refreshed it a moment ago: then it is a `conflict` too. */
  readonly onlyIfDue?: boolean;
}

/**
 * Runs the command of a source and makes the store's copy what it printed, in one transaction. When it fails, the last
 * good documents stay, and the failure is noted.
 * @throws LociError `not_approved`; `source_failed` that says what happened; `conflict` when another process refreshes
 *   it (unless `waits`); `aborted`
 */
export async function refreshSource(
  context: EngineContext,
  source: ConfiguredSource,
  { onlyIfDue = false, ...lease }: RefreshOptions = {},
): Promise<Refreshed> {
  // What may not run takes no lease: that would be a write for nothing, every few seconds.
  await requireApproved(context, source, await stateOf(context, source.id));
  return withLease(
    context,
    leaseOf(context, source.id),
    async (held, signal) => {
      const state = await stateOf(context, source.id);
      const isFresh = state !== undefined && !isDue(state, source.settings.refreshInterval, context.now());
      if (onlyIfDue && isFresh)
        throw new LociError('conflict', `${source.id} was refreshed by another process`);
      return new Refresh(context, source, { held, before: state }, signal).run();
    },
    lease,
  );
}

async function stateOf(
  { store, namespace }: EngineContext,
  source: string,
): Promise<SourceState | undefined> {
  return (await store.sourceStates(namespace)).get(source);
}

/** The command as it would run now. @throws LociError `not_approved`, `invalid_config` */
async function requireApproved(
  context: EngineContext,
  source: ConfiguredSource,
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
export async function testSource(
  context: EngineContext,
  source: ConfiguredSource,
  signal?: AbortSignal,
): Promise<Fetched> {
  try {
    return await fetchApproved(context, source, await stateOf(context, source.id), signal);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'source_failed') throw error;
    // To run it once is what failed just now.
    throw new LociError('source_failed', error.message, {
      hint: 'Run the command yourself, in its folder, and look at what it prints.',
      cause: error,
    });
  }
}

async function fetchApproved(
  context: EngineContext,
  source: ConfiguredSource,
  state: SourceState | undefined,
  signal: AbortSignal | undefined,
): Promise<Fetched> {
  const { settings, cwd } = source;
  const { program } = await requireApproved(context, source, state);
  const opened = await openSource('command', { ...settings, cwd, env: process.env, allowed: settings.env });
  return opened.fetch({ program, ...(signal !== undefined && { signal }) });
}

class Refresh {
  readonly #context: EngineContext;
  readonly #source: ConfiguredSource;
  readonly #held: LeaseHandle;
  readonly #signal: AbortSignal;
  readonly #attempt: RefreshAttempt;
  readonly #before: SourceState | undefined;

  constructor(
    context: EngineContext,
    source: ConfiguredSource,
    turn: Omit<AttemptStart, 'interval'>,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#source = source;
    this.#held = turn.held;
    this.#before = turn.before;
    this.#signal = signal;
    this.#attempt = new RefreshAttempt(context, source.id, {
      ...turn,
      interval: source.settings.refreshInterval,
    });
  }

  async run(): Promise<Refreshed> {
    try {
      const fetched = await fetchApproved(this.#context, this.#source, this.#before, this.#signal);
      const kept = await this.#keptFrom(fetched);
      if (kept > 0) return await this.#noteEmpty(fetched, kept);
      return await this.#replace(fetched);
    } catch (error) {
      // A lease that was lost fires the signal: then the work goes on elsewhere.
      if (this.#signal.reason instanceof LociError) throw this.#signal.reason;
      const isOurs =
        error instanceof LociError && ['not_approved', 'aborted', 'conflict'].includes(error.code);
      if (!isOurs) await this.#attempt.noteFailure(await this.#told(messageOf(error)));
      throw error;
    }
  }

  /** How many documents a first empty answer does not take away. */
  async #keptFrom({ printed }: Fetched): Promise<number> {
    if (printed > 0 || this.#empties > 0) return 0;
    return documentsOf(this.#context, this.#source.id);
  }

  async #replace(fetched: Fetched): Promise<Refreshed> {
    const context = this.#context;
    const { id, name, settings } = this.#source;
    if (fetched.printed > 0 && fetched.documents.length === 0) throw noneUsable(id, fetched);
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
        chunking: await context.chunking(),
        now: context.now(),
        maxDocuments: settings.maxDocuments,
        keepCompleted: settings.keepCompleted,
        fence: this.#held,
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
      kept: 0,
    };
  }

  #success(
    { printed }: Fetched,
    problems: readonly string[],
    { overCap }: ReplaceReport,
  ): Partial<SourceState> {
    const leftOut =
      overCap > 0 ? [`${formatCount(overCap, 'document')} left out: there are more than maxDocuments`] : [];
    return {
      ...this.#attempt.success([...problems, ...leftOut]),
      empties: printed === 0 ? this.#empties + 1 : 0,
    };
  }

  /** As they are stored: they quote what was printed, and what is cut off is masked before. */
  async #problemsOf({ problems }: Fetched): Promise<string[]> {
    const first = problems.slice(0, MOST_PROBLEMS);
    const told = await Promise.all(first.map((problem) => this.#told(wordsOf(problem))));
    return told.map(shortened);
  }

  async #noteEmpty(fetched: Fetched, kept: number): Promise<Refreshed> {
    const { id, name } = this.#source;
    const told = `nothing was printed; ${formatCount(kept, 'document')} are kept until that happens again`;
    await this.#attempt.note({ ...this.#attempt.answered([told]), empties: this.#empties + 1 });
    const nothing = { added: 0, updated: 0, unchanged: 0, removed: 0, overCap: 0 };
    const { tookMs } = this.#attempt;
    return { id, name, ...nothing, printed: 0, problems: fetched.problems, tookMs, kept };
  }

  get #empties(): number {
    return this.#before?.empties ?? 0;
  }

  /** What programs print, and say when they fail, may hold the keys that they work with. */
  async #told(message: string): Promise<string> {
    const { thread } = this.#context;
    const secrets = await thread.run(SECRET_DETECTION, [message], { size: message.length });
    return maskSecrets(message, secrets);
  }
}

/** How many documents the store has of a source. */
async function documentsOf({ store, namespace, now }: EngineContext, source: string): Promise<number> {
  const filter = { now: now(), origins: ['source' as const], sources: [source] };
  return (await store.facet(namespace, 'source', filter))[0]?.records ?? 0;
}

export function problemInWords(problem: DocumentProblem): string {
  return shortened(wordsOf(problem));
}

function wordsOf({ index, id, detail }: DocumentProblem): string {
  if (index === null) return detail;
  const which = id === null ? `document ${String(index)}` : `document ${String(index)} (${id})`;
  return `${which}: ${detail}`;
}

export function problemOfNote({ key, detail }: SourceProblem): string {
  return shortened(`${key}: ${detail}`);
}

function shortened(problem: string): string {
  return problem.length > LONGEST_PROBLEM
    ? `${problem.slice(0, LONGEST_PROBLEM - 1).toWellFormed()}…`
    : problem;
}

function noneUsable(id: string, { printed, problems: [first] }: Fetched): LociError {
  const why = first === undefined ? '' : `: ${problemInWords(first)}`;
  return new LociError(
    'source_failed',
    `none of the ${formatCount(printed, 'document')} of ${id} can be used${why}`,
    {
      hint: 'Of JSON that was not made for Loci `map` says where things are; `map.items`, where the list stands.',
    },
  );
}
