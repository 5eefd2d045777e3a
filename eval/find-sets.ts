import { existsSync, globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LociError } from '../src/core/errors.ts';
import { isBesideSet } from './sets.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const HOUSEHOLD: string = join(ROOT, 'eval', 'sets', 'household.json');
export const AMBIENT: string = join(ROOT, 'eval', 'sets', 'ambient.json');
export const ABSENT: string = join(ROOT, 'eval', 'sets', 'absent.json');
export const NEWEST: string = join(ROOT, 'eval', 'sets', 'newest.json');
/** The sets of this repository. */
export const REPOSITORY_SETS: readonly string[] = [HOUSEHOLD, AMBIENT, ABSENT, NEWEST];
const DEFAULT_FOLDER = join(ROOT, '..', 'shared', 'eval', 'dev');

/** The names of sets whose questions need several documents. */
const MULTI_HOP = /musique|hotpot|2wiki/i;

/** The files of the sets that measure associative recall. */
export function findMultiHopSets(): string[] {
  return findSets().filter((file) => MULTI_HOP.test(file));
}

/**
 * The files of all sets: first those of this repository, then those of a folder, by name.
 * @throws LociError `invalid_input` when `LOCI_EVAL_DATA` names no folder, or one without sets
 */
export function findSets(environment: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const configured = environment['LOCI_EVAL_DATA'];
  if (configured === undefined || configured === '')
    return [...REPOSITORY_SETS, ...(existsSync(DEFAULT_FOLDER) ? setsIn(DEFAULT_FOLDER) : [])];
  const folder = resolve(configured);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new LociError('invalid_input', `LOCI_EVAL_DATA is not a folder: ${folder}`);
  }
  const sets = setsIn(folder);
  if (sets.length === 0) {
    throw new LociError('invalid_input', `LOCI_EVAL_DATA has no .json or .json.gz file: ${folder}`);
  }
  return [...REPOSITORY_SETS, ...sets];
}

function setsIn(folder: string): string[] {
  return globSync('*.{json,json.gz}', { cwd: folder })
    .filter((name) => !isBesideSet(name))
    .sort()
    .map((name) => join(folder, name));
}
