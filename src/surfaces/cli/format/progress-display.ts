import type { Progress } from '../../../core/progress.ts';
import { columnsOf, isTerminal, type Output } from '../../shared/io.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { clip } from './text-width.ts';
import { durationText } from './times.ts';

/** Calls that end sooner show no progress. */
const SHOW_AFTER_MS = 1000;
const REDRAW_INTERVAL_MS = 100;
/** Between two lines where the output is not a terminal. */
const LINE_INTERVAL_MS = 5000;
const BAR_COLUMNS = 24;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long call on standard error: a bar on a terminal, otherwise a line every few seconds. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt: number;
  #stage = '';
  /** The first report of the current stage. The rate counts from here, because the work before it took other time. */
  #stageStart = { done: 0, at: 0 };
  #lastShownAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

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
      this.#stageStart = { done: progress.done, at: now };
    }
    const terminal = isTerminal(this.#output);
    const interval = terminal ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS;
    if (now - this.#startedAt < SHOW_AFTER_MS || now - this.#lastShownAt < interval) return;
    this.#lastShownAt = now;
    const line = describe(progress, this.#ratePerSecond(progress.done, now), terminal);
    if (!terminal) {
      this.#output.write(`loci: ${line}\n`);
      return;
    }
    this.#isDrawn = true;
    this.#output.write(CLEAR_LINE + clip(line, this.#columns()));
  }

  /** A line that wraps cannot be redrawn, so it must fit even on a very narrow terminal. */
  #columns(): number {
    return Math.min(this.#output.columns || Infinity, columnsOf(this.#output)) - 1;
  }

  /** 0 until enough time has passed to tell. */
  #ratePerSecond(done: number, now: number): number {
    const elapsed = now - this.#stageStart.at;
    return elapsed < REDRAW_INTERVAL_MS ? 0 : ((done - this.#stageStart.done) / elapsed) * 1000;
  }

  /** Removes the bar. */
  clear(): void {
    if (this.#isDrawn) this.#output.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

function describe(progress: Progress, rate: number, withBar: boolean): string {
  const { stage, done, total } = progress;
  const text = oneLine(stageText(progress));
  if (stage === 'waiting') return text;
  const speed = rate > 0 ? `, ${rate >= 10 ? rate.toFixed(0) : rate.toFixed(1)}/s` : '';
  if (total === 0) return done === 0 ? text : `${text}: ${String(done)}${speed}`;
  const left = rate > 0 && done < total ? `, ${durationText((total - done) / rate)} left` : '';
  const counts = `${String(done)} of ${String(total)}${speed}${left}`;
  return withBar ? `${text} ${drawBar(done / total)} ${counts}` : `${text}: ${counts}`;
}

function drawBar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_COLUMNS);
  return '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
}
