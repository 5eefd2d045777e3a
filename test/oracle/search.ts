import { stem } from '../../src/core/text/analyze.ts';
import {
  MAX_SMALL_VOCABULARY,
  storedLanguages,
  type StoredLanguage,
} from '../../src/core/text/language/language.ts';
import type { LociRecord } from '../../src/core/types.ts';
import { isCorrectable, nearestWords } from '../../src/store/lexical/spelling.ts';
import { TEXT_FIELDS } from '../../src/store/lexical/text-fields.ts';
import { admits, nearestTo } from '../../src/store/rules/filter.ts';
import type {
  Neighbourhood,
  NeighbourReach,
  PassageQuery,
  PassageScore,
  QueryVector,
  RankedList,
  SearchFilter,
  TermInfo,
  TextQuery,
  TextTerm,
} from '../../src/store/search-model.ts';
import { isUndatedNote } from '../../src/store/rules/record-time.ts';
import { type Namespace, type OraclePassage, passagesOf, recordsOf } from './state.ts';

/** The parameters of BM25 (Robertson and Zaragoza 2009), as in SQLite's FTS5. */
const K1 = 1.2;
const B = 0.75;
/** The IDF of a term that is in more than half of the passages. */
const MIN_IDF = 1e-6;

export function rankPassages(namespace: Namespace, query: PassageQuery, limit: number): PassageScore[] {
  const { filter } = query;
  if (query.by === 'text') return searchText(namespace, query.text, filter, limit);
  if (query.by === 'time') return nearestInTime(namespace, filter, limit, query.undated);
  const { generation, vector } = query.vector;
  return searchVectors(namespace, generation, vector, filter, limit);
}

/** The cosines of the passages to compare, and of those that text queries found, without those that vector queries found. */
export function missingCosines(
  namespace: Namespace,
  queries: readonly PassageQuery[],
  lists: readonly Pick<RankedList, 'scores'>[],
  { generation, vector }: QueryVector,
  compared: readonly number[],
): PassageScore[] {
  const foundBy = (by: PassageQuery['by']): PassageScore[] =>
    lists.flatMap(({ scores }, i) => (queries[i]!.by === by ? scores : []));
  const scored = new Set(foundBy('vector').map(({ passage }) => passage));
  const missing = new Map(foundBy('text').map(({ passage, record }) => [passage, record]));
  for (const id of compared) {
    const found = namespace.passages.get(id);
    if (found !== undefined) missing.set(id, found.record);
  }
  return [...missing].flatMap(([passage, record]) => {
    const passageVector = vectorOf(namespace, generation, passage);
    return scored.has(passage) || passageVector === undefined
      ? []
      : [{ passage, record, score: dot(passageVector, vector) }];
  });
}

function vectorOf(namespace: Namespace, generation: number, passage: number): Float32Array | undefined {
  return namespace.vectors.get(generation)?.get(namespace.passages.get(passage)?.passage.hash ?? '');
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}

function searchText(
  namespace: Namespace,
  query: TextQuery,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  const corpus = [...namespace.passages.values()];
  const average = corpus.reduce((sum, passage) => sum + lengthOf(passage), 0) / corpus.length;
  const weighted = scoredTerms(query).map((term) => {
    const documentFrequency = corpus.filter((passage) => hasTerm(passage, term)).length;
    const idf = Math.log((corpus.length - documentFrequency + 0.5) / (documentFrequency + 0.5));
    return { term, idf: idf > 0 ? idf : MIN_IDF };
  });
  return visible(namespace, filter)
    .filter((passage) => matches(passage, query))
    .map((passage) => {
      const damping = K1 * (1 - B + (B * lengthOf(passage)) / average);
      const score = weighted.reduce((sum, { term, idf }) => {
        const frequency = TEXT_FIELDS.reduce(
          (all, field) => all + query.weights[field] * occurrences(passage.indexed.terms[field], term),
          0,
        );
        return sum + idf * ((frequency * (K1 + 1)) / (frequency + damping));
      }, 0);
      return { passage: passage.id, record: passage.record, score };
    })
    .sort(bestFirst)
    .slice(0, limit);
}

function searchVectors(
  namespace: Namespace,
  generation: number,
  query: Float32Array,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  return visible(namespace, filter)
    .flatMap(({ id, record }) => {
      const vector = vectorOf(namespace, generation, id);
      return vector === undefined ? [] : [{ passage: id, record, score: dot(vector, query) }];
    })
    .sort(bestFirst)
    .slice(0, limit);
}

