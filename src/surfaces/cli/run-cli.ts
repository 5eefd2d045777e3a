import { CommanderError } from 'commander';
import { LociError } from '../../core/errors.ts';
import type { OperationEntry } from '../../operations/registry.ts';
import { reportError } from './exit.ts';
import type { Io } from './io.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and answers its exit code. Nothing is left open. */
export async function runCli(
  argv: readonly string[],
  entries: readonly OperationEntry[],
  io: Io,
): Promise<number> {
  let exitCode = 0;
  try {
    const program = await buildProgram(argv, entries, io, async (call) => {
      const { runCommand } = await import('./run-command.ts');
      exitCode = await runCommand(call, io);
    });
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help and version have been printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return reportError(error instanceof CommanderError ? toLociError(error) : error, io, wantsJson(argv));
  }
}

/** `error: unknown option '--lmit'`, then `(Did you mean --limit?)`. */
function toLociError(error: CommanderError): LociError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = suggestion?.replace(/^\(|\)$/g, '') ?? 'Run `loci --help`, or `loci COMMAND --help`.';
  return new LociError('invalid_input', message, { hint });
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}
