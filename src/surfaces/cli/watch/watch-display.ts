import type { LociError } from '../../../core/errors.ts';
import type { KeeperEvent } from '../../../engine/refresh/keeper.ts';
import type { SourceReport } from '../../../engine/sources/reports.ts';
import { columnsOf, isTerminal, type Io } from '../../shared/io.ts';
import { hasColours, makeStyle } from '../format/style.ts';
import { eventLine, jsonLine, settingsJson, settingsLine, statusLine } from './watch-lines.ts';
import { watchedJson, watchedLines } from './watched-lines.ts';

/** Milliseconds between two drawings of the status line, and drawings between two looks at how everything is. */
const REDRAW = 1000;
const DRAWN = 5;

type Look = () => Promise<readonly SourceReport[]>;

/**
 * A line for each thing that happens, of JSON where that is wanted; else, on a terminal, one below that says how everything
 * is.
 */
export class WatchDisplay {
  readonly #io: Io;
  readonly #json: boolean;
  readonly #running = new Set<string>();
  #look: Look = () => Promise.resolve([]);
  #timer: NodeJS.Timeout | null = null;
  #status = '';

  constructor(io: Io, json: boolean) {
    this.#io = io;
    this.#json = json;
  }

  begin(): void {
    const { stderr } = this.#io;
    if (this.#json) return;
    stderr.write('Loci keeps vaults and sources fresh; Ctrl-C stops it.\n');
    if (!isTerminal(stderr)) return;
    let reports: readonly SourceReport[] = [];
    let drawn = 0;
    const draw = async (): Promise<void> => {
      // A look counts the documents of every source.
      if (drawn++ % DRAWN === 0) reports = await this.#look().catch(() => reports);
      if (this.#timer === null) return;
      this.#status = statusLine(reports, this.#running, stderr);
      stderr.write(`\r\u001b[2K${this.#status}`);
      this.#timer = setTimeout(() => void draw(), REDRAW).unref();
    };
    this.#timer = setTimeout(() => void draw(), 0).unref();
  }

  /** What is kept fresh from now on, and what is not and why. */
  list(reports: readonly SourceReport[], look: Look): void {
    this.#look = look;
    this.#running.clear();
    const { stdout, stderr, env } = this.#io;
    if (this.#json) {
      stdout.write(`${watchedJson(reports)}\n`);
      return;
    }
    const style = makeStyle(hasColours(stderr, env));
    const lines = watchedLines(reports, style, columnsOf(stderr)).map((line) => `${line}\n`);
    this.#beside(() => stderr.write(lines.join('')));
  }

  tell(event: KeeperEvent): void {
    if (event.kind === 'begun') this.#running.add(event.source);
    else if ('source' in event) this.#running.delete(event.source);
    this.#write(this.#json ? jsonLine(event) : eventLine(event, this.#style));
  }

  /** The settings are others now, or cannot be kept to. */
  tellSettings(file: string, error: LociError | null): void {
    this.#write(this.#json ? settingsJson(file, error) : settingsLine(file, error, this.#style));
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#status !== '') this.#io.stderr.write('\r\u001b[2K');
  }

  get #style(): ReturnType<typeof makeStyle> {
    return makeStyle(hasColours(this.#io.stdout, this.#io.env));
  }

  #write(line: string | null): void {
    if (line !== null) this.#beside(() => this.#io.stdout.write(`${line}\n`));
  }

  /** The line below gives way meanwhile. */
  #beside(write: () => void): void {
    const { stderr } = this.#io;
    if (this.#status !== '') stderr.write('\r\u001b[2K');
    write();
    if (this.#status !== '') stderr.write(this.#status);
  }
}
