import { LociError } from '../../core/errors.ts';
import { ORIGINS } from '../../core/types.ts';
import { analyze, stem } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { PassageScore, SearchFilter, Store, TermInfo, TextTerm } from '../../store/store.ts';
import { listByTime, nearestInTime } from './by-time.ts';
import { isDateOnlyQuery, dateTerms, type DateRange } from '../query/dates.ts';
import type { QueryIntent } from '../query/intent.ts';
import { bestFirst, retrieveWithConstraints, type ConstrainedRetriever } from './constrained-retrieval.ts';
import { requiredPhrases, type ParsedQuery, type QueryTerm } from '../query/parse.ts';
import type { Ranking } from '../rank/ranking.ts';
import { timed, type Signal } from './signals.ts';

/** One signal's passages, best first. */
export interface SignalList {
  readonly signal: Signal;
  readonly scores: readonly PassageScore[];
}

/** A word of the query that nobody wrote, and what was looked for instead. */
export interface Correction {
  readonly word: string;
  readonly replacements: readonly string[];
}

export interface RetrievalResult {
  /** What the query asks for by what it is; `null` also where it asks for nothing else and there is none. */
  readonly intent: QueryIntent | null;
  /** How much the model's judgement of this query counts, 0 to 1: its language, and codes that no model knows. */
  readonly modelCoverage: number;
  readonly lists: readonly SignalList[];
  readonly corrections: readonly Correction[];
  /** Terms that took part, with the passages that hold each. */
  readonly terms: readonly WeightedTerm[];
  /** Signals that could not be asked, and why. */
  readonly missing: readonly MissingSignal[];
  readonly vector: Float32Array | null;
  /** Passages that were found because they are of the days or the kind that the query names. */
  readonly constrainedMatches: ReadonlySet<number>;
}

export interface WeightedTerm extends QueryTerm {
  readonly passages: number;
}

export interface MissingSignal {
  readonly signal: Signal;
  readonly why: string;
}

/** What embeds queries, and the vectors they may meet; `null` without a model. */
export interface VectorIndexRef {
  readonly embedder: Embedder;
  readonly generation: number;
}

export interface RetrievalInput {
  readonly store: Store;
  readonly namespace: string;
  readonly filter: SearchFilter;
  readonly ranking: Ranking;
  readonly vectors: VectorIndexRef | null;
  /** What the query names. */
  readonly dates: readonly DateRange[];
  readonly intent: QueryIntent | null;
  readonly signal?: AbortSignal;
}

/** Asks every signal that can answer; one that fails is named, and the others go on. */
export async function retrieve(query: ParsedQuery, retrieval: RetrievalInput): Promise<RetrievalResult> {
  const {
    dateFilters: days,
    intentFilters: ofKind,
    retrieve: look,
    constrainedMatches: ofThose,
  } = retrieveWithConstraints(retrieval);
  if (retrieval.intent?.listOnly === true) {
    const listed = await retrieveByTime(query, retrieval.intent, ofKind, retrieval);
    return listed ?? retrieve(query, { ...retrieval, intent: null });
  }
  const [lexical, dense] = await Promise.all([
    retrieveLexical(query, retrieval, look),
    timed('vector', () => retrieveVectors(query, retrieval, look)),
  ]);
  const { list: vectorList, incomplete } = await completeVectorScores(lexical.lists, dense, retrieval);
  const lists = vectorList === null ? [...lexical.lists] : [vectorList, ...lexical.lists];
  // Without a model, "last week" is in no text: then the newest of those days are what is asked for.
  if (ofThose.size === 0 && isDateOnlyQuery(query.terms, retrieval.dates)) {
    const scores = (await nearestInTime(days, retrieval)).sort(bestFirst);
    for (const { passage } of scores) ofThose.add(passage);
    lists.push({ signal: 'recency', scores });
  }
  return {
    ...lexical,
    intent: retrieval.intent,
    lists,
    missing: incomplete ? [...dense.missing, NOT_ALL_EMBEDDED] : dense.missing,
    vector: dense.vector,
    constrainedMatches: ofThose,
    modelCoverage:
      (retrieval.vectors?.embedder.modelCoverage?.(query.text) ?? 1) *
      semanticShare(lexical.terms, retrieval.dates),
  };
}

