import path from 'node:path';

const NOTE_ENDINGS = ['', '.md', '.markdown'];

/** Resolves links to notes as Obsidian does. It is built once for all notes of a vault. */
export class LinkIndex {
  /** The keys by their whole path and by the name of their file, both in lower case. */
  readonly #byPath = new Map<string, string[]>();
  readonly #byName = new Map<string, string[]>();

  constructor(keys: Iterable<string>) {
    for (const key of keys) {
      const folded = fold(key);
      append(this.#byPath, folded, key);
      append(this.#byName, path.posix.basename(folded), key);
    }
  }

  /**
   * Returns the key of the note to which `target` refers in the note `fromKey`, or `null`. Case and the ending `.md` do not
   * matter. An empty target is the note itself; `./` and `../` start at its folder, `/` at the root. Any other target is a
   * whole path, or else the end of a path: of several, one below the folder of `fromKey`, or else the shortest. A heading or
   * block (`#…`) and an alias (`|…`) are ignored.
   */
  resolve(target: string, fromKey: string): string | null {
    const wanted = target.split(/[#|]/, 1)[0]!.trim().normalize('NFC');
    if (wanted === '') return fromKey;
    const folder = path.posix.dirname(fromKey);
    if (/^\.\.?\//.test(wanted)) return this.#atPath(path.posix.join(folder, wanted));
    if (wanted.startsWith('/')) return this.#atPath(path.posix.normalize(wanted.replace(/^\/+/, '')));
    const plain = path.posix.normalize(wanted);
    return this.#atPath(plain) ?? this.#bySuffix(plain, folder);
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

function append(index: Map<string, string[]>, name: string, key: string): void {
  const keys = index.get(name);
  if (keys === undefined) index.set(name, [key]);
  else keys.push(key);
}
