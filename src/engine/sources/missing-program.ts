import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LociError } from '../../core/errors.ts';
import type { Approvable } from './approval.ts';

/** What only a shell understands, and no name of a program has. */
const FOR_SHELL = /[|&;<>()$`*]|\s/;

/** Why there is no program to start, and what to do: an `invalid_config`. */
export async function missingProgram({ argv, cwd }: Pick<Approvable, 'argv' | 'cwd'>): Promise<LociError> {
  const name = argv[0] ?? '';
  const told = JSON.stringify(name);
  if (FOR_SHELL.test(name))
    return missing(
      `there is no program ${told}`,
      'Of a list the first is the program, the others its arguments, one each. For a shell write the line as one text, with `shell: true`.',
    );
  const place = resolve(cwd, name);
  const found = await stat(place).catch(() => null);
  if (name.includes('/')) {
    if (found === null)
      return missing(
        `there is no program ${place}`,
        'Correct the path; it begins at the folder that the command runs in (`cwd`).',
      );
    return found.isFile()
      ? missing(
          `${place} is not executable`,
          `Run \`chmod +x ${place}\`, or name what runs it: \`sh ${name}\`.`,
        )
      : missing(`${place} is no program`, 'Name the file that is to be started.');
  }
  return missing(
    `there is no program ${told} in PATH`,
    found?.isFile() === true
      ? `It is in the folder that the command runs in: write \`./${name}\`.`
      : 'Install it, or write its whole path: PATH is that of whoever starts Loci, an agent or a service too.',
  );
}

function missing(message: string, hint: string): LociError {
  return new LociError('invalid_config', message, { hint });
}
