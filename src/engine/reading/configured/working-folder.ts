import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { SourceSettings } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import { argvOf } from '../../../core/text/split-command.ts';
import type { EngineContext } from '../../context.ts';

/**
 * The folder in which the command of a source in the settings runs: `cwd`, else the Loci home. If the command names a file by a
 * relative path that is not there, it is the first folder beside a folder of skills that has the file, because the commands of
 * skills are usually written as `node skills/tasks/tasks.js`.
 */
export async function workingFolder(
  { config, trustsSettings }: Pick<EngineContext, 'config' | 'trustsSettings'>,
  settings: SourceSettings,
): Promise<string> {
  if (settings.cwd !== undefined) return settings.cwd;
  const { home = homedir(), skills } = config;
  const file = relativeFile(settings);
  // Agents may write to their workspaces, and what runs without approval may not come from there.
  if (file === null || trustsSettings) return home;
  for (const folder of [home, ...skills.map(({ path }) => dirname(path))]) {
    const found = await stat(join(folder, file)).catch(() => null);
    if (found?.isFile() === true) return folder;
  }
  return home;
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
