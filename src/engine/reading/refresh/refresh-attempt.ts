import type { Timestamp } from '../../../core/types.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import type { Fence } from '../../../store/model.ts';
import type { EngineContext } from '../../context.ts';
import { nextRead, nextTry } from '../configured/schedule.ts';
import { sourceStateChange } from '../../../store/items/kinds.ts';
import { ERROR_TABLE, LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type { DocumentProblem, FetchResult } from '../../../sources/document.ts';
import type { SourceProblem } from '../../../sources/source.ts';
import type { ConfiguredSource } from '../configured/configured-sources.ts';

/** What an attempt begins with. */
interface AttemptBasis {
  /** Of the settings. */
  readonly section: 'vaults' | 'sources';
  readonly lease: Fence;
  /** The state of the source before the attempt. */
  readonly before: SourceState | undefined;
  /** Milliseconds until the source is due again. */
  readonly interval: number;
}

/** One attempt to refresh a vault or a source, and how it changes the state of the source. */
export class RefreshAttempt {
  readonly #context: EngineContext;
  readonly #source: string;
  readonly #basis: AttemptBasis;
  readonly #startedAt: Timestamp;

  constructor(context: EngineContext, source: string, basis: AttemptBasis) {
    this.#context = context;
    this.#source = source;
    this.#basis = basis;
    this.#startedAt = context.now();
  }

  get tookMs(): number {
    return Math.max(0, this.#context.now() - this.#startedAt);
  }

  /** The change of state for documents that are stored. The store keeps the first of the problems. */
  success(problems: readonly string[]): Partial<SourceState> {
    const refreshes = (this.#basis.before?.refreshes ?? 0) + 1;
    return { ...this.answered(problems), readAt: this.#context.now(), refreshes };
  }

  /** The change of state for an answer, whether its documents are stored or not. */
  answered(problems: readonly string[]): Partial<SourceState> {
    const nextAt = nextRead(this.#context.now(), this.#basis.interval);
    const settings = this.#context.settingsPlaces[this.#basis.section] ?? null;
    return { ...this.#tried(false), settings, nextAt, consecutiveFailures: 0, error: null, problems };
  }

  recordFailure(error: string): Promise<void> {
    const { before, interval } = this.#basis;
    const failures = (before?.consecutiveFailures ?? 0) + 1;
    const nextAt = nextTry(this.#context.now(), interval, failures);
    return this.record({
      ...this.#tried(true),
      nextAt,
      consecutiveFailures: failures,
      totalFailures: (before?.totalFailures ?? 0) + 1,
      error,
    });
  }

  async record(change: Partial<SourceState>): Promise<void> {
    const { store, namespace } = this.#context;
    await store.records.commit(namespace, {
      items: [sourceStateChange(this.#source, change)],
      fence: this.#basis.lease,
    });
  }

  #tried(failed: boolean): Partial<SourceState> {
    const run = { at: this.#startedAt, tookMs: this.tookMs, failed };
    const recentRuns = [...(this.#basis.before?.recentRuns ?? []), run];
    return { triedAt: run.at, tookMs: run.tookMs, recentRuns };
  }
}

/** A failure with the id of the source in its hint and the working folder of the command, which often explain it. */
export function failureOfSource(error: unknown, { id }: ConfiguredSource, cwd?: string): unknown {
  if (!(error instanceof LociError) || error.code !== 'source_failed') return error;
  const { message, hint } = error;
  return new LociError(
    'source_failed',
    cwd === undefined || message.includes(cwd) ? message : `${message} (in ${cwd})`,
    { hint: hint === ERROR_TABLE.source_failed.hint ? testHint(id) : hint, cause: error },
  );
}

function testHint(id: string): string {
  return `\`loci sources test ${id}\` runs it once and shows its output.`;
}

const MAX_PROBLEM_LENGTH = 300;

export function formatProblem(problem: DocumentProblem): string {
  return truncatedProblem(problemText(problem));
}

export function problemText({ index, id, detail }: DocumentProblem): string {
  if (index === null) return detail;
  const document = id === null ? `document ${String(index)}` : `document ${String(index)} (${id})`;
  return `${document}: ${detail}`;
}

export function formatNoteProblem({ key, detail }: SourceProblem): string {
  return truncatedProblem(`${key}: ${detail}`);
}

export function truncatedProblem(problem: string): string {
  return problem.length > MAX_PROBLEM_LENGTH
    ? `${problem.slice(0, MAX_PROBLEM_LENGTH - 1).toWellFormed()}…`
    : problem;
}

export function noUsableDocument(
  { id, kind }: ConfiguredSource,
  { printed, problems: [first] }: FetchResult,
): LociError {
  const reason = first === undefined ? '' : `: ${formatProblem(first)}`;
  return new LociError(
    'source_failed',
    `none of the ${formatCount(printed, 'document')} of ${id} can be used${reason}`,
    {
      hint:
        kind === 'code'
          ? 'docs/sources.md lists the fields of a document.'
          : 'For JSON that was not made for Loci, `map` says where the fields are, and `map.items` where the list is.',
    },
  );
}
