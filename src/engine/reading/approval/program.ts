import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LociError } from '../../../core/errors.ts';

/** Characters that only a shell interprets, and that no program name contains. */
const SHELL_SYNTAX = /[|&;<>()$`*]|\s/;

/** The file that the system would execute for this name; `null` when there is none. */
export async function findProgram(name: string, cwd: string, path: string): Promise<string | null> {
  const candidates = name.includes('/')
    ? [resolve(cwd, name)]
    : path.split(':').map((folder) => resolve(cwd, folder, name));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** An `invalid_config` error that says why there is no program to start, and what to do. */
export async function missingProgramError(name: string, cwd: string): Promise<LociError> {
  const quoted = JSON.stringify(name);
  if (SHELL_SYNTAX.test(name))
    return missing(
      `there is no program ${quoted}`,
      'In a list, the first entry is the program and each further entry is one argument. To use a shell, write the line as one text with `shell: true`.',
    );
  const path = resolve(cwd, name);
  const found = await stat(path).catch(() => null);
  if (!name.includes('/'))
    return missing(
      `there is no program ${quoted} in PATH`,
      found?.isFile() === true
        ? `It is in the working folder of the command: write \`./${name}\`.`
        : 'Install it, or write its full path: PATH is that of the process that runs Loci, which may be an agent or a service.',
    );
  if (found === null)
    return missing(
      `there is no program ${path}`,
      'Correct the path. It is relative to the working folder of the command (`cwd`).',
    );
  return found.isFile()
    ? missing(
        `${path} is not executable`,
        `Run \`chmod +x ${path}\`, or name the interpreter that runs it: \`sh ${name}\`.`,
      )
    : missing(`${path} is not a program`, 'Name an executable file.');
}

function missing(message: string, hint: string): LociError {
  return new LociError('invalid_config', message, { hint });
}
