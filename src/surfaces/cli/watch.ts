import { LociError } from '../../core/errors.ts';
import type { KeeperEvent } from '../../engine/sources/keeper.ts';
import { openContext } from '../../operations/context.ts';
import { isTerminal, type Io } from './io.ts';
import type { RunServer } from './server-call.ts';
import { hasColours, makeStyle } from './style.ts';
import { untilStopped } from './until-stopped.ts';
import { eventLine, jsonLine, statusLine } from './watch-lines.ts';

/** Milliseconds between two drawings of the status line. */
const REDRAW = 1000;

/** `loci watch`: keeps vaults and sources fresh until a signal says to stop; a second one stops at once. */
export const watch: RunServer = async ({ home, json }, io) => {
  const caller = { surface: 'cli', trust: 'operator' } as const;
  const context = openContext({ caller, env: io.env, ...(home !== undefined && { home }) });
  const display = json ? new JsonDisplay(io) : new Display(io);
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
    display.begin(async () => sources.list());
    await untilStopped();
    await keeper.close();
    return 0;
  } finally {
    display.end();
    await context.close();
  }
};

type Look = () => ReturnType<Awaited<ReturnType<ReturnType<typeof openContext>['loci']>>['sources']['list']>;

/** A line for each thing that happens and, on a terminal, one below that says how everything is. */
class Display {
  readonly #io: Io;
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #status = '';

  constructor(io: Io) {
    this.#io = io;
  }

  begin(look: Look): void {
    const { stderr } = this.#io;
    stderr.write('Loci keeps vaults and sources fresh; Ctrl-C stops it.\n');
    if (!isTerminal(stderr)) return;
    const draw = async (): Promise<void> => {
      const reports = await look().catch(() => null);
      if (reports === null || this.#timer === null) return;
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
    const line = eventLine(event, makeStyle(hasColours(stdout, env)));
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

class JsonDisplay {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  begin(): void {
    // Each line says all there is to say.
  }

  tell(event: KeeperEvent): void {
    this.#io.stdout.write(`${jsonLine(event)}\n`);
  }

  end(): void {
    // Nothing is drawn.
  }
}
