import { Deadline } from '../../../core/time/deadline.ts';
import { bestOfRecords, spreadOverRecords } from '../../rules/record-spread.ts';
import type {
  PassageQuery,
  PassageScore,
  QueryVector,
  RankedList,
  RetrievalRequest,
} from '../../search-model.ts';
import type { Driver } from '../driver.ts';
import { hasExpired, passageFilter } from '../filter.ts';
import { newest, passageRows } from './passages.ts';
import { compareRecords, scoresOfPassages, vectorsOfPassages } from './vectors.ts';
import { packRetrieval, type PackedRetrieval } from './wire.ts';

export async function retrieve(
  driver: Driver,
  ns: number,
  { queries, cosines, compared = [], records, load = false, budgetMs }: RetrievalRequest,
): Promise<PackedRetrieval> {
  const deadline = new Deadline(budgetMs);
  const ranker = new Ranker(driver, ns, deadline);
  const lists: RankedList[] = [];
  for (const query of queries) {
    const started = performance.now();
    if (deadline.isPast) {
      lists.push({ scores: [], overQuota: [], milliseconds: 0, isPartial: true });
      continue;
    }
    const list = await spreadOverRecords(query, (limit) => ranker.rank(query, limit), deadline);
    lists.push({ ...list, milliseconds: performance.now() - started, isPartial: deadline.isPast });
  }
  const scores =
    cosines === undefined ? [] : await missingCosines(driver, ns, queries, lists, cosines, compared);
  const passages = load ? bestOfRecords(lists.flatMap((list) => list.scores)) : [];
  const ofRecords =
    cosines === undefined || records === undefined
      ? new Map<number, never>()
      : await compareRecords(driver, ns, cosines, records.ids, records.limit);
  return packRetrieval(
    { lists, cosines: scores, compared: ofRecords },
    await passageRows(driver.sql, ns, passages),
  );
}

class Ranker {
  readonly #driver: Driver;
  readonly #ns: number;
  readonly #deadline: Deadline;
  readonly #expired = new Map<number, Promise<boolean>>();

  constructor(driver: Driver, ns: number, deadline: Deadline) {
    this.#driver = driver;
    this.#ns = ns;
    this.#deadline = deadline;
  }

  async rank(query: PassageQuery, limit: number): Promise<PassageScore[]> {
    const { sql, text, vectors } = this.#driver;
    if (query.by === 'time') return newest(sql, this.#ns, query.filter, limit);
    const { now } = query.filter;
    const expired = this.#expired.get(now) ?? hasExpired(sql, this.#ns, now);
    this.#expired.set(now, expired);
    const filter = passageFilter(sql.dialect, query.filter, await expired);
    if (query.by === 'text') return text.search(this.#ns, query.text, filter, limit, this.#deadline);
    const { generation, vector } = query.vector;
    if (query.mix === undefined) return vectors.search(this.#ns, query.vector, filter, limit, this.#deadline);
    const { passage, share } = query.mix;
    const [other = vector] = await vectorsOfPassages(this.#driver, this.#ns, generation, [passage]);
    const { unit, length } = mixVectors(vector, other, share);
    const found = await vectors.search(this.#ns, { generation, vector: unit }, filter, limit, this.#deadline);
    return found.map((each) => ({ ...each, score: each.score * length }));
  }
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
async function missingCosines(
  { sql, vectors }: Driver,
  ns: number,
  queries: readonly PassageQuery[],
  lists: readonly Pick<RankedList, 'scores'>[],
  query: QueryVector,
  compared: readonly number[],
): Promise<PassageScore[]> {
  const [foundByText, foundByVector] = [new Set<number>(compared), new Set<number>()];
  for (const [i, { by }] of queries.entries())
    for (const { passage } of lists[i]!.scores) {
      if (by === 'text') foundByText.add(passage);
      if (by === 'vector') foundByVector.add(passage);
    }
  const missing = [...foundByText].filter((passage) => !foundByVector.has(passage));
  return missing.length === 0 ? [] : scoresOfPassages(sql, vectors, ns, query, missing);
}
