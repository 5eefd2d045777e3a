import path from 'node:path';
import { propertiesOf } from '../../engine/records/results/properties.ts';
import { snippetWithProperties } from '../../search/explain/snippet.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import type { MemoryResult } from '../contract.ts';
import { matchesFilters, type Filters } from '../pools/filters.ts';
import { resultMetadata, uriOf } from '../pools/note-head.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import { readOrReport, type CachedNote } from './note-cache.ts';
import { NoteRanking } from './note-ranking.ts';
import { noteTerms, type NoteTerms, type PassageTerms } from './note-terms.ts';
import { termsOfParts, type PartFinder } from './query-terms.ts';

export interface SearchedNote {
  readonly pool: LocatedPool;
  /** The path of the note below the pool. */
  readonly key: string;
  /** `null` if there was no room in the cache. */
  readonly cached: CachedNote | null;
}

/** The terms of a note that is not cached; `null` if it cannot be read. */
export function termsOf({ pool, key }: SearchedNote, finder: PartFinder): NoteTerms | null {
  const read = readOrReport(pool.root, key, () => undefined);
  return read === null ? null : noteTerms(key, read.text, finder);
}

/**
 * The result for the best passage of a note, whose text is read again. If the note has changed since it was ranked, the result is of
 * its best passage now; `null` if it has none.
 */
export function resultOf(
  { pool, key, cached }: SearchedNote,
  ranked: PassageTerms,
  finder: PartFinder,
  filters: Filters,
): MemoryResult | null {
  const read = readOrReport(pool.root, key, () => undefined);
  if (read === null) return null;
  let [head, passage] = [cached?.terms.head(), ranked];
  if (head === undefined || cached?.revision !== read.revision) {
    const terms = noteTerms(key, read.text, finder);
    const ranking = new NoteRanking(finder);
    ranking.add(0, terms);
    const [best] = ranking.best();
    if (best === undefined || !matchesFilters(terms.head().frontMatter, filters)) return null;
    [head, passage] = [terms.head(), best.passage];
  }
  const lines = { startLine: passage.startLine, endLine: passage.endLine };
  const snippet = snippetWithProperties(
    { text: textOf(read.text, lines), above: head.title },
    lines.startLine === 1 ? propertiesOf({ frontMatter: head.frontMatter }) : [],
    termsOfParts(finder.parts),
  );
  const file = path.join(pool.root, key);
  return {
    id: file,
    uri: uriOf(file, lines),
    snippet: snippet.text,
    metadata: resultMetadata(pool, key, head),
  };
}

/** The lines of a text without front matter. */
function textOf(
  text: string,
  { startLine, endLine }: { readonly startLine: number; readonly endLine: number },
): string {
  const lines = text
    .split('\n')
    .slice(startLine - 1, endLine)
    .join('\n');
  const front = startLine === 1 ? frontMatterSpan(text) : null;
  return (front === null ? lines : lines.slice(front.bodyStart)).trim();
}
