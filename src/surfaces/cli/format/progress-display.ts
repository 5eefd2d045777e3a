import type { Progress } from '../../../core/progress.ts';
import { outputColumns, isTerminal, type Output } from '../../shared/io.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { clip } from './text-width.ts';
import { durationText } from './times.ts';

/** Calls that end sooner show no progress. */
const SHOW_AFTER_MS = 1000;
const REDRAW_INTERVAL_MS = 100;
/** Between two lines where the output is not a terminal. The interval doubles after each line of a stage. */
const MIN_LINE_INTERVAL_MS = 5000;
const MAX_LINE_INTERVAL_MS = 60_000;
const BAR_COLUMNS = 24;
/** Until then, the rate of a stage says little about what is left of it. */
const MIN_TIMED_MS = 3000;
/** What already works during a stage. */
const WORKS: Partial<Record<Progress['stage'], string>> = {
  embedding: 'Search works now, by words. It also finds by meaning what is embedded.',
  relating: 'Search works now. The graph follows.',
};
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long call on standard error: a bar on a terminal, otherwise a line every few seconds. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt: number;
  #stage = '';
  /** The first report of the current stage. The rate counts from here, because the work before it took other time. */
  #stageStart = { done: 0, work: 0, at: 0 };
  #lastShownAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;
  #hasAnnounced = false;
  #lineInterval = MIN_LINE_INTERVAL_MS;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#startedAt = now();
  }

  update(progress: Progress): void {
    const now = this.#now();
    const stage = `${progress.stage} ${progress.subject}`;
    if (stage !== this.#stage) {
      this.#stage = stage;
      this.#stageStart = { done: progress.done, work: (progress.work ?? progress).done, at: now };
      this.#lineInterval = MIN_LINE_INTERVAL_MS;
    }
    const terminal = isTerminal(this.#output);
    const interval = terminal ? REDRAW_INTERVAL_MS : this.#lineInterval;
    // A stage that is reported once is shown at once.
    const isDue = progress.stage === 'indexing' || now - this.#lastShownAt >= interval;
    if (now - this.#startedAt < SHOW_AFTER_MS || !isDue) return;
    this.#lastShownAt = now;
    const works = progress.meanwhile ?? WORKS[progress.stage];
    if (works !== undefined && !this.#hasAnnounced) this.#announce(works, terminal);
    const line = describe(progress, this.#timing(progress, now), terminal);
    if (!terminal) {
      this.#lineInterval = Math.min(MAX_LINE_INTERVAL_MS, this.#lineInterval * 2);
      this.#output.write(`loci: ${line}\n`);
      return;
    }
    this.#isDrawn = true;
    this.#output.write(CLEAR_LINE + clip(line, this.#columns()));
  }

  /** Tells that nobody has to wait for the end of the stage. */
  #announce(text: string, terminal: boolean): void {
    this.#hasAnnounced = true;
    const line = oneLine(text);
    this.#output.write(terminal ? `${CLEAR_LINE}${line}\n` : `loci: ${line}\n`);
  }

  /** A line that wraps cannot be redrawn, so it must fit even on a very narrow terminal. */
  #columns(): number {
    return Math.min(this.#output.columns || Infinity, outputColumns(this.#output)) - 1;
  }

  #timing(progress: Progress, now: number): Timing {
    const elapsed = (now - this.#stageStart.at) / 1000;
    const rate = (progress.done - this.#stageStart.done) / elapsed;
    const { done, total } = progress.work ?? progress;
    const workRate = (done - this.#stageStart.work) / elapsed;
    if (elapsed * 1000 < REDRAW_INTERVAL_MS || workRate <= 0) return { rate: 0, left: 0 };
    return { rate, left: elapsed * 1000 < MIN_TIMED_MS ? 0 : Math.max(0, total - done) / workRate };
  }

  clear(): void {
    if (this.#isDrawn) this.#output.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

/** 0 until enough time has passed to tell. */
interface Timing {
  /** Units per second. */
  readonly rate: number;
  /** Seconds until the stage ends. */
  readonly left: number;
}

function describe(progress: Progress, timing: Timing, withBar: boolean): string {
  const { done, total } = progress;
  const { rate } = timing;
  const text = oneLine(stageText(progress));
  const speed = rate > 0 ? `, ${rate >= 10 ? rate.toFixed(0) : rate.toFixed(1)}/s` : '';
  if (total === 0) return done === 0 ? text : `${text}: ${String(done)}${speed}`;
  const left = timing.left > 0 ? `, ${durationText(timing.left)} left` : '';
  const counts = `${String(done)} of ${String(total)}${speed}${left}`;
  return withBar ? `${text} ${drawBar(done / total)} ${counts}` : `${text}: ${counts}`;
}

function drawBar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_COLUMNS);
  return '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
}
