import { analyze } from '../core/text/analyze.ts';
import type { Timestamp } from '../core/types.ts';
import { isFunctionWordOf, type StoredLanguage } from '../core/text/language/language.ts';
import { MASK } from '../secrets/secret.ts';
import { isAboutDay, writtenTime } from '../store/rules/record-time.ts';
import type { RecordHeader, StoredPassage } from '../store/search-model.ts';
import { pastPhrases } from './query/intent.ts';
import { containsPhrases } from './query/phrases.ts';
import { sessionOf } from './rank/boosts.ts';
import { MIN_SURE_CONFIDENCE, withConfidence, type Hit } from './rank/confidence.ts';
import type { QueryCoverage } from './rank/coverage.ts';
import type { Ranked } from './rank/rank.ts';
import type { Newest } from './rank/ranking.ts';
import { laterVector, type RetrievalResult } from './retrieve/retrieve.ts';
import { isList, type SearchRun } from './run.ts';
import { cosine } from './sentence-cosines.ts';

type AnyHit = Ranked | Hit;

/** A search as far as its results are compared with one another. */
interface ComparedSearch {
  readonly run: SearchRun;
  readonly retrieved: RetrievalResult;
  readonly coverage: QueryCoverage;
}

/** A result, and the search that found it. */
export interface FoundHit {
  readonly hit: Hit;
  readonly search: ComparedSearch;
}

/** A result at its place among others. */
interface PlacedHit<Found extends FoundHit> {
  readonly found: Found;
  /** With at least the confidence of the first one that it stands before. */
  readonly hit: Hit;
  /** The latest result above it that says the same. */
  readonly later?: { readonly found: Found; readonly time: Timestamp };
}

/** The first results of a search with `laterFirst`; they keep the scores of their places. */
export async function newestFirst(
  search: ComparedSearch,
  ranked: readonly AnyHit[],
  rate: (hit: AnyHit) => Hit,
): Promise<readonly AnyHit[]> {
  const { newest } = search.run.ranking;
  if (newest === null) return ranked;
  const hits = ranked.slice(0, newest.results).map(rate);
  const placed = await laterFirst(hits.map((hit) => ({ hit, search })));
  if (placed === null) return ranked;
  const first = placed.map(({ hit, later }, place): Hit => {
    const { score } = hits[place]!;
    const boost = { name: 'newer' as const, added: score - hit.score };
    return {
      ...hit,
      ...(boost.added !== 0 && { score, boosts: [...hit.boosts, boost] }),
      ...(later !== undefined && {
        later: { record: later.found.hit.passage.record.id, time: later.time },
      }),
    };
  });
  return [...first, ...ranked.slice(newest.results)];
}

/**
 * Moves a result before the first of those above it that say the same at an earlier time, such as a password that has changed. It
 * gets the place and at least the confidence of that one, which counts for the results after it too. Each earlier result names
 * the latest one above it. A question about the past keeps the order. Text from outside moves only before other text from outside.
 * `null` if no result says the same as another one.
 * @param results of one search, or of searches for the same query in several namespaces; as many as the settings say are compared
 */
export async function laterFirst<Found extends FoundHit>(
  results: readonly Found[],
): Promise<PlacedHit<Found>[] | null> {
  const [first] = results;
  if (first === undefined) return null;
  const { run, retrieved } = first.search;
  const { ranking, dates, filter } = run;
  const { newest } = ranking;
  if (newest === null || isList(run) || dates.some(({ until }) => until <= filter.now)) return null;
  const found = results.slice(0, newest.results);
  const past = pastPhrases(retrieved.query.text);
  const hits = found.map(({ hit }) => hit);
  /** The share of the query that another hit has and this one lacks. */
  const lackingShare = (one: number, another: number): number => {
    const { hit, search } = found[one]!;
    const had = search.coverage.termsOf(hits[another]!.passage);
    return search.coverage.of(hit.passage, had) - search.coverage.of(hit.passage);
  };
  /** What the later hit lacks of the match of the earlier one: the share of the query, and the cosine. */
  const lacking = (later: number, earlier: number): number => {
    const cosines = [later, earlier].map((each) => hits[each]!.confidenceParts.match.cosine ?? Infinity);
    const nearer = cosines.includes(Infinity) ? 0 : Math.max(0, cosines[1]! - cosines[0]!);
    return nearer > MAX_LACKING ? nearer : lackingShare(later, earlier) + nearer;
  };
  const best = hits.reduce((max, { confidence }, i) => (confidence > hits[max]!.confidence ? i : max), 0);
  /** `null` for a hit that keeps its place. */
  const times = hits.map(({ passage }, i) => {
    const time = writtenTime(passage.record);
    if (time === null || time > filter.now || lackingShare(i, best) > MAX_LACKING) return null;
    return past.some((phrase) => !containsPhrases(passage, [phrase])) ? null : time;
  });
  const isLater = (later: number, earlier: number): boolean => {
    const [hit, other] = [hits[later]!, hits[earlier]!];
    const [time, before] = [times[later] ?? null, times[earlier] ?? null];
    if (time === null || before === null || time <= before) return false;
    // Text from outside never replaces what the owner or an agent wrote.
    const [trust, trustBefore] = [hit.passage.record.trust, other.passage.record.trust];
    if (trust === 'external' && trustBefore !== 'external') return false;
    // A value that was masked replaces none that can be read.
    if (MASK.test(hit.passage.text) && !MASK.test(other.passage.text)) return false;
    // What is said next in a conversation does not replace what was said.
    const session = sessionOf(hit.passage);
    if (session !== null && session === sessionOf(other.passage)) return false;
    return other.confidence >= MIN_SURE_CONFIDENCE && hit.confidence >= newest.confidence * other.confidence;
  };
  const places = hits.map((_, i) => i);
  const pairs = places.flatMap((later) =>
    places
      .filter((earlier) => isLater(later, earlier))
      .map((earlier) => ({ later, earlier, lacks: lacking(later, earlier) }))
      .filter(({ earlier, lacks }) => lacks <= MAX_LACKING && lackingShare(earlier, later) <= MAX_OTHER),
  );
  if (pairs.length === 0) return null;
  const same = await samePairs(found, newest, pairs);
  if (same.length === 0) return null;
  const rest = results.slice(found.length).map((each) => ({ found: each, hit: each.hit }));
  return [...inOrder(found, times, same), ...rest];
}

