import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_TABLE, LociError } from '../../core/errors.ts';
import { lowerPriority } from '../../core/runtime.ts';
import { type ContextOptions, createContext, type OpenContext } from '../../operations/context.ts';
import type { LocalIo, OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { askYesNo, mayAsk } from '../shared/ask.ts';
import { asTypedIn } from '../shared/command-names.ts';
import { escapeControlJson, toJson } from '../shared/escape-control.ts';
import { hostReaderIn } from '../shared/host-reader.ts';
import { outputColumns, type Io, isTerminal } from '../shared/io.ts';
import { STOP_SIGNALS } from '../shared/stop-signals.ts';
import type { CommandCall } from './describe-command.ts';
import { ProgressDisplay } from './format/progress-display.ts';
import { hasColours, makeStyle } from './format/style.ts';
import { printWarning } from './format/print-warning.ts';
import { printError } from './report-error.ts';
import { readStdin } from './stdin.ts';

/** What a command uses while it runs. */
export interface CommandSession {
  readonly context: OperationContext;
  /** The error to report for one that the operation has thrown. */
  explain(error: unknown): unknown;
  end(): Promise<void>;
}

/** What a command gives to its context. */
export type CommandSessionOptions = Required<
  Pick<ContextOptions, 'caller' | 'env' | 'onProgress' | 'machine'>
>;

/** Provides a command with an engine that is open already. */
export type OpenSession = (options: CommandSessionOptions) => CommandSession;

/**
 * Runs an operation, prints its output, and returns the exit code.
 * @param openSession by default, the command opens the store itself, and the signals of this process stop it
 * @throws what the operation throws
 */
export async function runCommand(call: CommandCall, io: Io, openSession?: OpenSession): Promise<number> {
  const { operation, command } = call;
  const input = parseInput(operation, call.input, call.wording);
  const question = call.viewOptions.has('yes') ? null : (command.question?.(input) ?? null);
  if (question !== null && mayAsk(io)) await askYesNo(io, question, { hint: '--yes does not ask.' });
  const progress = new ProgressDisplay(io.stderr);
  const localIo = new ProcessIo(io);
  const reader = hostReaderIn(io.env);
  const options: CommandSessionOptions = {
    caller: {
      surface: 'cli',
      trust: 'operator',
      ...(reader !== null && { namespace: reader.namespace }),
    },
    env: io.env,
    onProgress: (current) => progress.update(current),
    machine: localIo,
  };
  const session = openSession?.(options) ?? new ProcessSession(call, io, progress, options);
  const { context } = session;
  try {
    if (command.rendersConfigWarnings !== true) await printConfigWarnings(context, io);
    const output =
      reader === null
        ? await runOperation(operation, context, input)
        : await (
            await import('./run-for-reader.ts')
          ).runForReader(operation, { ...context, vaults: reader.vaults }, input, reader);
    progress.clear();
    for (const warning of command.warnings?.(output) ?? []) printWarning(warning, io);
    if (!localIo.hasWrittenOutput) io.stdout.write(outputText(output, call, io));
    const failure = command.failure?.(output) ?? null;
    if (failure === null) return command.exitCode?.(output) ?? 0;
    // The JSON output contains the failure already.
    if (!call.json) printError(failure, io);
    return failure.exitCode;
  } catch (error) {
    progress.clear();
    throw session.explain(error);
  } finally {
    await session.end();
  }
}

/** Operations whose texts name commands, and quote nothing that is remembered. */
const GUIDES = /^(?:status|doctor|index|reindex|embed-\w+|sources-(?!test$)\w+)$/;

function outputText(output: unknown, { operation, command, json, viewOptions }: CommandCall, io: Io): string {
  if (json) return `${toJson(output)}\n`;
  const text = command.render(output, {
    style: makeStyle(hasColours(io.stdout, io.env)),
    columns: outputColumns(io.stdout),
    terminal: isTerminal(io.stdout),
    options: viewOptions,
  });
  return GUIDES.test(operation.name) ? asTypedIn(io.env, text) : text;
}

/** Enough for the largest export, which `import` reads whole. */
const MAX_STDIN_BYTES = 128 * 1024 * 1024;
/** New objects of a background process, in megabytes. V8 would use a fifth of its memory more, without being faster. */
const MAX_SEMI_SPACE = '--max-semi-space-size=8';
const IS_IN_BACKGROUND = process.execArgv.includes(MAX_SEMI_SPACE);

/** Gives an operation access to standard input and output, and so to the files of this machine. */
class ProcessIo implements LocalIo {
  readonly #io: Io;
  /** Whether the operation wrote its output to standard output itself. */
  hasWrittenOutput = false;

  constructor(io: Io) {
    this.#io = io;
  }

  readInput(): Promise<string> {
    return readStdin(this.#io, MAX_STDIN_BYTES);
  }

  async writeOutput(text: string): Promise<void> {
    this.hasWrittenOutput = true;
    // A file or a program gets the exact lines: their digest covers every byte.
    const shown = isTerminal(this.#io.stdout) ? escapeControlJson(text) : text;
    if (!this.#io.stdout.write(shown)) await once(this.#io.stdout, 'drain');
  }

  startInBackground(commandLine: readonly string[], home: string): number {
    const path = join(home, 'background.log');
    // A link at this path is removed, and not followed.
    mkdirSync(home, { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    const log = openSync(path, 'wx', 0o600);
    try {
      const options = [...process.execArgv, MAX_SEMI_SPACE];
      const child = spawn(process.execPath, [...options, process.argv[1] ?? '', ...commandLine], {
        detached: true,
        stdio: ['ignore', log, log],
        env: { ...this.#io.env, LOCI_HOME: home },
      });
      child.unref();
      // Without a handler the event would end this process. The missing pid tells the same.
      child.on('error', () => undefined);
      if (child.pid === undefined) throw new LociError('internal', 'a background process cannot be started');
      lowerPriority(child.pid);
      return child.pid;
    } finally {
      closeSync(log);
    }
  }
}

/** Opens the store for one command, which the signals of this process stop. */
class ProcessSession implements CommandSession {
  readonly context: OpenContext;
  readonly #interruption: Interruption;

  constructor(call: CommandCall, io: Io, progress: ProgressDisplay, options: CommandSessionOptions) {
    const { operation, command, home } = call;
    const writesFiles = operation.localFields?.some((field) => field in call.input) ?? false;
    this.#interruption = new Interruption(io, operation.kind === 'read' && !writesFiles, progress);
    this.context = createContext({
      ...options,
      signal: this.#interruption.signal,
      onWarning: (warning) => {
        progress.clear();
        printWarning(warning, io);
      },
      // Nothing else waits for the event loop of a process in the background.
      inlineStore: IS_IN_BACKGROUND || (operation.steps !== true && command.isLong !== true),
      ...(home !== undefined && { home }),
    });
  }

  explain(error: unknown): unknown {
    return this.#interruption.explain(error);
  }

  async end(): Promise<void> {
    await this.context.close();
    this.#interruption.end();
  }
}

/**
 * Handles Ctrl-C. The first one lets an operation that writes end its current batch, the second one exits at once. An
 * operation that only reads exits at the first.
 */
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
    for (const signal of STOP_SIGNALS) process.on(signal, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Replaces any error of an interrupted operation by `aborted`. */
  explain(error: unknown): unknown {
    if (!this.signal.aborted) return error;
    return new LociError('aborted', 'stopped', {
      hint: 'What was done is saved; the same command continues from there.',
      cause: error,
    });
  }

  end(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#onSignal);
  }
}

async function printConfigWarnings(context: OperationContext, io: Io): Promise<void> {
  const config = await context.loadConfig().catch(() => null);
  if (config === null || config.values.log.level === 'error') return;
  for (const warning of config.warnings) printWarning(warning, io);
}
