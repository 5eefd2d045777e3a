import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { isJsonMap } from '../../core/json.ts';
import type { FoundSkill } from '../document.ts';
import { decodeText } from '../files/decode-text.ts';
import { readWithin } from '../files/read-file.ts';
import { frontMatterSpan } from '../markdown/front-matter-span.ts';
import { parseFrontMatter } from '../markdown/front-matter.ts';

const SKILL_FILE = 'SKILL.md';
const MAX_SKILL_BYTES = 262_144;
const MAX_SKILLS = 1000;

/**
 * Finds the skills that define a source, sorted by the names of their folders: every subfolder with a `SKILL.md` whose
 * front matter has `memorySource:`. Returns an empty list if the folder does not exist.
 * @throws LociError `unreadable` when the folder cannot be read
 */
export async function readSkills(root: string): Promise<FoundSkill[]> {
  let realRoot: string;
  let names: string[];
  try {
    realRoot = await realpath(root);
    names = await readdir(realRoot);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw new LociError('unreadable', `the skills in ${root} cannot be read: ${describeFileError(error)}`, {
      cause: error,
    });
  }
  const visible = names.filter((name) => !name.startsWith('.') && name !== 'node_modules').toSorted();
  const found: FoundSkill[] = [];
  for (const name of visible.slice(0, MAX_SKILLS)) {
    const skill = await readSkill(realRoot, name);
    if (skill !== null) found.push(skill);
  }
  return found;
}

/** Returns `null` for a folder that is not a skill or defines no source. */
async function readSkill(realRoot: string, name: string): Promise<FoundSkill | null> {
  const folder = join(realRoot, name);
  const text = await readSkillFile(realRoot, name);
  if (text === null) return null;
  if (typeof text !== 'string') return { id: toId(name), folder, memorySource: null, problem: text.problem };
  const span = frontMatterSpan(text);
  if (span === null) return null;
  const { fields, problem } = parseFrontMatter(text.slice(span.yamlStart, span.yamlEnd), span);
  const { name: title, memorySource } = fields;
  if (memorySource === undefined) return null;
  const { id, settings } = takeId(memorySource);
  return {
    id: toId(id ?? (typeof title === 'string' ? title : name)),
    folder: await realpath(folder),
    memorySource: settings,
    problem: problem === null ? null : `${SKILL_FILE}: ${problem}`,
  };
}

/** The id that `memorySource:` has in place of the name of the skill, and its other keys. */
function takeId(memorySource: unknown): { readonly id: string | null; readonly settings: unknown } {
  if (!isJsonMap(memorySource)) return { id: null, settings: memorySource };
  const { id, ...settings } = memorySource;
  return typeof id === 'string' ? { id, settings } : { id: null, settings: memorySource };
}

async function readSkillFile(realRoot: string, name: string): Promise<string | { problem: string } | null> {
  try {
    const read = await readWithin(realRoot, `${name}/${SKILL_FILE}`, MAX_SKILL_BYTES);
    if (read === 'outside') return { problem: `${SKILL_FILE} is outside the folder of skills` };
    if (read === 'special') return null;
    if ('tooLarge' in read)
      return { problem: `${SKILL_FILE} is larger than ${String(MAX_SKILL_BYTES)} bytes` };
    return decodeText(read.bytes)?.text ?? { problem: `${SKILL_FILE} is not a text file` };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return { problem: `${SKILL_FILE} cannot be read: ${describeFileError(error)}` };
  }
}

/** Converts a name to a valid id: lowercase letters without accents, digits, dots, dashes and underscores. */
function toId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
  return plain === '' ? 'skill' : plain;
}