/**
 * "My calendar": no text is about that, so what is of the kind comes by its time; notes are found as ever. `null` where
 * nothing of the kind is open: what is done alone does not take the place of an answer.
 */
async function retrieveByTime(
  query: ParsedQuery,
  kind: QueryIntent,
  ofKind: readonly SearchFilter[],
  retrieval: RetrievalInput,
): Promise<RetrievalResult | null> {
  const { filter } = retrieval;
  const scores = await listByTime(kind.state, ofKind, retrieval);
  if (scores.length === 0) return null;
  const origins = (filter.origins ?? ORIGINS).filter((origin) => origin !== 'source');
  const asked = { filter: { ...filter, origins }, kind: { ...kind, filters: [], alone: false } };
  const notes = await retrieve(query, { ...retrieval, ...asked });
  const ofThose = new Set([...scores.map(({ passage }) => passage), ...notes.constrainedMatches]);
  return {
    ...notes,
    intent: kind,
    lists: [{ signal: 'recency', scores }, ...notes.lists],
    constrainedMatches: ofThose,
  };
}

/** What a word counts for that so many passages hold: 1 for one that none holds, then less and less. */
export function idfWeight(passages: number): number {
  return 1 / Math.log2(2 + passages);
}

/** `CONV-1234`, `0171`, `F.22`: spelt, not understood. Short numbers are words like others. */
const CODE = /^(?=.*\d).{3,}$/s;

/**
 * What the model can judge of a query: its terms without the codes that somebody wrote, weighed by rarity. Whatever a
 * model sees in `ABC-1128`, the note that holds it is meant.
 */
function semanticShare(terms: readonly WeightedTerm[], dates: readonly DateRange[]): number {
  const ofDates = dateTerms(dates);
  let [whole, codes] = [0, 0];
  for (const { terms: words, surface, passages } of terms) {
    const weight = idfWeight(passages);
    whole += weight;
    const isCode = CODE.test(surface) && !words.every((word) => ofDates.has(word));
    if (isCode && passages > 0) codes += weight;
  }
  return whole === 0 ? 1 : 1 - codes / whole;
}

interface LexicalResult {
  readonly lists: readonly SignalList[];
  readonly corrections: readonly Correction[];
  readonly terms: readonly WeightedTerm[];
}

async function retrieveLexical(
  query: ParsedQuery,
  retrieval: RetrievalInput,
  look: ConstrainedRetriever,
): Promise<LexicalResult> {
  const { store, namespace, ranking } = retrieval;
  const words = new Set(query.terms.flatMap(wordsOf));
  const infos = new Map((await store.lookUpTerms(namespace, [...words])).map((info) => [info.word, info]));
  const weighed = query.terms.map((term) => {
    // An identifier is at most as frequent as its rarest part.
    const counts = wordsOf(term).map((word) => infos.get(word)?.passages ?? 0);
    return { ...term, passages: counts.length === 0 ? 0 : Math.min(...counts) };
  });
  const terms = withinFrequencyBudget(weighed, ranking.frequencyBudget);
  const all = requiredPhrases(query);
  const wished = all.length > 0 ? [] : query.phrases;
  const ask = (words: readonly TextTerm[]): Promise<PassageScore[]> => {
    const text = { any: [...words, ...wished], all, weights: ranking.fields };
    return look((filter, depth) => store.searchText(namespace, text, filter, depth));
  };
  const corrections = correctionsOf(query, infos, retrieval);
  const corrected = corrections.flatMap((correction) => correction.replacements).map(nearTerm);
  // The corrected list holds all of the literal one; where it takes over the whole weight, nobody looks at that.
  const isTakenOver = corrections.length > 0 && ranking.correctionShare === 1;
  const [text, trigram] = await Promise.all([
    isTakenOver ? [] : timed('text', () => ask(terms)),
    corrections.length === 0 ? [] : timed('trigram', () => ask([...terms, ...corrected])),
  ]);
  return {
    lists: [
      { signal: 'text', scores: text },
      { signal: 'trigram', scores: trigram },
    ],
    corrections,
    terms,
  };
}

