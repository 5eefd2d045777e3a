import type { DocumentMap } from '../../config/sources-schema.ts';
import type { Json } from '../../core/types.ts';
import type { DocumentProblem } from '../document.ts';
import { hasPlace, placesOf } from './template.ts';

/** Longer texts are no names that somebody forgot to put between braces. */
const NAME = /^[\w$-]{1,64}(?:\.[\w$-]{1,64}){0,8}$/;

/** Finds out what of a map cannot be as it was meant: a place that no document has, a name without its braces. */
export class MapProblems {
  /** Key of the settings → its places that no document had so far. */
  readonly #unseen = new Map<string, Set<string>>();
  /** Key of the settings → a text without places that may be a name. */
  readonly #names = new Map<string, string>();
  readonly #mistaken = new Set<string>();
  #documents = 0;

  /** @throws LociError `invalid_config` that names the key of a bad template */
  constructor({ items: _, metadata = {}, ...fields }: DocumentMap) {
    const entries = Object.entries(metadata).map(([name, written]) => [`metadata.${name}`, written] as const);
    for (const [field, written] of [...Object.entries(fields), ...entries]) {
      const key = `map.${field}`;
      const places = placesOf(key, written);
      if (places.length > 0) this.#unseen.set(key, new Set(places));
      else if (NAME.test(written.trim())) this.#names.set(key, written.trim());
    }
  }

  /** A document as it was printed. */
  see(printed: unknown): void {
    if (typeof printed !== 'object' || printed === null || Array.isArray(printed)) return;
    const document = printed as { readonly [key: string]: Json };
    this.#documents++;
    for (const [key, places] of this.#unseen) {
      for (const place of places) if (hasPlace(document, place)) places.delete(place);
      if (places.size === 0) this.#unseen.delete(key);
    }
    for (const [key, name] of this.#names) if (hasPlace(document, name)) this.#mistaken.add(key);
  }

  /** One for each key. */
  problems(): DocumentProblem[] {
    if (this.#documents === 0) return [];
    const told = [
      ...[...this.#unseen].map(([key, places]) => `${key}: no document has ${[...places].join(', ')}`),
      ...[...this.#mistaken].map((key) => {
        const name = this.#names.get(key) ?? '';
        return `${key}: every document gets the text ${JSON.stringify(name)}; '{{${name}}}' is what stands there`;
      }),
    ];
    return told.map((detail) => ({ index: null, id: null, detail, skipped: false }));
  }
}
