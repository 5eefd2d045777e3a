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
import { assertQueryVectors } from '../generations.ts';
import { atOnce } from '../sql.ts';
import type { TextScore } from '../text-index.ts';
import { newest, passageRows } from './passages.ts';
import { compareRecords, scoresOfPassages, vectorsOfPassages } from './vectors.ts';
import { NO_COMPARISON, packRetrieval, type PackedRetrieval } from './wire.ts';

export async function retrieve(
  driver: Driver,
  ns: number,
  { queries, cosines, compared = [], records, load = false, budgetMs }: RetrievalRequest,
): Promise<PackedRetrieval> {
  const { sql } = driver;
  const deadline = new Deadline(budgetMs);
  const ranker = new Ranker(driver, ns, deadline, cosines);
  const lists: RankedList[] = [];
  await atOnce(sql, [
    () => assertQueryVectors(sql, vectorsOf(queries, cosines)),
    ...queries.map((query, i) => async () => {
      lists[i] = await ranker.list(query);
    }),
  ]);
  const found = cosines === undefined ? [] : await missingCosines(ranker, queries, lists, cosines, compared);
  const passages = load ? bestOfRecords(lists.flatMap((list) => list.scores)) : [];
  const ofRecords =
    records &&
    (await sql.within(deadline, () => compareRecords(driver, ns, cosines, records.ids, records.limit)));
  return packRetrieval(
    { lists, cosines: found ?? [], hasAllCosines: found !== null, compared: ofRecords ?? NO_COMPARISON },
    await passageRows(sql, ns, passages),
  );
}

/** The vectors with which passages are compared. */
export function vectorsOf(queries: readonly PassageQuery[], cosines?: QueryVector): QueryVector[] {
  const vectors = queries.flatMap((query) => (query.by === 'vector' ? [query.vector] : []));
  return cosines === undefined ? vectors : [...vectors, cosines];
}

class Ranker {
  /** The cosines of passages that the text index gave: `null` for those without a vector. */
  readonly cosines = new Map<number, PassageScore | null>();
  readonly driver: Driver;
  readonly ns: number;
  readonly deadline: Deadline;
  readonly #compared: QueryVector | undefined;
  readonly #expired = new Map<number, Promise<boolean>>();

  constructor(driver: Driver, ns: number, deadline: Deadline, compared: QueryVector | undefined) {
    this.driver = driver;
    this.ns = ns;
    this.deadline = deadline;
    this.#compared = compared;
  }

  async list(query: PassageQuery): Promise<RankedList> {
    const started = performance.now();
    const none = { scores: [], overQuota: [] };
    const deadline = this.deadline;
    if (deadline.isPast) return { ...none, milliseconds: 0, isPartial: true };
    const list = await this.driver.sql.within(deadline, () =>
      spreadOverRecords(query, (limit) => this.#rank(query, limit), deadline),
    );
    const isPartial = list === null || deadline.isPast;
    return { ...(list ?? none), milliseconds: performance.now() - started, isPartial };
  }

  async #rank(query: PassageQuery, limit: number): Promise<PassageScore[]> {
    const { sql, text, vectors } = this.driver;
    if (query.by === 'time') return newest(sql, this.ns, query.filter, limit, query.undated);
    const filter = passageFilter(sql.dialect, query.filter, await this.#hasExpired(query.filter.now));
    if (query.by === 'text') {
      // A longer list is cut again, so that most of its cosines are not needed.
      const compared = limit === query.limit ? this.#compared : undefined;
      const search = (vector?: QueryVector): Promise<TextScore[]> =>
        text.search(this.ns, query.text, filter, limit, this.deadline, vector);
      const found =
        compared === undefined
          ? await search()
          : ((await sql.within(this.deadline, () => search(compared))) ?? (await search()));
      for (const { cosine, ...passage } of found)
        if (cosine !== undefined)
          this.cosines.set(passage.passage, cosine === null ? null : { ...passage, score: cosine });
      return found;
    }
    const { generation, vector } = query.vector;
    if (query.mix === undefined) return vectors.search(this.ns, query.vector, filter, limit, this.deadline);
    const { passage, share } = query.mix;
    const other = (await vectorsOfPassages(this.driver, this.ns, generation, [passage])).get(passage);
    const { unit, length } = mixVectors(vector, other ?? vector, share);
    const found = await vectors.search(this.ns, { generation, vector: unit }, filter, limit, this.deadline);
    return found.map((each) => ({ ...each, score: each.score * length }));
  }

  /** Asking a server takes longer than leaving out what has expired. */
  #hasExpired(now: number): Promise<boolean> | boolean {
    const { sql } = this.driver;
    if (sql.dialect.isRemote) return true;
    const expired = this.#expired.get(now) ?? hasExpired(sql, this.ns, now);
    this.#expired.set(now, expired);
    return expired;
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

/**
 * The cosines of the passages to compare, and of those that full-text search found, without those that vector search found; `null` if
 * the time ran out.
 */
async function missingCosines(
  { driver: { sql, vectors }, ns, deadline, cosines: known }: Ranker,
  queries: readonly PassageQuery[],
  lists: readonly Pick<RankedList, 'scores'>[],
  query: QueryVector,
  compared: readonly number[],
): Promise<PassageScore[] | null> {
  const [foundByText, foundByVector] = [new Set<number>(compared), new Set<number>()];
  for (const [i, { by }] of queries.entries())
    for (const { passage } of lists[i]!.scores) {
      if (by === 'text') foundByText.add(passage);
      if (by === 'vector') foundByVector.add(passage);
    }
  const missing = [...foundByText].filter((passage) => !foundByVector.has(passage));
  const unknown = missing.filter((passage) => !known.has(passage));
  const rest =
    unknown.length === 0
      ? []
      : await sql.within(deadline, () => scoresOfPassages(sql, vectors, ns, query, unknown));
  return rest === null ? null : [...missing.flatMap((passage) => known.get(passage) ?? []), ...rest];
}
