import { ERROR_TABLE, LociError } from '../../core/errors.ts';
import { createContext, type OpenContext } from '../../operations/context.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { runOperation } from '../../operations/run.ts';
import type { CommandCall } from './command-call.ts';
import { printError, toJson } from './report-error.ts';
import { CommandMachine } from './command-machine.ts';
import { columnsOf, type Io, isTerminal } from '../shared/io.ts';
import { escapeControl } from '../shared/escape-control.ts';
import { ProgressDisplay } from './format/progress-display.ts';
import { loadRenderer } from './commands/registry.ts';
import { hasColours, makeStyle } from './format/style.ts';

/** Runs a verb and shows what it answers. Answers the exit code. @throws what the verb throws */
export async function runCommand(call: CommandCall, io: Io): Promise<number> {
  const { operation } = call;
  const input = parseInput(operation, call.input, call.wording);
  const progress = new ProgressDisplay(io.stderr);
  const writesFiles = operation.localFields?.some((field) => field in call.input) ?? false;
  const interruption = new Interruption(io, operation.readOnly && !writesFiles, progress);
  const machine = new CommandMachine(io);
  const context = createContext({
    caller: { surface: 'cli', trust: 'operator' },
    env: io.env,
    signal: interruption.signal,
    onProgress: (now) => progress.update(now),
    machine,
    ...(call.home === undefined ? {} : { home: call.home }),
  });
  try {
    const renderer = await loadRenderer(operation.name);
    if (renderer.showsWarnings !== true) await warnOfSettings(context, io);
    const output = await runOperation(operation, context, input);
    progress.clear();
    const notices = renderer.notices?.(output) ?? [];
    for (const notice of notices) warn(notice, io);
    const view = {
      style: makeStyle(hasColours(io.stdout, io.env)),
      columns: columnsOf(io.stdout),
      terminal: isTerminal(io.stdout),
      options: call.views,
    };
    if (!machine.hasAnswered)
      io.stdout.write(call.json ? `${toJson(output)}\n` : renderer.render(output, view));
    const failure = renderer.failure?.(output) ?? null;
    if (failure === null) return renderer.exitCode?.(output) ?? 0;
    // In JSON it is part of the answer.
    if (!call.json) printError(failure, io);
    return failure.exitCode;
  } catch (error) {
    progress.clear();
    throw interruption.explain(error);
  } finally {
    await context.close();
    interruption.end();
  }
}

/** SIGHUP is a terminal that was closed, SIGQUIT Ctrl-\\. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Ctrl-C: the first stops after the batch at hand, the second at once. What only reads stops at the first. */
class Interruption {
  readonly #controller = new AbortController();
  readonly #onSignal: () => void;

  constructor(io: Io, readOnly: boolean, progress: ProgressDisplay) {
    const { exit } = ERROR_TABLE.aborted;
    this.#onSignal = () => {
      progress.clear();
      if (readOnly || this.signal.aborted) process.exit(exit);
      io.stderr.write('loci: stopping after this batch; Ctrl-C again stops at once\n');
      this.#controller.abort(new LociError('aborted', 'stopped'));
    };
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whatever a stopped call throws, it was stopped. */
  explain(error: unknown): unknown {
    if (!this.signal.aborted) return error;
    return new LociError('aborted', 'stopped', {
      hint: 'What was done stays; the same command goes on from there.',
      cause: error,
    });
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }
}

async function warnOfSettings(context: OpenContext, io: Io): Promise<void> {
  const config = await context.loadConfig().catch(() => null);
  if (config === null || config.values.log.level === 'error') return;
  for (const warning of config.warnings) warn(warning, io);
}

function warn(what: string, io: Io): void {
  const style = makeStyle(hasColours(io.stderr, io.env));
  io.stderr.write(`${style.warning('loci: warning:')} ${escapeControl(what)}\n`);
}
