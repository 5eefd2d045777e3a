import { createHash } from 'node:crypto';
import { type BigIntStats, type Dirent, constants } from 'node:fs';
import { open, readdir, realpath, stat, access } from 'node:fs/promises';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import { expandHome } from '../../../config/paths.ts';
import { LociError } from '../../../core/errors.ts';

/** A file that the approval of a command covers. */
export interface WatchedFile {
  readonly path: string;
  /**
   * SHA-256 of its content, or `system` when only root can change it. A link is followed by the path of its target; a link to a
   * folder that is watched anyway is `folder` and that path.
   */
  readonly state: string;
}

/** What to watch for the approval of a command. */
interface WatchScope {
  readonly program: string | null;
  readonly args: readonly string[];
  /** The folder that `args` and `watch` are relative to. */
  readonly cwd: string;
  /** Files and folders that the settings of the source list. */
  readonly watch: readonly string[];
  /** The folder of the skill that defines the source. */
  readonly skill: string | null;
}

const MAX_FOLDER_FILES = 5000;
const MAX_FOLDER_BYTES = 50_000_000;
/** Entries of a folder that no program loads code from, and that Git and file managers write while they read. */
const IGNORED_NAMES = new Set(['.git', '.DS_Store']);
/** `/dev/stdout` is a file where the output of Loci goes to one. The files of `/proc` describe the running system. */
const DEVICE = /^\/(?:dev\/(?:std(?:in|out|err)|fd\/)|proc\/)/;
/** The working folder and the root of the command, as it can name them itself. */
const OWN_FOLDERS = /^\/proc\/(?:self|thread-self)\/(cwd|root)(?=\/)/;
/** Programs that run the first file or folder among their arguments, whatever its name ends with. */
export const INTERPRETERS =
  /^(?:env|(?:ba|da|z|k|fi|c|tc)?sh|python[\d.]*|pypy[\d.]*|node|deno|bun|ruby|perl|php|lua|Rscript|pwsh|osascript|awk|gawk|mawk|sed)$/;
/** Options of interpreters after which code follows, and then its data. */
export const INLINE_CODE = /^(?:-[a-z]*[ce]|--(?:eval|command)|-p|--print)$/i;
/** The endings that Node.js and Python add to the name of a module. */
const MODULE_EXTENSIONS = ['.js', '.py'];
/** Files that commands read as data. Their content changes all the time, and a change does not require a new approval. */
const DATA_EXTENSIONS = new Set(
  '.txt .text .md .org .json .jsonl .ndjson .xml .rss .atom .html .csv .tsv .ics .vcf .eml .mbox .log .db .sqlite .sqlite3'.split(
    ' ',
  ),
);

/**
 * The program, arguments that are existing files unless they are data, a folder that an interpreter runs, the files and folders of
 * `watch`, and all files of the skill, sorted by path.
 * @throws LociError `not_approved` when one of them cannot be watched; the file system's error when one cannot be read
 */
