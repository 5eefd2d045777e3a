import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import type { FoundSkill } from '../document.ts';
import { decodeText } from '../files/decode.ts';
import { readWithin } from '../files/read-file.ts';
import { frontMatterSpan } from '../markdown/front-matter-span.ts';
import { parseFrontMatter } from '../markdown/front-matter.ts';

const FILE = 'SKILL.md';
/** Bytes. */
const LARGEST = 262_144;
const MOST_SKILLS = 1000;

/**
 * The skills of a folder that name a source, by name: each folder in it with a `SKILL.md` whose front matter has
 * `memorySource:`. A folder that is not there has none.
 * @throws LociError `unreadable` when the folder cannot be read
 */
export async function findSkills(root: string): Promise<FoundSkill[]> {
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
  for (const name of visible.slice(0, MOST_SKILLS)) {
    const skill = await readSkill(realRoot, name);
    if (skill !== null) found.push(skill);
  }
  return found;
}

/** `null` for what is no skill, or names no source. */
async function readSkill(realRoot: string, name: string): Promise<FoundSkill | null> {
  const folder = join(realRoot, name);
  const text = await skillText(realRoot, name);
  if (text === null) return null;
  if (typeof text !== 'string') return { id: idOf(name), folder, written: null, problem: text.problem };
  const span = frontMatterSpan(text);
  if (span === null) return null;
  const { fields, problem } = parseFrontMatter(text.slice(span.yamlStart, span.yamlEnd));
  const { name: title, memorySource } = fields;
  if (memorySource === undefined) return null;
  const id = idOf(typeof title === 'string' ? title : name);
  const real = await realpath(folder);
  return {
    id,
    folder: real,
    written: memorySource,
    problem: problem === null ? null : `${FILE}: ${problem}`,
  };
}

async function skillText(realRoot: string, name: string): Promise<string | { problem: string } | null> {
  try {
    const read = await readWithin(realRoot, `${name}/${FILE}`, LARGEST);
    if (read === 'outside') return { problem: `${FILE} lies outside the folder of skills` };
    if (read === 'special') return null;
    if ('tooLarge' in read) return { problem: `${FILE} is larger than ${String(LARGEST)} bytes` };
    return decodeText(read.bytes)?.text ?? { problem: `${FILE} is no text` };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return { problem: `${FILE} cannot be read: ${describeFileError(error)}` };
  }
}

/** A name as an id is written. */
function idOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
  return plain === '' ? 'skill' : plain;
}
