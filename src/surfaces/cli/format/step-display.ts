import { oneLine } from '../../shared/escape-control.ts';
import type { Output } from '../../shared/io.ts';

/** Between two lines of a step. */
const LINE_INTERVAL_MS = 5000;

/** Prints a line on standard error for each step, and for how far a long one is, so that nobody takes it for one that hangs. */
export class StepDisplay {
  readonly #output: Output;
  readonly #now: () => number;
  #shownAt = 0;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  begin(title: string): void {
    this.#print(title);
  }

  /** How far the step is: `reading notes: 120 of 300`. */
  update(detail: string): void {
    if (this.#now() - this.#shownAt >= LINE_INTERVAL_MS) this.#print(`  ${detail}`);
  }

  #print(text: string): void {
    this.#shownAt = this.#now();
    this.#output.write(`loci: ${oneLine(text)}\n`);
  }
}
