import { LociError } from '../../core/errors.ts';
import type { KeeperEvent } from '../../engine/sources/keeper.ts';
import type { SourceReport } from '../../engine/sources/reports.ts';
import { openContext } from '../../operations/context.ts';
import { isTerminal, type Io } from './io.ts';
import type { RunServer } from './server-call.ts';
import { hasColours, makeStyle } from './style.ts';
import { untilStopped } from './until-stopped.ts';
import { eventLine, jsonLine, statusLine } from './watch-lines.ts';

/** Milliseconds between two drawings of the status line, and drawings between two looks at how everything is. */
const REDRAW = 1000;
const DRAWN = 5;

/** `loci watch`: keeps vaults and sources fresh until a signal says to stop; a second one stops at once. */
export const watch: RunServer = async ({ home, json }, io) => {
  const caller = { surface: 'cli', trust: 'operator' } as const;
  const context = openContext({ caller, env: io.env, ...(home !== undefined && { home }) });
  const display = new Display(io, json);
  try {
    const { values } = await context.loadConfig();
    if (values.vaults.length + values.sources.length + values.skills.length === 0)
      throw new LociError(
        'invalid_config',
        'there is nothing to keep fresh: loci.yaml names no vaults and no sources',
        {
          hint: '`loci index PATH` adds a vault; docs/sources.md says how a command becomes a source.',
        },
      );
    const { sources } = await context.loci({ create: true });
    const keeper = sources.keepFresh({ newVaults: true, onEvent: (event) => display.tell(event) });
    display.begin(() => sources.list());
    await untilStopped();
    await keeper.close();
    return 0;
  } finally {
    display.end();
    await context.close();
  }
};

/**
 * A line for each thing that happens, of JSON where that is wanted; else, on a terminal, one below that says how everything
 * is.
 */
class Display {
  readonly #io: Io;
  readonly #json: boolean;
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #status = '';

  constructor(io: Io, json: boolean) {
    this.#io = io;
    this.#json = json;
  }

  begin(look: () => Promise<SourceReport[]>): void {
    const { stderr } = this.#io;
    if (this.#json) return;
    stderr.write('Loci keeps vaults and sources fresh; Ctrl-C stops it.\n');
    if (!isTerminal(stderr)) return;
    let reports: readonly SourceReport[] = [];
    let drawn = 0;
    const draw = async (): Promise<void> => {
      // A look counts the documents of every source.
      if (drawn++ % DRAWN === 0) reports = await look().catch(() => reports);
      if (this.#timer === null) return;
      this.#status = statusLine(reports, this.#running, stderr);
      stderr.write(`\r\u001b[2K${this.#status}`);
      this.#timer = setTimeout(() => void draw(), REDRAW).unref();
    };
    this.#timer = setTimeout(() => void draw(), 0).unref();
  }

  tell(event: KeeperEvent): void {
    if (event.kind === 'begun') this.#running.add(event.source);
    else if ('source' in event) this.#running.delete(event.source);
    const { stdout, stderr, env } = this.#io;
    const line = this.#json ? jsonLine(event) : eventLine(event, makeStyle(hasColours(stdout, env)));
    if (line === null) return;
    if (this.#status !== '') stderr.write('\r\u001b[2K');
    stdout.write(`${line}\n`);
    if (this.#status !== '') stderr.write(this.#status);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#status !== '') this.#io.stderr.write('\r\u001b[2K');
  }
}
