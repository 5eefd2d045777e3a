import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { readRegularFile } from '../../core/fs/files.ts';
import { kindOf, matchingRules, type Rule, testOf } from './exclusion-rules.ts';
import { noteFormat } from './read-file.ts';
import type { ExcludedFiles, SourceProblem } from '../source.ts';

export const OBSIDIAN_FOLDER = '.obsidian';
const OBSIDIAN_SETTINGS = `${OBSIDIAN_FOLDER}/app.json`;
const MAX_SETTINGS_BYTES = 1_000_000;
/** The rules of a vault: `exclude` of its settings, and "Excluded files" of the Obsidian vaults around it and in it. */
export class Exclusions {
  readonly #vault: string;
  readonly #report: (problem: SourceProblem) => void;
  readonly #globs: readonly Rule[];
  readonly #rules: Rule[];
  readonly #matched = new Set<Rule>();
  readonly #excluded = new Map<Rule, string[]>();

  /** @param others rules of other programs, such as Logseq */
  constructor(
    vault: string,
    globs: readonly string[],
    report: (problem: SourceProblem) => void,
    others: readonly Rule[] = [],
  ) {
    this.#vault = vault;
    this.#report = report;
    this.#globs = globs.map((glob) => ({
      rule: glob,
      from: 'loci.yaml',
      kind: 'glob',
      folder: '',
      inside: '',
    }));
    this.#rules = [...this.#globs, ...others];
  }

  /** Reads the rules of the Obsidian vaults around a root, except those that leave out all of it. @throws LociError `unreadable` */
  async readAround(root: string): Promise<void> {
    for (let folder = root; ; folder = path.dirname(folder)) {
      const inside = folder === root ? '' : `${slashed(path.relative(folder, root))}/`;
      await this.#readObsidian(folder, { folder: '', inside });
      if (folder === path.dirname(folder)) return;
    }
  }

  /** Reads the rules of a folder below the root if it is an Obsidian vault. @throws LociError `unreadable` */
  async readFolder(folder: string, key: string): Promise<void> {
    await this.#readObsidian(folder, { folder: `${key}/`, inside: '' });
  }

  /**
   * The entries that no rule leaves out. The others are in `excluded` then.
   * @param pathsOf what leads to an entry: more than one path with symbolic links. A folder ends with `/`.
   * @throws LociError `unreadable` when a rule takes too long
   */
  async filter<T>(entries: readonly T[], pathsOf: (entry: T) => readonly string[]): Promise<T[]> {
    const rules = await matchingRules(this.#vault, this.#rules, entries.map(pathsOf));
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
  async excludedOf(keys: readonly string[]): Promise<string[]> {
    const paths = keys.map((key) => [...foldersOf(key), key]);
    const rules = await matchingRules(this.#vault, this.#rules, paths);
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

  async #readObsidian(folder: string, place: Pick<Rule, 'folder' | 'inside'>): Promise<void> {
    const file = path.join(folder, OBSIDIAN_SETTINGS);
    for (const filter of await this.#readFilters(file, place.inside !== '')) {
      const kind = kindOf(filter);
      if (kind === null) {
        const detail = `${filter} in userIgnoreFilters is not a valid expression, and is ignored`;
        this.#report({ key: OBSIDIAN_SETTINGS, reason: 'unreadable', detail, skipped: false });
        continue;
      }
      const rule: Rule = { rule: filter, from: file, kind, ...place };
      // A rule that leaves out the folder of the vault was not made for it.
      if (place.inside === '' || !testOf({ ...rule, inside: '' })(place.inside)) this.#rules.push(rule);
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
