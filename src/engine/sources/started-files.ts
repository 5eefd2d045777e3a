import { constants } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { expandHome } from '../../core/config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { hashFile } from './hash-file.ts';

/** A file that a command starts, and what tells whether it is still the same. */
export interface StartedFile {
  readonly path: string;
  /** SHA-256 of what it holds; `system` for what nobody but root can change. */
  readonly state: string;
}

/** Programs whose first operand is what they run. */
const INTERPRETER =
  /^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua|Rscript|(?:ba|da|z|k|fi)?sh|env|uv|npx|tsx|nice|ionice|timeout|nohup|time|stdbuf|xargs|setsid|flock|sudo|doas|g?awk|make|just)$/;
const SHELL = /^(?:ba|da|z|k|fi)?sh$/;
/** What reads a file into the shell that runs: elsewhere a dot is a folder. */
const SOURCING = /^(?:source|\.)$/;
/** With these flags the code itself follows: what stands behind it is data. */
const INLINE: readonly (readonly [interpreter: RegExp, flag: RegExp])[] = [
  [/^(?:python[\d.]*|(?:ba|da|z|k|fi)?sh)$/, /^-\w*c$/],
  [/^(?:node|bun|ruby|perl|lua)$/, /^(?:-\w*e|--eval|--print)$/],
];
const CODE = new Set([
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.py',
  '.rb',
  '.pl',
  '.php',
  '.lua',
  '.sh',
  '.bash',
  '.zsh',
  '.fish',
  '.R',
  '.jar',
  '.awk',
  '.mk',
]);
/** Words of a line for a shell, as far as they can name files. */
const WORDS = /[^\s|&;<>()'"`$=]+/g;
const MOST_SKILL_FILES = 5000;
const LARGEST_SKILL = 50_000_000;

/** The program that the system would start: `null` when there is none. */
export async function findProgram(program: string, cwd: string, path: string): Promise<string | null> {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : path.split(':').map((folder) => resolve(cwd, folder, program));
  for (const place of places) {
    if (await isProgram(place)) return place;
  }
  return null;
}

async function isProgram(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}

/** The program itself, and of its arguments those that name code: scripts, and whatever may be run. */
export async function startedFiles(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<StartedFile[]> {
  const paths = new Set([program]);
  let interpreter = basename(program);
  let isFirst = INTERPRETER.test(interpreter);
  for (const word of args.flatMap(wordsOf)) {
    if (INLINE.some(([of, flag]) => of.test(interpreter) && flag.test(word))) isFirst = false;
    const place = await codeAt(resolve(cwd, expandHome(word)), isFirst);
    if (place !== null) paths.add(place);
    // `nice sh tasks`: behind whatever starts another program stands what that one starts.
    if (SHELL.test(interpreter) && SOURCING.test(word)) isFirst = true;
    else if (INTERPRETER.test(basename(word))) {
      interpreter = basename(word);
      isFirst = true;
    } else if (place !== null) isFirst = false;
  }
  return Promise.all([...paths].toSorted().map(async (path) => ({ path, state: await stateOf(path) })));
}

/** A whole line for a shell is one argument, and options hold names of files: each word may be one. */
function wordsOf(argument: string): string[] {
  return [argument, ...(argument.match(WORDS) ?? [])].flatMap((word) => {
    // `--require=./x.js`, `-r./x.js`
    const option = /^--[\w-]+=(.+)$/.exec(word)?.[1] ?? /^-\w=?([^-].*)$/.exec(word)?.[1];
    return option === undefined ? [word] : [word, option];
  });
}

/** The file of code that a word names, as interpreters complete it; `null` for data, and for what is no file. */
async function codeAt(place: string, isOperand: boolean): Promise<string | null> {
  for (const ending of ['', '.js', '.mjs', '.cjs', '.py', '/package.json', '/index.js', '/__main__.py']) {
    const path = place + ending;
    if (!(await isFile(path))) continue;
    return isOperand || ending !== '' || CODE.has(extname(path)) || (await isProgram(path)) ? path : null;
  }
  return null;
}

function isFile(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** What belongs to the system is not read: its updates are not for a source's owner to look at. */
async function stateOf(path: string): Promise<string> {
  const real = await realpath(path);
  const { uid, mode } = await stat(real);
  const writers = 0o022;
  const isOfSystem = uid === 0 && (mode & writers) === 0 && process.getuid?.() !== 0;
  // Of a link, what it leads to now.
  return `${isOfSystem ? 'system' : await hashFile(real)}${real === path ? '' : ` ${real}`}`;
}

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
