import path from 'node:path';
import type { Json, Metadata } from '../../core/types.ts';

export type LinkType = 'link' | 'embed';

/** A link as it is written in the text of its record. */
export interface WrittenLink {
  /** Without heading, block and alias. */
  readonly target: string;
  readonly type: LinkType;
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
  const { target, embed } = link;
  if (typeof target !== 'string' || target === '') return null;
  return { target, type: embed === true ? 'embed' : 'link' };
}

const NOTE_ENDINGS = ['', '.md', '.markdown'];

/** Resolves links to notes as Obsidian does. It is built once for all notes of a vault. */
export class LinkIndex {
  /** The keys by their whole path and by the name of their file, both in lower case. */
  readonly #byPath: ReadonlyMap<string, readonly string[]>;
  readonly #byName: ReadonlyMap<string, readonly string[]>;

  constructor(keys: readonly string[]) {
    this.#byPath = Map.groupBy(keys, fold);
    this.#byName = Map.groupBy(keys, (key) => path.posix.basename(fold(key)));
  }

  /**
   * Returns the key of the note to which `target` refers in the note `fromKey`, or `null`. Case and the ending `.md` do not
   * matter. An empty target is the note itself; `./` and `../` start at its folder, `/` at the root. Any other target is a
   * whole path, or else the end of a path: of several, one below the folder of `fromKey`, or else the shortest. A heading or
   * block (`#…`) and an alias (`|…`) are ignored.
   */
  resolve(target: string, fromKey: string): string | null {
    const wanted = wantedPath(target, fromKey);
    if (wanted === null) return fromKey;
    const exact = this.#atPath(wanted.path);
    return exact ?? (wanted.isExact ? null : this.#bySuffix(wanted.path, path.posix.dirname(fromKey)));
  }

  #atPath(wanted: string): string | null {
    for (const ending of NOTE_ENDINGS) {
      const keys = this.#byPath.get(fold(wanted) + ending);
      if (keys !== undefined) return keys.find((key) => key.startsWith(wanted)) ?? keys[0]!;
    }
    return null;
  }

  #bySuffix(wanted: string, folder: string): string | null {
    for (const ending of NOTE_ENDINGS) {
      const suffix = fold(wanted) + ending;
      const candidates = this.#byName.get(path.posix.basename(suffix)) ?? [];
      const matching = candidates.filter((key) => fold(key).endsWith(`/${suffix}`));
      const below = matching.filter((key) => folder === '.' || key.startsWith(`${folder}/`));
      const [best] = (below.length > 0 ? below : matching).sort((a, b) => compareKeys(a, b, wanted));
      if (best !== undefined) return best;
    }
    return null;
  }
}

/** What a link asks for: a path, or any path that ends with it unless `isExact`; `null` for the note itself. */
function wantedPath(target: string, fromKey: string): { path: string; isExact: boolean } | null {
  const wanted = target.split(/[#|]/, 1)[0]!.trim().normalize('NFC');
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
export function nameOfKey(key: string): string {
  const last = fold(key.slice(key.lastIndexOf('/') + 1));
  return last.replace(/(?:\.md|\.markdown)+$/, '');
}

/** The name of the keys that a link can mean; see `nameOfKey`. */
export function nameOfLink(target: string, fromKey: string): string {
  return nameOfKey(wantedPath(target, fromKey)?.path ?? fromKey);
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
