import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { SourceSettings } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import { argvOf } from '../../../core/text/split-command.ts';
import type { EngineContext } from '../../context.ts';

export interface WorkingFolder {
  readonly cwd: string;
  /** A folder whose files are all watched, as those of a skill are: agents may write to it. */
  readonly watched?: string;
}

/**
 * The folder in which the command of a source in the settings runs: `cwd`, else the Loci home. If the command names a file by a
 * relative path that is not there, it is the first folder beside a folder of skills that has the file, because the commands of
 * skills are usually written as `node skills/tasks/tasks.js`.
 */
export async function workingFolder(
  { config, trustsSettings }: Pick<EngineContext, 'config' | 'trustsSettings'>,
  settings: SourceSettings,
): Promise<WorkingFolder> {
  if (settings.cwd !== undefined) return { cwd: settings.cwd };
  const { home = homedir(), skills } = config;
  const file = relativeFile(settings);
  // Agents may write to their workspaces, and what runs without approval may not come from there.
  if (file === null || trustsSettings || (await isFile(join(home, file)))) return { cwd: home };
  for (const { path } of skills) {
    const cwd = dirname(path);
    if (await isFile(join(cwd, file))) return { cwd, watched: skillFolder(path, join(cwd, file)) };
  }
  return { cwd: home };
}

/** The folder of the skill that has a file, or of the file itself if it is in none: it may load anything beside it. */
function skillFolder(skills: string, file: string): string {
  const [name = '', ...rest] = relative(skills, file).split(sep);
  return rest.length === 0 || name === '..' ? dirname(file) : join(skills, name);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The first word of a command that is the relative path of a file in a folder; `null` without one. */
function relativeFile(settings: SourceSettings): string | null {
  try {
    const isPath = (word: string): boolean =>
      word.includes('/') && !word.includes('://') && !word.startsWith('-') && !isAbsolute(word);
    return argvOf(settings).find(isPath) ?? null;
  } catch (error) {
    if (error instanceof LociError) return null;
    throw error;
  }
}