/** What of a term the vocabulary knows: bigrams have no spelling. */
function wordsOf({ kind, surface }: QueryTerm): string[] {
  return kind === 'bigram' ? [] : surface.split(' ');
}

/** Rarest first, as long as the passages to look at stay within the budget; always one. */
function withinFrequencyBudget(terms: readonly WeightedTerm[], budget: number): WeightedTerm[] {
  const kept: WeightedTerm[] = [];
  let spent = 0;
  for (const term of terms.toSorted((a, b) => a.passages - b.passages)) {
    spent += term.passages;
    if (kept.length > 0 && spent > budget) break;
    kept.push(term);
  }
  return kept;
}

function correctionsOf(
  query: ParsedQuery,
  infos: ReadonlyMap<string, TermInfo>,
  { dates, intent: kind, vectors }: RetrievalInput,
): Correction[] {
  const ofDates = new Set(dates.flatMap(({ text }) => analyze(text).map(({ surface }) => surface)));
  return query.terms.flatMap(({ terms, surface }) => {
    const near = infos.get(surface)?.near ?? [];
    if (
      near.length === 0 ||
      ofDates.has(surface) ||
      namesIntent(terms, kind) ||
      isWellSpelt(surface, vectors)
    )
      return [];
    return [{ word: surface, replacements: near.map(({ word }) => word) }];
  });
}

/** A word that the model has as a whole is no slip: "world" is not meant as "would", though nobody wrote it. */
function isWellSpelt(word: string, vectors: VectorIndexRef | null): boolean {
  if (isStopWord(word)) return true;
  return vectors !== null && vectors.embedder.countTokens(word) <= vectors.embedder.countTokens('a');
}

function namesIntent(terms: readonly string[], kind: QueryIntent | null): boolean {
  return kind !== null && terms.every((term) => kind.intentTerms.has(term));
}

function nearTerm(word: string): TextTerm {
  return { terms: [stem(word)], prefix: false };
}

interface VectorResult {
  readonly list: readonly PassageScore[];
  readonly vector: Float32Array | null;
  readonly missing: readonly MissingSignal[];
}

async function retrieveVectors(
  query: ParsedQuery,
  retrieval: RetrievalInput,
  look: ConstrainedRetriever,
): Promise<VectorResult> {
  const { store, namespace, ranking, vectors, signal } = retrieval;
  if (vectors === null || ranking.weights.vector === 0) return { list: [], vector: null, missing: [] };
  try {
    const options = { purpose: 'query' as const, ...(signal === undefined ? {} : { signal }) };
    const [vector] = await vectors.embedder.embed([query.text], options);
    if (vector === undefined) return { list: [], vector: null, missing: [] };
    const list = await look((filter, depth) =>
      store.searchVectors(namespace, vectors.generation, vector, filter, depth),
    );
    return { list, vector, missing: [] };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    return { list: [], vector: null, missing: [{ signal: 'vector', why: error.message }] };
  }
}

const NOT_ALL_EMBEDDED: MissingSignal = {
  signal: 'vector',
  why: 'some of what matches is not embedded yet; `loci index` goes on with it',
};

/** What words found is compared in meaning too, so that no passage is judged by half the evidence. */
async function completeVectorScores(
  lists: readonly SignalList[],
  { list, vector }: VectorResult,
  { store, namespace, vectors }: RetrievalInput,
): Promise<{ list: SignalList | null; incomplete: boolean }> {
  if (vector === null || vectors === null) return { list: null, incomplete: false };
  const known = new Set(list.map(({ passage }) => passage));
  const others = new Set<number>();
  for (const { scores } of lists) {
    for (const { passage } of scores) if (!known.has(passage)) others.add(passage);
  }
  const more = await store.scoreVectors(namespace, vectors.generation, vector, [...others]);
  const scores = [...list, ...more].sort(bestFirst);
  return { list: { signal: 'vector', scores }, incomplete: more.length < others.size };
}
