import { hasProse } from '../sources/markdown/plain-text.ts';
import type { ComparedPassage, StoredPassage } from '../store/search-model.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases } from './query/phrases.ts';
import { bm25ByPassage, readCandidates } from './candidates.ts';
import type { QueryCoverage } from './rank/coverage.ts';
import type { Hit } from './rank/confidence.ts';
import { isList } from './run.ts';
import type { SearchOutcome } from './search.ts';

/** A passage, and the lines of it and of its neighbours. */
interface ShownPassage extends Pick<StoredPassage, 'startLine' | 'endLine'> {
  readonly passage: StoredPassage;
}

/** The passages of a record that a result shows. */
export interface ShownPassages {
  readonly best: ShownPassage;
  /** The second best, beyond the lines of the best; `null` if no other may be shown. */
  readonly second: ShownPassage | null;
}

/** A passage is cited with its neighbours, as far as together they are no longer than this, in code points. */
const MAX_CITED = 900;
/** The share of meaning in how well a passage answers; words have the rest, and of it, coverage has this share, and BM25 the rest. */
const [MEANING_SHARE, COVERAGE_SHARE] = [0.7, 0.7];

/**
 * Chooses the passages that are shown of some hits, by record. How high a record ranks and which of its passages answers are two
 * questions: a short passage ranks high, because it has the title like all others. Passages are therefore compared once more, with the
 * other passages of their record. One of nothing but links and headings is shown only where there is no other. Past the deadline of the
 * search, the map is empty.
 */
export async function shownPassages(
  outcome: Pick<SearchOutcome, 'run' | 'retrieved' | 'coverage' | 'passages'>,
  hits: readonly Pick<Hit, 'passage'>[],
): Promise<ReadonlyMap<number, ShownPassages>> {
  const { run, retrieved, coverage } = outcome;
  if (isList(run) || hits.length === 0) return new Map();
  const ids = hits.map(({ passage }) => passage.record.id);
  const bm25 = bm25ByPassage(retrieved);
  const { compared, candidates } = await readCandidates(outcome, ids, bm25);
  const phrases = requiredPhrases(run.query);
  const byRecord = Map.groupBy(
    candidates.filter((passage) => containsPhrases(passage, phrases)),
    ({ record }) => record.id,
  );
  return new Map(
    hits.flatMap(({ passage: { record } }) => {
      const ofRecord = compared.get(record.id) ?? [];
      const known = byRecord.get(record.id) ?? [];
      const stubs: StoredPassage[] = [];
      const ordered = inOrder(known, ofRecord, bm25, coverage);
      const shown = chosen(withProse(ordered, stubs), ofRecord) ?? chosen(stubs, ofRecord);
      return shown === null ? [] : [[record.id, shown]];
    }),
  );
}

/**
 * Passages of a record, best first. To read the words of a body takes time. A passage has at least as much of the query as its body, and
 * the search has read it already: only a body that may be the best is read.
 * @param ofRecord all of its passages
 */
function* inOrder(
  passages: readonly StoredPassage[],
  ofRecord: readonly ComparedPassage[],
  bm25: ReadonlyMap<number, number>,
  coverage: QueryCoverage,
): Generator<StoredPassage> {
  const cosines = new Map(
    ofRecord.flatMap(({ passage, cosine }) => (cosine === null ? [] : [[passage, cosine]])),
  );
  const lowest = Math.min(...cosines.values());
  const range = Math.max(Number.EPSILON, Math.max(...cosines.values()) - lowest);
  const bestWords = Math.max(Number.EPSILON, ...passages.map(({ id }) => bm25.get(id) ?? 0));
  const score = (passage: StoredPassage, covered: number): number => {
    const words = COVERAGE_SHARE * covered + ((1 - COVERAGE_SHARE) * (bm25.get(passage.id) ?? 0)) / bestWords;
    const cosine = cosines.get(passage.id);
    if (cosine === undefined) return words;
    return MEANING_SHARE * ((cosine - lowest) / range) + (1 - MEANING_SHARE) * words;
  };
  const unread = passages
    .map((passage) => ({ passage, most: score(passage, coverage.of(passage)) }))
    .sort((a, b) => a.most - b.most);
  const read: { readonly passage: StoredPassage; readonly score: number }[] = [];
  for (;;) {
    while (unread.length > 0 && unread.at(-1)!.most >= (read.at(-1)?.score ?? -1)) {
      const { passage } = unread.pop()!;
      read.push({ passage, score: score(passage, coverage.of(bodyOf(passage))) });
      read.sort((a, b) => a.score - b.score || b.passage.ordinal - a.passage.ordinal);
    }
    const best = read.pop();
    if (best === undefined) return;
    yield best.passage;
  }
}

/** The body alone: titles and headings name a topic, and do not answer. */
function bodyOf(passage: StoredPassage): StoredPassage {
  const text = passage.text.replaceAll(HEADING_LINE, '');
  return {
    ...passage,
    text,
    headings: [],
    record: { ...passage.record, title: '', tags: [], metadata: {}, key: null },
  };
}

const HEADING_LINE = /^ {0,3}#{1,6}[ \t].*$/gm;

/** The passages that are more than links and headings. @param stubs gets the others */
function* withProse(passages: Iterable<StoredPassage>, stubs: StoredPassage[]): Generator<StoredPassage> {
  for (const passage of passages)
    if (hasProse(passage.text)) yield passage;
    else stubs.push(passage);
}

/** The best passage and the second, each with the lines of its neighbours; `null` if there is none. */
function chosen(
  ordered: Iterable<StoredPassage>,
  ofRecord: readonly ComparedPassage[],
): ShownPassages | null {
  let best: ShownPassage | null = null;
  const isBeyond = ({ startLine, endLine }: Pick<StoredPassage, 'startLine' | 'endLine'>): boolean =>
    best !== null && (endLine < best.startLine || startLine > best.endLine);
  for (const passage of ordered) {
    if (best === null) best = withNeighbours(passage, ofRecord);
    else if (isBeyond(passage)) return { best, second: withNeighbours(passage, ofRecord.filter(isBeyond)) };
  }
  return best && { best, second: null };
}

/** Adds the passages around a passage: what follows it explains it first. @param around in order */
function withNeighbours(passage: StoredPassage, around: readonly ComparedPassage[]): ShownPassage {
  const at = around.findIndex(({ ordinal }) => ordinal === passage.ordinal);
  let [from, to, length] = [at, at, around[at]?.length ?? MAX_CITED];
  const fits = (last: number, next: number): boolean =>
    around[next] !== undefined &&
    Math.abs(around[next].ordinal - around[last]!.ordinal) === 1 &&
    length + around[next].length <= MAX_CITED;
  for (let hasGrown = at !== -1; hasGrown;) {
    hasGrown = false;
    for (const [last, next] of [
      [to, to + 1],
      [from, from - 1],
    ] as const) {
      if (!fits(last, next)) continue;
      length += around[next]!.length;
      if (next > to) to = next;
      else from = next;
      hasGrown = true;
    }
  }
  return {
    passage,
    startLine: around[from]?.startLine ?? passage.startLine,
    endLine: around[to]?.endLine ?? passage.endLine,
  };
}
