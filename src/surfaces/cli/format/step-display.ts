import { outputColumns, isTerminal, type Output } from '../../shared/io.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { clip } from './text-width.ts';

/** Steps that end sooner show no time. */
const SHOW_AFTER_MS = 1000;
const REDRAW_INTERVAL_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Shows the current step on standard error, on a line of its own. On a terminal, the line counts the seconds and shows the
 * progress of the step, so that nobody takes a long step for one that hangs.
 */
export class StepDisplay {
  readonly #output: Output;
  readonly #now: () => number;
  #title: string | null = null;
  #detail = '';
  #startedAt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  /** Ends the step before. */
  begin(title: string): void {
    this.end();
    if (!isTerminal(this.#output)) {
      this.#output.write(`loci: ${oneLine(title)}\n`);
      return;
    }
    this.#title = title;
    this.#startedAt = this.#now();
    this.#timer = setInterval(() => this.redraw(), REDRAW_INTERVAL_MS).unref();
    this.redraw();
  }

  /** How far the step is: `reading notes: 120 of 300`. */
  update(detail: string): void {
    this.#detail = detail;
  }

  /** The time alone stays of the line. */
  end(): void {
    if (this.#title === null) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#detail = '';
    this.redraw();
    this.#output.write('\n');
    this.#title = null;
  }

  redraw(): void {
    if (this.#title === null) return;
    const elapsed = this.#now() - this.#startedAt;
    const parts = [
      ...(this.#detail === '' ? [] : [oneLine(this.#detail)]),
      ...(elapsed < SHOW_AFTER_MS ? [] : [`${String(Math.floor(elapsed / 1000))} s`]),
    ];
    const suffix = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
    // A line that wraps cannot be redrawn. The title is shortened first.
    const columns = Math.min(this.#output.columns || Infinity, outputColumns(this.#output)) - 1;
    const title = clip(`loci: ${oneLine(this.#title)}`, Math.max(1, columns - suffix.length));
    this.#output.write(CLEAR_LINE + clip(title + suffix, columns));
  }
}
