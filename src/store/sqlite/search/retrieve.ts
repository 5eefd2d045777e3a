import { bestOfRecords, spreadOverRecords } from '../../rules/record-spread.ts';
import { assertVectorDimensions } from '../../rules/validation.ts';
import type {
  PassageQuery,
  PassageScore,
  QueryVector,
  RankedList,
  RetrievalRequest,
} from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { generationById } from '../vectors/generations.ts';
import { newest, passageRows } from './passage-reads.ts';
import type { PostingCache } from './posting-cache.ts';
import { searchText } from './text-search.ts';
import { scoreVectors, searchVectors, type VectorCaches, vectorOf } from '../vectors/vectors.ts';
import { packRetrieval, type PackedRetrieval } from './wire.ts';

/** The caches of a connection that searches use. */
interface SearchCaches extends VectorCaches {
  readonly postings: PostingCache;
}

/** @throws LociError `embedding_mismatch`, `not_found` */
export function assertQueryVectors(db: Database, { queries, cosines }: RetrievalRequest): void {
  const vectors = queries.flatMap((query) => (query.by === 'vector' ? [query.vector] : []));
  for (const { generation, vector } of cosines === undefined ? vectors : [...vectors, cosines])
    assertVectorDimensions(generationById(db, generation), vector);
}

export function retrieve(
  db: Database,
  caches: SearchCaches,
  ns: number,
  { queries, cosines, compared = [], load = false }: RetrievalRequest,
): PackedRetrieval {
  const { deadline } = db;
  const lists = queries.map((query) => {
    const started = performance.now();
    if (deadline.isPast) return { scores: [], overQuota: [], milliseconds: 0, isPartial: true };
    const list = spreadOverRecords(query, (limit) => rank(db, caches, ns, query, limit), deadline);
    return { ...list, milliseconds: performance.now() - started, isPartial: deadline.isPast };
  });
  const scores =
    cosines === undefined ? [] : missingCosines(db, caches, ns, queries, lists, cosines, compared);
  const passages = load ? bestOfRecords(lists.flatMap((list) => list.scores)) : [];
  return packRetrieval({ lists, cosines: scores }, passageRows(db, ns, passages));
}

function rank(
  db: Database,
  caches: SearchCaches,
  ns: number,
  query: PassageQuery,
  limit: number,
): PassageScore[] {
  const { filter } = query;
  if (query.by === 'text') return searchText(db, caches.postings, ns, query.text, filter, limit);
  if (query.by === 'time') return newest(db, ns, filter, limit);
  const { generation, vector } = query.vector;
  if (query.mix === undefined) return searchVectors(db, caches, ns, generation, vector, filter, limit);
  const other = vectorOf(db, ns, generation, query.mix.passage);
  const { unit, length } = mixVectors(vector, other ?? vector, query.mix.share);
  return searchVectors(db, caches, ns, generation, unit, filter, limit).map(({ score, ...found }) => ({
    ...found,
    score: score * length,
  }));
}

/**
 * The weighted mean of two vectors as a unit vector. Its cosines times `length` are the weighted means of the cosines of both.
 * @param share the weight of the other vector
 */
function mixVectors(
  vector: Float32Array,
  other: Float32Array,
  share: number,
): { readonly unit: Float32Array; readonly length: number } {
  const sum = vector.map((component, i) => (1 - share) * component + share * other[i]!);
  const length = Math.hypot(...sum);
  return { unit: sum.map((component) => component / length), length };
}

/** The cosines of the passages to compare, and of those that full-text search found, without those that vector search found. */
function missingCosines(
  db: Database,
  { vectors }: SearchCaches,
  ns: number,
  queries: readonly PassageQuery[],
  lists: readonly Pick<RankedList, 'scores'>[],
  { generation, vector }: QueryVector,
  compared: readonly number[],
): PassageScore[] {
  const [foundByText, foundByVector] = [new Set<number>(compared), new Set<number>()];
  for (const [i, { by }] of queries.entries())
    for (const { passage } of lists[i]!.scores) {
      if (by === 'text') foundByText.add(passage);
      if (by === 'vector') foundByVector.add(passage);
    }
  const missing = [...foundByText].filter((passage) => !foundByVector.has(passage));
  return missing.length === 0 ? [] : scoreVectors(db, vectors, ns, generation, vector, missing);
}
