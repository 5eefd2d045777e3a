import { type Command, CommanderError } from 'commander';
import { LociError } from '../../core/errors.ts';
import { packageVersion } from '../../core/runtime.ts';
import type { OperationEntry } from '../../operations/registry.ts';
import { toJson } from '../shared/escape-control.ts';
import { RENAMED_COMMANDS } from '../shared/command-names.ts';
import type { Io } from '../shared/io.ts';
import type { RunCommandLine } from './command-socket/listen.ts';
import { COMPLETE, completions } from './completion.ts';
import { buildProgram, GETTING_STARTED, VERSION_REQUESTED } from './program.ts';
import { reportError } from './report-error.ts';
import type { OpenSession } from './run-command.ts';
import { findCommand, usageHint } from './usage.ts';

/**
 * Runs one command line and returns its exit code.
 * @param openSession lends an operation an engine that is open already
 */
export async function runCli(
  argv: readonly string[],
  entries: readonly OperationEntry[],
  io: Io,
  openSession?: OpenSession,
): Promise<number> {
  let exitCode = 0;
  try {
    const program = await buildProgram(argv, entries, io, {
      run: async (call) => {
        const { runCommand } = await import('./run-command.ts');
        exitCode = await runCommand(call, io, openSession);
      },
      runStandalone: async (standalone, call) => {
        const run = await standalone.load();
        exitCode = await run(call, io, {
          answerCommands: async (context, makeLink) => {
            const { listenForCommands } = await import('./command-socket/listen.ts');
            const run: RunCommandLine = (line, output, session) => runCli(line, entries, output, session);
            return listenForCommands(context, run, makeLink);
          },
        });
      },
    });
    if (argv[0] === COMPLETE) io.stdout.write(completions(program, argv.slice(1)));
    else if (argv.length === 0) io.stdout.write(GETTING_STARTED);
    else if (await parse(program, argv)) io.stdout.write(await versionText(wantsJson(argv)));
    return exitCode;
  } catch (error) {
    return reportError(error, io, wantsJson(argv));
  }
}

/** Runs the command that `argv` names. Returns whether it asks for the version instead. */
async function parse(program: Command, argv: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return false;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === VERSION_REQUESTED) return true;
    // Commander has printed the help.
    if (error.exitCode === 0) return false;
    const command = findCommand(program, argv);
    throw (command === program ? renamedError(argv) : null) ?? toLociError(error, command);
  }
}

/** What to do instead of commands that other programs have. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['backup', '`loci export --to FILE` writes everything into a file, and `loci import FILE` reads it back.'],
  ['restore', '`loci import FILE` reads what `loci export --to FILE` has written.'],
  ['version', '`loci --version` prints the version.'],
  ['upgrade', 'docs/install.md says how to update Loci.'],
]);

/** The error about the former name of a command, if `argv` begins with one. */
function renamedError(argv: readonly string[]): LociError | null {
  const name = argv.find((word, i) => !word.startsWith('-') && !/^--(home|input)$/.test(argv[i - 1] ?? ''));
  if (name === undefined || !Object.hasOwn(RENAMED_COMMANDS, name)) return null;
  return new LociError('invalid_input', `\`loci ${name}\` has another name`, {
    hint: `It is \`loci ${RENAMED_COMMANDS[name]!}\` now.`,
  });
}

/** Commander's messages read `error: unknown option '--lmit'`, then `(Did you mean --limit?)` on the next line. */
function toLociError(error: CommanderError, command: Command): LociError {
  if (error.code === 'commander.help') {
    const names = command.commands.map((each) => each.name()).join(', ');
    return new LociError('invalid_input', `${command.name()} needs a command: ${names}`, {
      hint: usageHint(command),
    });
  }
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const [, unknown = ''] = /^unknown command '(.*)'$/.exec(message) ?? [];
  // A query may have `-word` or `-"several words"`, for what no result may have.
  const isWord =
    command.registeredArguments.some(({ variadic }) => variadic) && /'-(?:\p{L}{2}|["“])/u.test(message);
  const usage = isWord
    ? `After \`--\`, words may begin with \`-\`. ${usageHint(command)}`
    : usageHint(command);
  const hint = OTHER_NAMES.get(unknown) ?? suggestion?.replace(/^\(|\)$/g, '') ?? usage;
  return new LociError('invalid_input', message, { hint });
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

/** The version; with `json` also what a report of a bug needs: Node, SQLite, the machine and the bundled model. */
async function versionText(json: boolean): Promise<string> {
  const version = packageVersion();
  if (!json) return `${version}\n`;
  const { openEmbedder } = await import('../../embed/registry.ts');
  const embedder = await openEmbedder({ provider: 'local' });
  await embedder?.close();
  const { node, sqlite = null } = process.versions;
  const { platform, arch } = process;
  return `${toJson({ version, node, sqlite, platform, arch, model: embedder?.model ?? null })}\n`;
}
