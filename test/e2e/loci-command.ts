import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { createContext } from '../../src/operations/context.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { runCli } from '../../src/surfaces/cli/run-cli.ts';
import type { OpenSession } from '../../src/surfaces/cli/run-command.ts';
import { writeNotes } from '../contract/engines.ts';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** The lines of progress that a command writes to standard error if it takes longer than a second. */
export const PROGRESS =
  /^loci: (?:Search works now|(?:reading|cutting|relating|embedding|copying|checking|waiting)\b).*\n/gm;

/** The bundled command line. */
export const MAIN: string = inject('command');

export interface CommandResult {
  /** `null` if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  /** Additional environment variables. The provider is `none` unless they set another. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string | Buffer;
  readonly columns?: number;
  /** What a person types at the question of a command, in a terminal. */
  readonly answer?: string;
  /** Standard output is a terminal. */
  readonly terminal?: boolean;
}

/** Creates a temporary folder. It is removed after the running test, or without one after all tests of the file. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loci-test-')));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    onTestFinished(removeFolder);
  } catch {
    // No test is running.
    afterAll(removeFolder);
  }
  return folder;
}

const COPY_VAULT = { recursive: true, preserveTimestamps: true };

/** A copy of `examples/vault`. */
export function copyOfVault(name = 'vault'): string {
  const vault = join(temporaryFolder(), name);
  cpSync(`${ROOT}examples/vault`, vault, COPY_VAULT);
  return vault;
}

/**
 * Prepares a home once for the tests of a file. Each call of the returned function makes a copy of it. What `prepare` writes
 * elsewhere in its folder, such as notes, is the same for all copies, so tests must not change it.
 */
export function preparedHomes(prepare: (home: string, folder: string) => Promise<unknown>): () => string {
  const folder = temporaryFolder();
  const prepared = join(folder, 'home');
  beforeAll(() => prepare(prepared, folder));
  return () => {
    const home = join(temporaryFolder(), 'home');
    cpSync(prepared, home, { recursive: true });
    return home;
  };
}

/** Homes in which notes are indexed; by default those of the example vault. */
export function indexedHomes(notes?: Readonly<Record<string, string>>): () => string {
  return preparedHomes(async (home, folder) => {
    const vault = join(folder, notes === undefined ? 'vault' : 'notes');
    if (notes === undefined) cpSync(`${ROOT}examples/vault`, vault, COPY_VAULT);
    else await writeNotes(vault, notes);
    await loci(['index', vault], { home });
  });
}

function environment({ home, env }: RunOptions): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, LOCI_HOME: home, LOCI_EMBEDDING_PROVIDER: 'none', ...env };
}

/** Opens a store that runs in this thread. It takes half the time, and `startLoci` uses the threads. */
const openInline: OpenSession = (options) => {
  const context = createContext({ ...options, inlineStore: true });
  return { context, explain: (error) => error, end: () => context.close() };
};

/** Runs the command line in this process. */
export async function loci(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  const asked = options.answer !== undefined;
  const [stdout, stderr] = [collector(options), collector({ terminal: asked })];
  const input = options.answer ?? options.stdin;
  const io = {
    stdin: Object.assign(
      Readable.from(input === undefined ? [] : [Buffer.from(input)]),
      asked && { isTTY: true },
    ),
    stdout,
    stderr,
    env: environment(options),
  };
  // A command that names its home opens the store itself, and a provider in this thread must not wait for the store.
  const opensItself = args.includes('--home') || io.env['LOCI_EMBEDDING_URL'] !== undefined;
  const code = await runCli(args, OPERATIONS, io, opensItself ? undefined : openInline);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Runs a command with `--json` and returns the document that it prints. */
export async function lociJson<Output>(args: readonly string[], options: RunOptions): Promise<Output> {
  const { code, stdout, stderr } = await loci([...args, '--json'], options);
  if (code !== 0) throw new Error(`exit code ${String(code)}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Output;
}

function collector({ columns, terminal }: Partial<RunOptions>) {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(output, {
    text: () => Buffer.concat(chunks).toString(),
    ...(columns !== undefined && { columns }),
    ...(terminal === true && { isTTY: true as const }),
  });
}

export interface RunningLoci {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

/** Starts `program` with `leadingArgs` and `args` in a separate process; by default, Node with the bundled command line. */
export function startLoci(
  args: readonly string[],
  options: RunOptions,
  leadingArgs: readonly string[] = [MAIN],
  program: string = process.execPath,
): RunningLoci {
  const child = spawn(program, [...leadingArgs, ...args], { env: environment(options) });
  child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
  return { child, ended };
}