export async function watchedFiles({ program, args, cwd, watch, skill }: WatchScope): Promise<WatchedFile[]> {
  const states = new Map<string, string>();
  const add = async (path: string): Promise<void> => void states.set(path, await stateOf(path));
  if (program !== null) await add(program);
  let isScript = program !== null && INTERPRETERS.test(basename(program));
  const modules: string[] = [];
  let isData = false;
  for (const argument of args) {
    for (const path of operandsOf(argument).map((operand) => operandPath(operand, cwd))) {
      if (DEVICE.test(path) || !(await isFile(path))) continue;
      if (isScript || (await mayBeCode(path))) await add(path);
      isScript = false;
    }
    isData ||= INLINE_CODE.test(argument);
    const module = isScript && !isData ? await moduleAt(operandPath(argument, cwd)) : null;
    if (module === null) continue;
    modules.push(module);
    isScript = false;
  }
  const folders = skill === null ? [] : [skill];
  for (const path of [...modules, ...watch.map((watchedPath) => resolve(cwd, expandHome(watchedPath)))]) {
    if (await isFile(path)) await add(path);
    else folders.push(path);
  }
  for (const folder of folders) for (const { path, state } of await filesOf(folder)) states.set(path, state);
  return [...states].map(([path, state]) => ({ path, state })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The code that Node.js or Python loads for a path that is no file, such as `tool.py` for `tool`; `null` if there is none. */
async function moduleAt(path: string): Promise<string | null> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return path;
  for (const extension of MODULE_EXTENSIONS)
    if (await isFile(`${path}${extension}`)) return `${path}${extension}`;
  return null;
}

function operandPath(operand: string, cwd: string): string {
  return resolve(
    cwd,
    operand.replace(OWN_FOLDERS, (_, folder) => (folder === 'cwd' ? cwd : '')),
  );
}

/** The argument, and the file in `--option=FILE` and `-oFILE`. */
function operandsOf(argument: string): string[] {
  const [, afterEquals] = /^[^=]+=(.+)$/s.exec(argument) ?? [];
  const [, afterFlag] = /^-[^-](.+)$/s.exec(argument) ?? [];
  return [argument, afterEquals, afterFlag].filter(
    (operand) => operand !== undefined && operand !== '',
  ) as string[];
}

async function mayBeCode(path: string): Promise<boolean> {
  return !DATA_EXTENSIONS.has(extname(path).toLowerCase()) || (await isExecutable(path));
}

/**
 * Every file below a folder, including `node_modules` and names that begin with a dot: a program may load any of them.
 * @throws LociError `not_approved` when there is no such folder, or it is too large to be watched
 */
async function filesOf(folder: string): Promise<WatchedFile[]> {
  const files: WatchedFile[] = [];
  let bytes = 0;
  const root = await realpath(folder).catch(() => null);
  if (root === null || !(await stat(root)).isDirectory())
    throw new LociError('not_approved', `there is no file or folder ${folder} to watch`, {
      hint: 'Correct `watch` in the settings of the source; its paths are relative to the working folder of the command.',
    });
  const addFile = async (path: string, entry: Dirent): Promise<void> => {
    const folderState = entry.isSymbolicLink() ? await folderLinkState(path, root) : null;
    if (folderState === null) bytes += (await stat(path)).size;
    if (files.length >= MAX_FOLDER_FILES || bytes > MAX_FOLDER_BYTES) throw tooLarge(folder);
    files.push({ path, state: folderState ?? (await stateOf(path)) });
  };
  const walk = async (parent: string): Promise<void> => {
    for (const entry of await readdir(parent, { withFileTypes: true })) {
      if (IGNORED_NAMES.has(entry.name)) continue;
      const path = join(parent, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile() || entry.isSymbolicLink()) await addFile(path, entry);
    }
  };
  await walk(folder);
  return files;
}

/**
 * The state of a link to a folder below the same root, whose files are watched at their own paths; `null` for a link to a file,
 * which is watched through the link. Links to other folders are refused, because those folders may hold anything.
 */
async function folderLinkState(link: string, root: string): Promise<string | null> {
  if (await isFile(link)) return null;
  const target = await realpath(link).catch(() => null);
  const path = target === null ? '' : relative(root, target);
  const isWatched = path !== '' && !path.split(sep).some((name) => name === '..' || IGNORED_NAMES.has(name));
  if (target !== null && isWatched) return `folder ${target}`;
  throw new LociError(
    'not_approved',
    `${link} is a link that leads neither to a file nor to a watched folder`,
    { hint: `Put what the command needs into ${root}.` },
  );
}

function tooLarge(folder: string): LociError {
  return new LociError(
    'not_approved',
    `${folder} holds more than ${String(MAX_FOLDER_FILES)} files or ${String(MAX_FOLDER_BYTES / 1_000_000)} MB, which is too much to watch`,
    {
      hint: 'Keep data outside of it, and install only the packages that the command needs: `npm install --omit=dev`.',
    },
  );
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The content of system files is not read, so that system updates do not need an approval. */
async function stateOf(path: string): Promise<string> {
  const target = await realpath(path);
  const { uid, mode } = await stat(target);
  const GROUP_AND_OTHERS_WRITE = 0o022;
  const isSystemFile = uid === 0 && (mode & GROUP_AND_OTHERS_WRITE) === 0 && process.getuid?.() !== 0;
  return `${isSystemFile ? 'system' : await hashFile(target)}${target === path ? '' : ` ${target}`}`;
}

/** Hashes by identity and state of a file, so that an unchanged file is not read again. */
const cachedHashes = new LRUCache<string, string>({ max: 10_000 });
/**
 * A file that was changed less than this before it was read may change once more without a change of its timestamps: the clocks of
 * file systems tick every few milliseconds, some every two seconds (compare the "racy" entries of Git's index).
 */
const TIMESTAMP_RESOLUTION_MS = 2000;

/** SHA-256 of a file's bytes, hexadecimal. @throws the file system's error */
export async function hashFile(path: string): Promise<string> {
  await using handle = await open(path);
  const now = Date.now();
  const stats = await handle.stat({ bigint: true });
  const key = cacheKey(stats);
  const cached = cachedHashes.get(key);
  if (cached !== undefined) return cached;
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  const digest = hash.digest('hex');
  const lastChange = Math.max(Number(stats.ctimeMs), Number(stats.mtimeMs));
  const isSettled = now - lastChange > TIMESTAMP_RESOLUTION_MS;
  if (isSettled && cacheKey(await handle.stat({ bigint: true })) === key) cachedHashes.set(key, digest);
  return digest;
}

function cacheKey({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

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

async function isExecutable(path: string): Promise<boolean> {
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
