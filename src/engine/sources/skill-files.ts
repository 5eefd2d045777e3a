import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { isFile, stateOf, type StartedFile } from './started-file.ts';

const MOST_SKILL_FILES = 5000;
const LARGEST_SKILL = 50_000_000;

/** What no program loads code from, and what others write while they look. */
const PASSED_OVER = new Set(['.git', '.DS_Store']);

/**
 * Every file of a skill, those of its `node_modules` and those whose names begin with a dot among them: what it starts may
 * load any of them.
 * @throws LociError `not_approved` for a skill that is too large to be approved as it is
 */
export async function skillFiles(folder: string): Promise<StartedFile[]> {
  const files: StartedFile[] = [];
  let bytes = 0;
  const root = await realpath(folder);
  const walk = async (at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (PASSED_OVER.has(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) await walk(path);
      if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      const linked = entry.isSymbolicLink() ? await folderBehind(path, root) : null;
      if (linked === null) bytes += (await stat(path)).size;
      if (files.length >= MOST_SKILL_FILES || bytes > LARGEST_SKILL) throw tooLarge(folder);
      files.push({ path, state: linked ?? (await stateOf(path)) });
    }
  };
  await walk(folder);
  return files;
}

/**
 * Where a link to a folder of the skill itself leads, whose files count where they are; `null` of a link to a file, which
 * counts with what it leads to. Of a folder elsewhere nobody knows what belongs to the skill.
 */
async function folderBehind(link: string, root: string): Promise<string | null> {
  if (await isFile(link)) return null;
  const real = await realpath(link).catch(() => null);
  const within = real === null ? '' : relative(root, real);
  const isCounted =
    within !== '' && !within.split(sep).some((name) => name === '..' || PASSED_OVER.has(name));
  if (real !== null && isCounted) return `folder ${real}`;
  throw new LociError(
    'not_approved',
    `${link} is a link that leads to no file, and to no folder of the skill`,
    {
      hint: 'Put what the skill needs into its folder.',
    },
  );
}

function tooLarge(folder: string): LociError {
  return new LociError(
    'not_approved',
    `${folder} holds more than ${String(MOST_SKILL_FILES)} files or ${String(LARGEST_SKILL / 1_000_000)} MB: its code cannot be told apart from its data`,
    {
      hint: 'Let the skill keep its data elsewhere, and install what it runs with alone: `npm install --omit=dev`.',
    },
  );
}
