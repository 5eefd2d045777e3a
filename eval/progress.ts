const TERMINAL_MS = 200;
const LINES_MS = 10_000;

/** Says on standard error how far a long step is, how fast it goes and how long it will take. */
export class Progress {
  readonly #what: string;
  readonly #unit: string;
  readonly #started = performance.now();
  readonly #terminal = process.stderr.isTTY;
  #said: number;

  /** The unit in the plural: `120/400 records`. */
  constructor(what: string, unit: string) {
    this.#what = what;
    this.#unit = unit;
    this.#said = this.#started;
  }

  readonly report = (done: number, total: number): void => {
    const now = performance.now();
    if (now - this.#said < (this.#terminal ? TERMINAL_MS : LINES_MS)) return;
    this.#said = now;
    const rate = done / ((now - this.#started) / 1000);
    const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : '';
    const line = `${this.#what}: ${String(done)}/${String(total)} ${this.#unit}, ${rate.toFixed(1)}/s${left}`;
    process.stderr.write(this.#terminal ? `\r\u001b[K${line}` : `${line}\n`);
  };

  /** Clears the line that a terminal still shows. */
  end(): void {
    if (this.#terminal) process.stderr.write('\r\u001b[K');
  }
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}
