import path from 'node:path';
import vm from 'node:vm';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { readRegularFile } from '../../core/fs/read-regular-file.ts';
import { noteFormat } from './note-format.ts';
import type { ExcludedFiles, SourceProblem } from '../source.ts';

export const OBSIDIAN_FOLDER = '.obsidian';
const OBSIDIAN_SETTINGS = `${OBSIDIAN_FOLDER}/app.json`;
const MAX_SETTINGS_BYTES = 1_000_000;
/** Expressions and globs of users may take exponential time. */
const MAX_MATCHING_MS = 500;
/** Paths that are compared at a time, which takes some milliseconds with a hundred globs. */
const BATCH_SIZE = 32;

/** A rule that leaves files out. */
interface Rule {
  readonly rule: string;
  /** The file with the rule. */
  readonly from: string;
  /** Whether a path below the vault is left out. A folder ends with `/`. */
  readonly matches: (path: string) => boolean;
}

/** The rules of a vault: `exclude` of its settings, and "Excluded files" of the Obsidian vaults around it and in it. */
export class Exclusions {
  readonly #vault: string;
  readonly #report: (problem: SourceProblem) => void;
  readonly #globs: readonly Rule[];
  readonly #rules: Rule[];
  readonly #matched = new Set<Rule>();
  readonly #excluded = new Map<Rule, string[]>();
  readonly #context = vm.createContext({});

  constructor(vault: string, globs: readonly string[], report: (problem: SourceProblem) => void) {
    this.#vault = vault;
    this.#report = report;
    this.#globs = globs.map(globRule);
    this.#rules = [...this.#globs];
  }

  /** Reads the rules of the Obsidian vaults around a root, except those that leave out all of it. @throws LociError `unreadable` */
  async readAround(root: string): Promise<void> {
    for (let folder = root; ; folder = path.dirname(folder)) {
      const inside = folder === root ? '' : `${slashed(path.relative(folder, root))}/`;
      await this.#readObsidian(folder, (key) => `${inside}${key}`, inside);
      if (folder === path.dirname(folder)) return;
    }
  }

