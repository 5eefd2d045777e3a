import { createHash } from 'node:crypto';
import { type IndexedPassage, TEXT_FIELDS } from '../../lexical/text-fields.ts';

/** The labels of the fields, in their order. */
const LABELS = ['A', 'B', 'C', 'D'];
/** The highest position that a `tsvector` can have; terms after it are not found. */
const MAX_POSITION = 16_383;
/** A `tsvector` has less than one megabyte. */
const MAX_BYTES = 800_000;
/** PostgreSQL refuses terms of 2 kB. */
const MAX_TERM_BYTES = 1000;

/** The term as it is stored: a very long one by its hash. */
export function lexemeOf(term: string): string {
  if (term.length * 3 <= MAX_TERM_BYTES || Buffer.byteLength(term) <= MAX_TERM_BYTES) return term;
  return createHash('sha256').update(term).digest('hex');
}

/** The term in the notation of `tsvector` and `tsquery`. No passage has the empty one, which would be an error. */
export function quoted(term: string): string {
  return `'${(lexemeOf(term) || '  ').replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', ' ')}'`;
}

/** The term that every passage of a namespace has. Terms of texts have no space. */
export function namespaceTerm(ns: number): string {
  return ` ${String(ns)}`;
}

/** The terms of a passage as the text of a `tsvector`, and their number. */
export function termVector(
  ns: number,
  { terms }: IndexedPassage,
): { readonly text: string; readonly length: number } {
  const positions = new Map<string, string[]>();
  let position = 0;
  let bytes = 0;
  let length = 0;
  for (const [field, name] of TEXT_FIELDS.entries()) {
    for (const term of terms[name]) {
      position++;
      length++;
      bytes += Math.min(MAX_TERM_BYTES, term.length * 3);
      if (position > MAX_POSITION || bytes > MAX_BYTES) continue;
      const known = positions.get(term);
      const place = `${String(position)}${LABELS[field]!}`;
      if (known === undefined) positions.set(term, [place]);
      else known.push(place);
    }
    // No phrase continues in the next field.
    position++;
  }
  const entries = Array.from(positions, ([term, places]) => `${quoted(term)}:${places.join(',')}`);
  return { text: [quoted(namespaceTerm(ns)), ...entries].join(' '), length };
}