/** Two of the hits, of which one says the same at a later time. */
interface Pair {
  readonly later: number;
  readonly earlier: number;
}

function inOrder<Found extends FoundHit>(
  found: readonly Found[],
  times: readonly (number | null)[],
  same: readonly Pair[],
): PlacedHit<Found>[] {
  const order: number[] = [];
  const confidences = found.map(({ hit }) => hit.confidence);
  for (const hit of found.keys()) {
    const at = order.findIndex((other) =>
      same.some(({ later, earlier }) => later === hit && earlier === other),
    );
    if (at !== -1) confidences[hit] = Math.max(confidences[hit]!, confidences[order[at]!]!);
    order.splice(at === -1 ? order.length : at, 0, hit);
  }
  return order.map((each, place) => {
    const [latest] = same
      .filter(({ earlier, later }) => earlier === each && order.indexOf(later) < place)
      .map(({ later }) => ({ found: found[later]!, time: times[later]! }))
      .sort((a, b) => b.time - a.time);
    const hit = withConfidence(found[each]!.hit, confidences[each]!);
    return { found: found[each]!, hit, ...(latest !== undefined && { later: latest }) };
  });
}

/**
 * The pairs that say the same: by the cosine of their passages, or by the share of its words that the shorter one has in common with
 * the other where one has no vector; both less what the later one lacks. Passages of many words are about many things, and turns
 * of conversations come back to a topic, so that they have to be more similar.
 */
async function samePairs(
  found: readonly FoundHit[],
  newest: Newest,
  pairs: readonly (Pair & { readonly lacks: number })[],
): Promise<readonly Pair[]> {
  const compared = [...new Set(pairs.flatMap(({ later, earlier }) => [later, earlier]))];
  const bySearch = Map.groupBy(compared, (each) => found[each]!.search);
  const vectors = new Map<number, Float32Array>();
  const wordsOf = new Map<number, Words>();
  for (const [{ run, retrieved }, hits] of bySearch) {
    const vector = laterVector(retrieved);
    const ids = hits.map((each) => found[each]!.hit.passage.id);
    const loaded =
      vector === null ? null : await run.store.vectors.ofPassages(run.namespace, vector.generation, ids);
    for (const [i, each] of hits.entries()) {
      const ofPassage = loaded?.get(ids[i]!);
      if (ofPassage !== undefined) vectors.set(each, ofPassage);
      wordsOf.set(each, contentWords(found[each]!.hit.passage, ['en', ...retrieved.query.languages]));
    }
  }
  return pairs.filter(({ later, earlier, lacks }) => {
    const two = [found[later]!, found[earlier]!] as const;
    const [one, other] = [vectors.get(later), vectors.get(earlier)];
    const words = [wordsOf.get(later)!, wordsOf.get(earlier)!];
    const [shorter, longer] = words.toSorted((a, b) => a.size - b.size) as [Words, Words];
    const isKeptUp = two.some(({ hit: { passage } }) => isKeptUpToDate(passage.record));
    const ofTurns = two.some(({ hit }) => sessionOf(hit.passage) !== null) ? newest.turns : 0;
    const more = lacks + ofTurns + newest.longWords * Math.max(0, longer.size - LONG);
    const generations = two.map(({ search }) => search.retrieved.vector?.generation);
    if (one !== undefined && other !== undefined && generations[0] === generations[1]) {
      // Notes on one topic are similar, and each may be kept up to date.
      const least = isKeptUp && longer.size > LONG ? NOTE_COSINE : newest.cosine + more;
      return cosine(one, other) >= least;
    }
    const common = [...shorter].filter((word) => longer.has(word)).length;
    // Longer texts on one topic have many words in common, and say different things about it.
    if (longer.size > LONG) return common / longer.size >= LONG_WORDS;
    return common / Math.max(1, shorter.size) >= newest.words + more;
  });
}

/** A note that is not about a day may say what is true now, however old it is. */
function isKeptUpToDate({ origin, metadata }: RecordHeader): boolean {
  return origin === 'vault' && !isAboutDay(metadata);
}

/**
 * A later result that lacks more of the match of an earlier one does not say the same, whatever else it says. One that has so much less
 * of the query than the best one is about something else.
 */
const MAX_LACKING = 0.5;
/** An earlier result that lacks this much of what the later one has of the query is about somebody or something else. */
const MAX_OTHER = 0.1;
/** The words of a sentence or two. */
const LONG = 20;
/** The cosine from which longer passages of notes say the same. */
const NOTE_COSINE = 0.8;
/** The share of the words of the longer one that longer texts must have in common, without vectors. */
const LONG_WORDS = 0.6;

type Words = ReadonlySet<string>;

/** The terms of the title and the text without function words. */
function contentWords({ record, text }: StoredPassage, languages: readonly StoredLanguage[]): Words {
  const tokens = analyze(`${record.title}\n${text}`);
  const words = tokens.filter(({ surface }) => !isFunctionWordOf(surface, languages));
  return new Set(words.map(({ term }) => term));
}