function nearestInTime(
  namespace: Namespace,
  filter: SearchFilter,
  limit: number,
  undated = false,
): PassageScore[] {
  return visible(namespace, filter)
    .filter(({ record }) => undated || !isUndatedNote(namespace.records.get(record)!.record))
    .filter(({ passage }) => passage.ordinal === 0)
    .map(({ id, record }) => ({
      passage: id,
      record,
      score: namespace.records.get(record)!.record.createdAt,
    }))
    .sort(nearestTo(filter.now))
    .slice(0, limit);
}

export function lookUpTerms(namespace: Namespace, words: readonly string[]): TermInfo[] {
  const vocabulary = [...wordCounts(namespace)].map(([word, passages]) => ({ word, passages }));
  return words.map((word) => {
    const sameStem = vocabulary.filter((each) => stem(each.word) === stem(word));
    const passages = sameStem.reduce((sum, each) => sum + each.passages, 0);
    const isUnknown = passages === 0 && isCorrectable(word);
    const correctable = vocabulary.filter((each) => isCorrectable(each.word));
    return { word, passages, near: isUnknown ? nearestWords(word, correctable) : [] };
  });
}

export function languagesOf(namespace: Namespace): StoredLanguage[] {
  const counts = wordCounts(namespace);
  return storedLanguages({
    passages: namespace.passages.size,
    passagesOf: (word) => counts.get(word) ?? 0,
    words: counts.size > MAX_SMALL_VOCABULARY ? [] : [...counts],
  });
}

/** How many passages have each word. */
function wordCounts(namespace: Namespace): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { indexed } of namespace.passages.values()) {
    for (const word of indexed.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

export function neighbours(
  namespace: Namespace,
  ids: readonly number[],
  reach: NeighbourReach,
): Neighbourhood[] {
  return ids.flatMap((id) => {
    const passage = namespace.passages.get(id);
    const record = namespace.records.get(passage?.record ?? 0)?.record;
    const session = record === undefined ? null : sessionOf(record);
    if (record === undefined || session === null) return [];
    const passagesOfRecord = passagesOf(namespace, record.id);
    const index = passagesOfRecord.findIndex((each) => each.id === id);
    const turns = recordsOf(namespace)
      .filter((each) => each.deletedAt === null && sessionOf(each) === session)
      .flatMap((each) => passagesOf(namespace, each.id).filter((first) => first.passage.ordinal === 0));
    const before = [
      ...passagesOfRecord.slice(0, index).reverse(),
      ...turns.filter((turn) => turn.record < record.id).reverse(),
    ];
    const after = [...passagesOfRecord.slice(index + 1), ...turns.filter((turn) => turn.record > record.id)];
    return [{ passage: id, before: idsOf(before, reach.before), after: idsOf(after, reach.after) }];
  });
}

function idsOf(passages: readonly OraclePassage[], limit: number): number[] {
  return passages.slice(0, limit).map(({ id }) => id);
}

function sessionOf({ metadata: { session } }: LociRecord): string | null {
  return typeof session === 'string' || typeof session === 'number' ? String(session) : null;
}

/** The passages of records that pass the filter. */
function visible(namespace: Namespace, filter: SearchFilter): OraclePassage[] {
  return [...namespace.passages.values()].filter(({ record }) => {
    const found = namespace.records.get(record);
    return found !== undefined && admits(found.record, filter);
  });
}

function bestFirst(a: PassageScore, b: PassageScore): number {
  return b.score - a.score || a.passage - b.passage;
}

function scoredTerms({ any, all }: TextQuery): readonly TextTerm[] {
  return any.length > 0 && all.length > 0 ? [...all, ...any, ...all] : [...all, ...any];
}

function matches(passage: OraclePassage, { any, all }: TextQuery): boolean {
  if (all.length === 0) return any.some((term) => hasTerm(passage, term));
  return all.every((term) => hasTerm(passage, term));
}

function lengthOf({ indexed }: OraclePassage): number {
  return TEXT_FIELDS.reduce((sum, field) => sum + indexed.terms[field].length, 0);
}

function hasTerm({ indexed }: OraclePassage, term: TextTerm): boolean {
  return TEXT_FIELDS.some((field) => occurrences(indexed.terms[field], term) > 0);
}

/** How often the words of a term occur consecutively in a field. */
function occurrences(field: readonly string[], { terms, prefix }: TextTerm): number {
  if (terms.length === 0) return 0;
  return field.filter((_, start) =>
    terms.every((term, i) => {
      const word = field[start + i];
      return word !== undefined && (prefix && i === terms.length - 1 ? word.startsWith(term) : word === term);
    }),
  ).length;
}
