import path from 'node:path';

const NOTE_ENDINGS = ['', '.md', '.markdown'];

/** Finds the note that a link means, as Obsidian does; built once for all notes of a vault. */
export class LinkIndex {
  /** Keys by their whole path and by their file's name, both in lower case. */
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
   * The key of the note that `target` means in the note `fromKey`, or `null`. Without regard to case and with
   * or without `.md`: an empty target is the note itself, `./` and `../` start from its folder, `/` from the
   * root. Otherwise a note whose whole path is the target, else of those whose path ends with it one below the
   * folder of `fromKey`, else the shortest path. A heading or block (`#…`) and an alias (`|…`) are not looked at.
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

/** Fewer folders first, then the shorter path, then the one written as the link is, then by UTF-16 units. */
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
