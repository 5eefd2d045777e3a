import { analyze } from '../core/text/analyze.ts';
import { isFunctionWordOf, type StoredLanguage } from '../core/text/language/language.ts';
import { writtenTime } from '../store/rules/record-time.ts';
import type { StoredPassage } from '../store/search-model.ts';
import { pastPhrases } from './query/past.ts';
import { containsPhrases } from './query/phrases.ts';
import { sessionOf } from './rank/boosts.ts';
import { MIN_SURE_CONFIDENCE, withConfidence, type Hit } from './rank/confidence.ts';
import type { QueryCoverage } from './rank/coverage.ts';
import type { Ranked } from './rank/rank.ts';
import type { Newest } from './rank/ranking.ts';
import type { RetrievalResult } from './retrieve/retrieve.ts';
import type { SearchRun } from './run.ts';
import { cosine } from './sentence-cosines.ts';

type AnyHit = Ranked | Hit;

/**
 * Moves a result before the first of those above it that say the same at an earlier time, such as a password that has changed. It
 * gets the place and at least the confidence of that one, which counts for the results after it too. Each earlier result names
 * the latest one above it. A question about the past keeps the order. Text from outside moves only before other text from outside.
 */
export async function newestFirst(
  run: SearchRun,
  retrieved: RetrievalResult,
  coverage: QueryCoverage,
  ranked: readonly AnyHit[],
  rate: (hit: AnyHit) => Hit,
): Promise<readonly AnyHit[]> {
  const { ranking, dates, filter } = run;
  const { newest } = ranking;
  if (newest === null || dates.some(({ until }) => until <= filter.now)) return ranked;
  const past = pastPhrases(retrieved.query.text);
  const hits = ranked.slice(0, newest.results).map(rate);
  /** `null` for a hit that keeps its place. */
  const times = hits.map(({ passage }) => {
    const time = writtenTime(passage.record);
    const isAboutPast = past.some((phrase) => !containsPhrases(passage, [phrase]));
    return time === null || time > filter.now || isAboutPast ? null : time;
  });
  const isLater = (later: number, earlier: number): boolean => {
    const [hit, other] = [hits[later]!, hits[earlier]!];
    const [time, before] = [times[later] ?? null, times[earlier] ?? null];
    if (time === null || before === null || time <= before) return false;
    // Text from outside never replaces what the owner or an agent wrote.
    const [trust, trustBefore] = [hit.passage.record.trust, other.passage.record.trust];
    if (trust === 'external' && trustBefore !== 'external') return false;
    // What is said next in a conversation does not replace what was said.
    const session = sessionOf(hit.passage);
    if (session !== null && session === sessionOf(other.passage)) return false;
    return other.confidence >= MIN_SURE_CONFIDENCE && hit.confidence >= newest.confidence * other.confidence;
  };
  /** What the later hit lacks of the match of the earlier one: the share of the query, and the cosine. */
  const lacking = ({ passage, confidenceParts: { match } }: Hit, earlier: Hit): number => {
    const cosines = [match.cosine, earlier.confidenceParts.match.cosine] as const;
    const nearer = cosines[0] === null || cosines[1] === null ? 0 : Math.max(0, cosines[1] - cosines[0]);
    if (nearer > MAX_LACKING) return nearer;
    return coverage.of(passage, coverage.termsOf(earlier.passage)) - coverage.of(passage) + nearer;
  };
  const places = hits.map((_, i) => i);
  const pairs = places.flatMap((later) =>
    places
      .filter((earlier) => isLater(later, earlier))
      .map((earlier) => ({ later, earlier, lacks: lacking(hits[later]!, hits[earlier]!) }))
      .filter(({ lacks }) => lacks <= MAX_LACKING),
  );
  if (pairs.length === 0) return ranked;
  const same = await samePairs(run, retrieved, newest, hits, pairs);
  return [...inOrder(hits, times, same), ...ranked.slice(newest.results)];
}

/** Two of the hits, of which one says the same at a later time. */
interface Pair {
  readonly later: number;
  readonly earlier: number;
}

function inOrder(hits: readonly Hit[], times: readonly (number | null)[], same: readonly Pair[]): Hit[] {
  const order: number[] = [];
  const confidences = hits.map(({ confidence }) => confidence);
  for (const hit of hits.keys()) {
    const at = order.findIndex((other) =>
      same.some(({ later, earlier }) => later === hit && earlier === other),
    );
    if (at !== -1) confidences[hit] = Math.max(confidences[hit]!, confidences[order[at]!]!);
    order.splice(at === -1 ? order.length : at, 0, hit);
  }
  return order.map((hit, place): Hit => {
    const { score } = hits[place]!;
    const moved = withConfidence(hits[hit]!, confidences[hit]!);
    const [latest] = same
      .filter(({ earlier, later }) => earlier === hit && order.indexOf(later) < place)
      .map(({ later }) => ({ record: hits[later]!.passage.record.id, time: times[later]! }))
      .sort((a, b) => b.time - a.time);
    const boost = { name: 'newer' as const, added: score - moved.score };
    return {
      ...moved,
      ...(boost.added !== 0 && { score, boosts: [...moved.boosts, boost] }),
      ...(latest !== undefined && { later: latest }),
    };
  });
}

/**
 * The pairs that say the same: by the cosine of their passages, or by the share of its words that the shorter one has in common with
 * the other where one has no vector; both less what the later one lacks. Passages of many words are about many things, and turns
 * of conversations come back to a topic, so that they have to be more similar.
 */
async function samePairs(
  { store, namespace }: SearchRun,
  { vector, query: { languages } }: RetrievalResult,
  newest: Newest,
  hits: readonly Hit[],
  pairs: readonly (Pair & { readonly lacks: number })[],
): Promise<readonly Pair[]> {
  const ids = new Set(pairs.flatMap(({ later, earlier }) => [later, earlier]));
  const passages = [...ids].map((hit) => hits[hit]!.passage);
  const vectors =
    vector === null
      ? new Map<number, Float32Array>()
      : await store.vectors.ofPassages(
          namespace,
          vector.generation,
          passages.map(({ id }) => id),
        );
  const all = ['en', ...languages] as const;
  const wordsOf = new Map(passages.map((passage) => [passage, contentWords(passage, all)]));
  return pairs.filter(({ later, earlier, lacks }) => {
    const two = [hits[later]!.passage, hits[earlier]!.passage] as const;
    const [one, other] = two.map(({ id }) => vectors.get(id));
    const words = two.map((passage) => wordsOf.get(passage)!);
    const [shorter, longer] = words.toSorted((a, b) => a.size - b.size) as [Words, Words];
    const ofNotes = two.some(({ record }) => record.origin === 'vault');
    const ofTurns = two.some((passage) => sessionOf(passage) !== null) ? newest.turns : 0;
    const more = lacks + ofTurns + newest.longWords * Math.max(0, longer.size - LONG);
    if (one !== undefined && other !== undefined) {
      // Notes on one topic are similar, and each may be kept up to date.
      const least = ofNotes && longer.size > LONG ? NOTE_COSINE : newest.cosine + more;
      return cosine(one, other) >= least;
    }
    const common = [...shorter].filter((word) => longer.has(word)).length;
    // Longer texts on one topic have many words in common, and say different things about it.
    if (longer.size > LONG) return common / longer.size >= LONG_WORDS;
    return common / Math.max(1, shorter.size) >= newest.words + more;
  });
}

/** What lacks more does not say the same, whatever else it says. */
const MAX_LACKING = 0.5;
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
