import type { Origin, Trust } from '../../../core/types.ts';
import type { SourceFields } from '../../../operations/shared/source-fields.ts';
import { onOneLine } from './fence.ts';
import { WHOSE } from '../whose.ts';

interface Provenance extends SourceFields {
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
  readonly age: string;
}

/** Where a record is from, whose word it is, and of when: of a source, its own line says the first and the last. */
export function provenance({ from, origin, source, trust, age }: Provenance): string[] {
  const word = `the word of ${WHOSE[trust]}`;
  return from === null ? [`from ${origin} ${onOneLine(source)}`, word, age] : [onOneLine(from), word];
}

/** The line that tells where its source shows a record, if it does. */
export function urlLine({ url }: SourceFields): string[] {
  return url === undefined ? [] : [`url: ${onOneLine(url)}`];
}
