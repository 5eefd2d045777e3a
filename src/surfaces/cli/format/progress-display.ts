import type { Progress } from '../../../core/long-call.ts';
import { columnsOf, isTerminal, type Output } from '../../shared/io.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { clip } from './text-width.ts';

/** Milliseconds. What ends sooner is not worth a line. */
const PATIENCE = 1000;
const REDRAW = 100;
const LINE_EVERY = 5000;
const BAR = 24;

const DOING: Readonly<Record<Progress['stage'], string>> = {
  reading: 'reading',
  deriving: 'cutting into passages',
  embedding: 'embedding',
  waiting: 'waiting for another process at',
};

interface Mark {
  readonly done: number;
  readonly at: number;
}

/** Tells on standard error how far a long call is: a bar on a terminal, now and then a line elsewhere. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #began: number;
  #stage = '';
  /** The first that was heard of the stage: what came before it, such as a start, says nothing of its speed. */
  #first: Mark = { done: 0, at: 0 };
  #lastTold = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#began = now();
  }

  update(progress: Progress): void {
    const now = this.#now();
    const stage = `${progress.stage} ${progress.subject}`;
    if (stage !== this.#stage) {
      this.#stage = stage;
      this.#first = { done: progress.done, at: now };
    }
    const terminal = isTerminal(this.#output);
    if (now - this.#began < PATIENCE || now - this.#lastTold < (terminal ? REDRAW : LINE_EVERY)) return;
    this.#lastTold = now;
    const line = describe(progress, this.#rate(progress.done, now), terminal);
    if (!terminal) {
      this.#output.write(`loci: ${line}\n`);
      return;
    }
    this.#drawn = true;
    this.#output.write(`\r\u001b[2K${clip(line, this.#room())}`);
  }

  /** A line that breaks cannot be drawn anew: however narrow the terminal is, it must fit. */
  #room(): number {
    return Math.min(this.#output.columns || Infinity, columnsOf(this.#output)) - 1;
  }

  /** A second; 0 while too little is known. */
  #rate(done: number, now: number): number {
    const elapsed = now - this.#first.at;
    return elapsed < REDRAW ? 0 : ((done - this.#first.done) / elapsed) * 1000;
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn) this.#output.write('\r\u001b[2K');
    this.#drawn = false;
  }
}

function describe({ stage, subject, done, total }: Progress, rate: number, bar: boolean): string {
  const what =
    stage === 'reading' || stage === 'waiting' ? `${DOING[stage]} ${oneLine(subject)}` : DOING[stage];
  const speed = rate > 0 ? `, ${rate >= 10 ? rate.toFixed(0) : rate.toFixed(1)}/s` : '';
  if (stage === 'waiting') return what;
  if (total === 0) return done === 0 ? what : `${what}: ${String(done)}${speed}`;
  const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : '';
  const counted = `${String(done)} of ${String(total)}${speed}${left}`;
  return bar ? `${what} ${drawBar(done / total)} ${counted}` : `${what}: ${counted}`;
}

function drawBar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}

/** `45 s`, `3 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100
    ? `${String(minutes)} min`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
