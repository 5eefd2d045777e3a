import path from 'node:path';
import type { Json, Metadata } from '../../core/types.ts';

export type LinkType = 'link' | 'embed';

/** A link as it is written in the text of its record. */
export interface WrittenLink {
  /** Without heading, block and alias. */
  readonly target: string;
  readonly type: LinkType;
  /** The page of a Logseq graph that it means, folded; absent for links to files. */
  readonly page?: string;
}

/** The links in the metadata of a record, in the order of the text, each once. Links within the record are left out. */
export function linksIn({ links }: Metadata): WrittenLink[] {
  const found = new Map<string, WrittenLink>();
  for (const link of Array.isArray(links) ? links : []) {
    const parsedLink = writtenLink(link);
    if (parsedLink !== null) found.set(`${parsedLink.type} ${parsedLink.target}`, parsedLink);
  }
  return [...found.values()];
}

function writtenLink(link: Json): WrittenLink | null {
  if (typeof link !== 'object' || link === null || Array.isArray(link)) return null;
  const { target, embed, page } = link;
  if (typeof target !== 'string' || target === '') return null;
  return {
    target,
    type: embed === true ? 'embed' : 'link',
    ...(typeof page === 'string' && page !== '' && { page }),
  };
}

/** The names under which links find a page of a Logseq graph, folded, beside the path of its file; none for other records. */
export function pageNamesIn({ pageNames }: Metadata): string[] {
  return (Array.isArray(pageNames) ? pageNames : []).filter((name) => typeof name === 'string');
}

const NOTE_ENDINGS = ['', '.md', '.markdown'];

/** The keys that end with a path. */
interface SuffixMatches {
  readonly best: string;
  /** The best key below each folder that has one. */
  readonly byFolder: ReadonlyMap<string, string>;
}

/** Resolves links to notes as Obsidian does. It is built once for all notes of a vault. */
export class LinkIndex {
  /** The keys by their whole path, by the name of their file, and by that with its folder; all in lower case. */
  readonly #byPath: ReadonlyMap<string, readonly string[]>;
  readonly #byName: ReadonlyMap<string, readonly string[]>;
  readonly #byFolderAndName: ReadonlyMap<string, readonly string[]>;
  readonly #bySuffix = new Map<string, SuffixMatches | null>();

  constructor(keys: readonly string[]) {
    this.#byPath = Map.groupBy(keys, fold);
    this.#byName = Map.groupBy(keys, (key) => path.posix.basename(fold(key)));
    this.#byFolderAndName = Map.groupBy(keys, (key) => lastTwoParts(fold(key)));
  }

  /**
   * Returns the key of the note to which `target` refers in the note `fromKey`, or `null`. Case and the ending `.md` do not
   * matter. An empty target is the note itself; `./` and `../` start at its folder, `/` at the root. Any other target is a
   * whole path, or else the end of a path: of several, one below the folder of `fromKey`, or else the shortest.
   */
  resolve(target: string, fromKey: string): string | null {
    const wanted = wantedPath(target, fromKey);
    if (wanted === null) return fromKey;
    const exact = this.#atPath(wanted.path);
    return exact ?? (wanted.isExact ? null : this.#withSuffix(wanted.path, path.posix.dirname(fromKey)));
  }

  #atPath(wanted: string): string | null {
    for (const ending of NOTE_ENDINGS) {
      // The order of the keys that the index was built with makes no difference.
      const keys = this.#byPath.get(fold(wanted) + ending)?.toSorted();
      if (keys !== undefined) return keys.find((key) => key.startsWith(wanted)) ?? keys[0]!;
    }
    return null;
  }

  #withSuffix(wanted: string, folder: string): string | null {
    let matches = this.#bySuffix.get(wanted);
    if (matches === undefined) {
      matches = this.#matchSuffix(wanted);
      this.#bySuffix.set(wanted, matches);
    }
    return matches === null ? null : (matches.byFolder.get(folder) ?? matches.best);
  }

  #matchSuffix(wanted: string): SuffixMatches | null {
    for (const ending of NOTE_ENDINGS) {
      const suffix = fold(wanted) + ending;
      const candidates = suffix.includes('/')
        ? this.#byFolderAndName.get(lastTwoParts(suffix))
        : this.#byName.get(suffix);
      const matching = (candidates ?? [])
        .filter((key) => fold(key).endsWith(`/${suffix}`))
        .sort((a, b) => compareKeys(a, b, wanted));
      const [best] = matching;
      if (best === undefined) continue;
      const byFolder = new Map<string, string>();
      for (const key of matching)
        for (let folder = path.posix.dirname(key); folder !== '.'; folder = path.posix.dirname(folder))
          if (!byFolder.has(folder)) byFolder.set(folder, key);
      return { best, byFolder };
    }
    return null;
  }
}

/** `c/d` of `a/b/c/d`. */
function lastTwoParts(key: string): string {
  return key.split('/').slice(-2).join('/');
}

/** What a link asks for: a path, or any path that ends with it unless `isExact`; `null` for the note itself. */
function wantedPath(target: string, fromKey: string): { path: string; isExact: boolean } | null {
  const wanted = target.trim().normalize('NFC');
  if (wanted === '') return null;
  if (/^\.\.?\//.test(wanted))
    return { path: path.posix.join(path.posix.dirname(fromKey), wanted), isExact: true };
  if (wanted.startsWith('/'))
    return { path: path.posix.normalize(wanted.replace(/^\/+/, '')), isExact: true };
  return { path: path.posix.normalize(wanted), isExact: false };
}

/**
 * The name that a key shares with every link that can mean it: its last part, folded, without the endings of notes. To
 * resolve a link, it is therefore enough to look at the keys with its name.
 */
export function linkNameOfKey(key: string): string {
  return fileNameOf(fold(key));
}

/** The last part of a key, without the endings of notes. */
export function fileNameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/(?:\.md|\.markdown)+$/i, '');
}

/** The name of the keys that a link can mean; see `linkNameOfKey`. */
export function linkNameOfTarget(target: string, fromKey: string): string {
  return linkNameOfKey(wantedPath(target, fromKey)?.path ?? fromKey);
}

/** Sorts by the number of folders, then by length, then paths in the same case as the link first, then by UTF-16 units. */
function compareKeys(a: string, b: string, wanted: string): number {
  const order =
    a.split('/').length - b.split('/').length ||
    a.length - b.length ||
    Number(b.includes(wanted)) - Number(a.includes(wanted));
  if (order !== 0) return order;
  return a < b ? -1 : 1;
}

function fold(text: string): string {
  return text.toLowerCase();
}
