import type { Trust } from '../../../core/types.ts';
import type { GetOutput } from '../../../operations/records/get.ts';
import { onOneLine } from './fence.ts';

type Provenance = Pick<GetOutput, 'from' | 'origin' | 'source' | 'trust' | 'age'>;

/** Who wrote a record, as a model reads it. */
const AUTHORS: Readonly<Record<Trust, string>> = {
  operator: 'the user',
  agent: 'an agent',
  external: 'a third party',
};

/** Origin, author and age of a record. The `from` line of a source contains its origin and age. */
export function provenance({ from, origin, source, trust, age }: Provenance): string[] {
  const author = `written by ${AUTHORS[trust]}`;
  return from === null ? [`from ${origin} ${onOneLine(source)}`, author, age] : [onOneLine(from), author];
}

/** A line with the URL at which the source shows the record, if it has one. */
export function urlLine({ url }: Pick<GetOutput, 'url'>): string[] {
  return url === undefined ? [] : [`url: ${onOneLine(url)}`];
}
