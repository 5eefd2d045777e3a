import { LociError } from '../../../core/errors.ts';
import { toJson } from '../../shared/escape-control.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { bashScript } from './bash.ts';
import { type CompletedCommand, completedCommands } from './command-tree.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Runs `loci completion SHELL`: prints the script that makes a shell complete commands, options and choices. */
export const printCompletion: RunStandalone = async ({ operands: [shell], json }, io, { wholeProgram }) => {
  const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (shell === undefined || script === undefined)
    throw new LociError(
      'invalid_input',
      shell === undefined ? 'SHELL is missing' : `loci has no completion for ${shell}`,
      {
        hint: `Name one of these shells: ${Object.keys(SCRIPTS).join(', ')}.`,
      },
    );
  const text = script(completedCommands(await wholeProgram()));
  io.stdout.write(json ? `${toJson({ shell, script: text })}\n` : text);
  return 0;
};
