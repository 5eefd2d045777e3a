import type { Trust } from '../../../core/types.ts';
import type { GetOutput } from '../../../operations/records/get.ts';
import { onOneLine } from './fence.ts';

type Provenance = Pick<GetOutput, 'from' | 'origin' | 'source' | 'trust' | 'age' | 'url'>;

/** Who wrote a record, as a model reads it. */
const AUTHORS: Readonly<Record<Trust, string>> = {
  operator: 'the user',
  agent: 'an agent',
  external: 'a third party',
};

/** Origin, author and age of a record. The `from` line of a source contains its origin and age. */
export function provenance({ from, origin, source, trust, age }: Omit<Provenance, 'url'>): string[] {
  const author = `written by ${AUTHORS[trust]}`;
  return from === null ? [`from ${origin} ${onOneLine(source)}`, author, age] : [onOneLine(from), author];
}

/** The same as fields, with the URL. `source` is a name by which a model can filter. */
export function provenanceFields({ from, source, trust, age, url }: Omit<Provenance, 'origin'>): object {
  return { ...(from === null ? { age } : { from }), trust, source, url };
}

/** A line with the URL at which the source shows the record, if it has one. */
export function urlLine({ url }: Pick<Provenance, 'url'>): string[] {
  return url === undefined ? [] : [`url: ${onOneLine(url)}`];
}

/** The tags of a record as one part of a line, if it has any. */
export function tagList(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [tags.map((tag) => `#${onOneLine(tag)}`).join(' ')];
}

export function tagFields(tags: readonly string[]): { readonly tags?: readonly string[] } {
  return tags.length === 0 ? {} : { tags };
}