  /** Reads the rules of a folder below the root if it is an Obsidian vault. @throws LociError `unreadable` */
  async readFolder(folder: string, key: string): Promise<void> {
    await this.#readObsidian(folder, (inner) =>
      inner.startsWith(`${key}/`) ? inner.slice(key.length + 1) : null,
    );
  }

  /**
   * The entries that no rule leaves out. The others are in `excluded` then.
   * @param pathsOf what leads to an entry: more than one path with symbolic links. A folder ends with `/`.
   * @throws LociError `unreadable` when a rule takes too long
   */
  filter<T>(entries: readonly T[], pathsOf: (entry: T) => readonly string[]): T[] {
    const rules = this.#rulesOf(entries.map(pathsOf));
    return entries.filter((entry, i) => {
      const rule = rules[i];
      if (rule === undefined) return true;
      this.#matched.add(rule);
      const [shown = ''] = pathsOf(entry);
      if (!shown.endsWith('/') && noteFormat(shown) === null) return false;
      const paths = this.#excluded.get(rule) ?? [];
      this.#excluded.set(rule, paths);
      paths.push(shown);
      return false;
    });
  }

  /** The files that a rule leaves out, itself or a folder above them. */
  excludedOf(keys: readonly string[]): string[] {
    const rules = this.#rulesOf(keys.map((key) => [...foldersOf(key), key]));
    return keys.filter((_, i) => rules[i] !== undefined);
  }

  excluded(): ExcludedFiles[] {
    return [...this.#excluded].map(([{ rule, from }, paths]) => ({ rule, from, paths }));
  }

  /** After a complete listing, reports the globs of the settings that have left out nothing: one may be misspelt. */
  reportUnmatched(): void {
    for (const { rule, from } of this.#globs.filter((glob) => !this.#matched.has(glob))) {
      const detail = `exclude: ${JSON.stringify(rule)} matches nothing that is not left out anyway`;
      this.#report({ key: from, reason: 'unmatched_exclude', detail, skipped: false });
    }
  }

  #rulesOf(entries: readonly (readonly string[])[]): (Rule | undefined)[] {
    if (this.#rules.length === 0) return entries.map(() => undefined);
    const found: (Rule | undefined)[] = [];
    for (let start = 0; start < entries.length; start += BATCH_SIZE) {
      const batch = entries.slice(start, start + BATCH_SIZE);
      found.push(
        ...this.#withinTime(() =>
          batch.map((paths) => this.#rules.find(({ matches }) => paths.some((each) => matches(each)))),
        ),
      );
    }
    return found;
  }

  /** Code that `vm` runs can be stopped, also within an expression. */
  #withinTime<T>(match: () => T): T {
    this.#context['match'] = match;
    try {
      return vm.runInContext('match()', this.#context, { timeout: MAX_MATCHING_MS }) as T;
    } catch (error) {
      // It may be an error of the other realm, which is no instance of `Error` here.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const rules = this.#rules.map(({ rule }) => rule).join(', ');
      throw new LociError(
        'unreadable',
        `${this.#vault} is not read, because what it excludes takes too long to compare with its paths: ${rules}`,
        { hint: 'Write simpler expressions, or name the folders.', cause: error },
      );
    }
  }

  /** @param root the path of the vault in the Obsidian vault, if that contains it */
  async #readObsidian(folder: string, below: (key: string) => string | null, root = ''): Promise<void> {
    const file = path.join(folder, OBSIDIAN_SETTINGS);
    for (const filter of await this.#readFilters(file, root !== '')) {
      const matches = filterTest(filter);
      if (matches === null) {
        const detail = `${filter} in userIgnoreFilters is not a valid expression, and is ignored`;
        this.#report({ key: OBSIDIAN_SETTINGS, reason: 'unreadable', detail, skipped: false });
      } else if (root === '' || !matches(root)) {
        const matchesBelow = (key: string): boolean => {
          const inner = below(key);
          return inner !== null && matches(inner);
        };
        this.#rules.push({ rule: filter, from: file, matches: matchesBelow });
      }
    }
  }

  /** Without its rules, too many notes would be read. So a file that cannot be read is an error, unless it is another user's. */
  async #readFilters(file: string, isOutside: boolean): Promise<string[]> {
    try {
      const bytes = await readRegularFile(file, MAX_SETTINGS_BYTES);
      if (typeof bytes === 'string') throw new SyntaxError(`it is ${bytes}`);
      const settings = JSON.parse(new TextDecoder().decode(bytes)) as { userIgnoreFilters?: unknown } | null;
      const filters = settings?.userIgnoreFilters;
      const texts = Array.isArray(filters) ? filters : [];
      return texts.filter((each): each is string => typeof each === 'string' && each !== '');
    } catch (error) {
      const missing = ['ENOENT', 'ENOTDIR', ...(isOutside ? ['EACCES'] : [])];
      if (missing.includes(systemErrorCode(error) ?? '')) return [];
      const why = error instanceof SyntaxError ? error.message : describeFileError(error);
      throw new LociError(
        'unreadable',
        `${this.#vault} is not read, because it is not known what Obsidian excludes: ${file} cannot be read: ${why}`,
        { hint: 'Correct the file, or save the settings again in Obsidian.', cause: error },
      );
    }
  }
}

/** The folders above a path below the root, as rules see them. */
export function foldersOf(key: string): string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
}

/** A relative path as in the keys of notes. */
export function slashed(relative: string): string {
  return relative.split(path.sep).join('/').normalize('NFC');
}

/** As in `.gitignore`: a glob without a slash matches names in every folder, and leaves out a folder with its contents. */
function globRule(glob: string): Rule {
  // `./x` is `/x`.
  const given = glob.normalize('NFC').replace(/^\.\//, '/');
  const pattern = given.replace(/\/+$/, '');
  const isForFolders = pattern !== given;
  const anchored = pattern.replace(/^\/+/, '');
  return {
    rule: glob,
    from: 'loci.yaml',
    matches: (key) => {
      if (isForFolders && !key.endsWith('/')) return false;
      const plain = key.replace(/\/$/, '');
      return path.posix.matchesGlob(pattern.includes('/') ? plain : path.posix.basename(plain), anchored);
    },
  };
}

/** As Obsidian: an expression between slashes, or how paths begin. Case does not matter. `null` if the expression is invalid. */
function filterTest(filter: string): ((path: string) => boolean) | null {
  const text = filter.normalize('NFC');
  const source = /^\/(.+)\/$/.exec(text)?.[1];
  if (source === undefined) return (key) => key.toLowerCase().startsWith(text.toLowerCase());
  try {
    const expression = new RegExp(source, 'i');
    return (key) => !key.endsWith('/') && expression.test(key);
  } catch {
    return null;
  }
}
