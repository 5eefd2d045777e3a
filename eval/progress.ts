const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 10_000;

/** Prints the progress, rate and remaining time of a long step on standard error. */
export class Progress {
  readonly #label: string;
  readonly #unit: string;
  readonly #started = performance.now();
  readonly #terminal = process.stderr.isTTY;
  #printedAt: number;

  /** @param unit in the plural: `120/400 records` */
  constructor(label: string, unit: string) {
    this.#label = label;
    this.#unit = unit;
    this.#printedAt = this.#started;
  }

  readonly report = (done: number, total: number): void => {
    const now = performance.now();
    if (now - this.#printedAt < (this.#terminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS)) return;
    this.#printedAt = now;
    const rate = done / ((now - this.#started) / 1000);
    const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : '';
    const line = `${this.#label}: ${String(done)}/${String(total)} ${this.#unit}, ${rate.toFixed(1)}/s${left}`;
    process.stderr.write(this.#terminal ? `\r\u001b[K${line}` : `${line}\n`);
  };

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#terminal) process.stderr.write('\r\u001b[K');
  }
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}
