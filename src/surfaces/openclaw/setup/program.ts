import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { LociError, messageOf } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import type { JsonMap } from '../../../core/json.ts';

const run = promisify(execFile);

/** The oldest version whose plugin API Loci uses. */
const MIN_VERSION = '2026.9.6';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** A command takes seconds, and a call of the gateway up to a minute. */
const TIMEOUT_MS = 180_000;

export interface ProgramOptions {
  /** `openclaw` on the PATH, or the path of the program or of its script. */
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface HostAgent {
  readonly id: string;
  readonly workspace: string;
}

/** A plugin in the list of OpenClaw. */
export interface HostPlugin {
  readonly id: string;
  readonly version?: string;
  /** The folder of its package. */
  readonly rootDir: string;
  readonly status: string;
  readonly error?: string;
  readonly toolNames: readonly string[];
}

/** Runs commands of OpenClaw, without a shell. */
export class Openclaw {
  readonly #options: ProgramOptions;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get env(): NodeJS.ProcessEnv {
    return this.#options.env;
  }

  /** The same program with other variables. */
  with(env: NodeJS.ProcessEnv): Openclaw {
    return new Openclaw({ ...this.#options, env: { ...this.#options.env, ...env } });
  }

  /** The program and its arguments. Scripts run in the Node of this process. */
  commandLine(args: readonly string[]): [program: string, args: string[]] {
    const { path } = this.#options;
    if (/\.[cm]?js$/.test(path)) return [process.execPath, [resolve(path), ...args]];
    return [path, [...args]];
  }

  /** @throws LociError `source_failed` with what it printed, `unreadable` if it cannot be started, `aborted` */
  async run(...args: string[]): Promise<string> {
    const { env, signal } = this.#options;
    const [program, all] = this.commandLine(args);
    try {
      const { stdout } = await run(program, all, {
        env: { ...env, NO_COLOR: '1', FORCE_COLOR: undefined },
        signal,
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      return stdout;
    } catch (error) {
      throw explain(error, this.#options, args);
    }
  }

  async json(...args: string[]): Promise<unknown> {
    const output = await this.run(...args, '--json');
    try {
      return parseOutput(output);
    } catch (error) {
      throw new LociError('source_failed', `\`openclaw ${args.join(' ')}\` did not print JSON`, {
        hint: 'Run it in a terminal to see what it prints.',
        cause: error,
      });
    }
  }

  /** @throws LociError `unsupported_runtime` for an older version */
  async version(): Promise<string> {
    const output = await this.run('--version');
    const version = /\d{4}\.\d+\.\d+\S*/.exec(output)?.[0] ?? '';
    if (isRecent(version)) return version;
    throw new LociError(
      'unsupported_runtime',
      `Loci needs OpenClaw ${MIN_VERSION} or newer; this is ${version === '' ? output.trim() : version}`,
      { hint: 'Run `openclaw update`.' },
    );
  }

  async configFile(): Promise<string> {
    const { path } = (await this.json('config', 'file')) as { path: string };
    return path;
  }

  async agents(): Promise<HostAgent[]> {
    return (await this.json('agents', 'list')) as HostAgent[];
  }

  async plugins(): Promise<readonly HostPlugin[]> {
    const { plugins } = (await this.json('plugins', 'list')) as { plugins: readonly HostPlugin[] };
    return plugins;
  }

  /** @throws LociError `source_failed` with what OpenClaw says of a plugin that it has not loaded */
  async loadedPlugin(id: string): Promise<HostPlugin> {
    const plugin = (await this.plugins()).find((each) => each.id === id);
    if (plugin?.status === 'loaded') return plugin;
    throw new LociError('source_failed', `${id} is ${plugin?.error ?? plugin?.status ?? 'not installed'}`, {
      hint: 'Run `loci openclaw setup`; `openclaw plugins doctor` says why it is not loaded.',
    });
  }

  /**
   * Lets OpenClaw work with a copy of its configuration, which is then removed. OpenClaw writes a configuration and the files that
   * it includes anew whenever it changes them, and loses all comments. The copy includes no files.
   */
  async withConfigCopy<T>(
    configFile: string,
    values: JsonMap,
    use: (openclaw: Openclaw) => Promise<T>,
  ): Promise<T> {
    const folder = dirname(configFile);
    await removeConfigCopies(folder);
    const copy = join(folder, `${COPY_NAME}.json`);
    await writeFile(copy, JSON.stringify(values, null, 2), { mode: 0o600 });
    try {
      return await use(this.with({ OPENCLAW_CONFIG_PATH: copy }));
    } finally {
      await removeConfigCopies(folder);
    }
  }
}

const COPY_NAME = '.loci-setup';

/** Removes the copy of the configuration in a folder, and what OpenClaw keeps beside it. A process that was killed leaves its own. */
export async function removeConfigCopies(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(COPY_NAME));
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function explain(error: unknown, { path, signal }: ProgramOptions, args: readonly string[]): LociError {
  if (signal.aborted) return new LociError('aborted', 'stopped', { cause: error });
  const command = `openclaw ${args.slice(0, 2).join(' ')}`;
  if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'EACCES')
    return new LociError('unreadable', `${path} cannot be started`, {
      hint: 'Install OpenClaw (https://docs.openclaw.ai/install), or name the program with --openclaw PATH.',
      cause: error,
    });
  const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
  const printed = [stderr, stdout].map((each) => each.trim()).find((each) => each !== '');
  const lines = jsonFailure(stdout) ?? printed?.split('\n').slice(-8).join('\n') ?? messageOf(error);
  return new LociError('source_failed', `\`${command}\` failed: ${lines}`, {
    hint: 'Run `openclaw doctor`, and see what it says.',
    cause: error,
  });
}

/** The message of a failure that a command with `--json` has printed. */
function jsonFailure(stdout: string): string | null {
  try {
    const { error } = parseOutput(stdout) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : null;
  } catch {
    return null;
  }
}

/** A warning may come before the document. */
function parseOutput(stdout: string): unknown {
  return JSON.parse(stdout.slice(Math.max(0, stdout.search(/^[{[]/m))));
}

/** Whether a version such as 2026.10.0-beta.1 has all that Loci uses. */
export function isRecent(version: string): boolean {
  return version !== '' && version.localeCompare(MIN_VERSION, 'en', { numeric: true }) >= 0;
}
