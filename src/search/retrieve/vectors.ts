import { LociError } from '../../core/errors.ts';
import type { Embedder, EmbedOptions } from '../../embed/embedder.ts';
import type { PassageScore, QueryVector, StoredPassage } from '../../store/search-model.ts';
import { dateTerms } from '../query/dates.ts';
import type { ParsedQuery } from '../query/parse.ts';
import { roleOf, sessionOf } from '../rank/boosts.ts';
import { inOrder, type Fused, withContributions } from '../rank/fuse.ts';
import type { SearchRun, VectorIndexRef } from '../run.ts';
import { bestFirst, type MissingSignal, type SignalList } from './signals.ts';
import { idfWeight, type WeightedTerm } from './text.ts';

/** The query's embedding. */
export interface EmbeddedQuery {
  /** `null` without a model, and when the model cannot answer. */
  readonly vector: QueryVector | null;
  readonly missing: readonly MissingSignal[];
  readonly milliseconds: number;
}

/** A model that knows a smaller share of a text knows nothing of it. */
const MIN_KNOWN_SHARE = 0.1;
/** A text with two Latin letters in a row has a piece that every model knows. */
const SURELY_KNOWN = /[a-z]{2}/i;

/** Whether the model knows almost nothing of a text: emoji, scripts that its vocabulary lacks. */
export function isUnknown(text: string, { embedder }: Pick<VectorIndexRef, 'embedder'>): boolean {
  if (SURELY_KNOWN.test(text)) return false;
  const share = embedder.knownShare?.(text) ?? 1;
  return share <= MIN_KNOWN_SHARE;
}

/** Removes the share of the vector signal from passages of which the model knows almost nothing. Those with no other signal are left out. */
export function withoutUnknown(
  fused: readonly Fused[],
  passages: readonly StoredPassage[],
  vectors: VectorIndexRef | null,
): Fused[] {
  if (vectors === null) return [...fused];
  const unknown = new Set(passages.filter(({ text }) => isUnknown(text, vectors)).map(({ id }) => id));
  if (unknown.size === 0) return [...fused];
  return inOrder(
    fused.flatMap((entry) => {
      if (!unknown.has(entry.passage)) return [entry];
      const contributions = entry.contributions.filter(({ signal }) => signal !== 'vector');
      return contributions.length === 0 ? [] : [withContributions(entry, contributions)];
    }),
  );
}

/**
 * Embeds the query, unless the model knows almost nothing of it. A provider that cannot answer is reported as missing.
 */
export async function embedQuery({
  namespace,
  ranking,
  vectors,
  signal,
  query,
}: SearchRun): Promise<EmbeddedQuery> {
  if (vectors === null || ranking.weights.vector === 0 || isUnknown(query.text, vectors))
    return { vector: null, missing: [], milliseconds: 0 };
  const started = performance.now();
  const embedded = (
    vector: Float32Array | undefined,
    missing: readonly MissingSignal[] = [],
  ): EmbeddedQuery => ({
    vector: vector === undefined ? null : { generation: vectors.generation, vector },
    missing,
    milliseconds: performance.now() - started,
  });
  try {
    return embedded(await vectorOf(query.text, vectors.embedder, namespace, signal));
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    return embedded(undefined, [{ signal: 'vector', why: error.message }]);
  }
}

interface EmbeddedText {
  readonly embedder: Embedder;
  readonly text: string;
  readonly vector: Promise<Float32Array | undefined>;
}

/** The text that a request embedded last. Only the request itself has its signal, so that no caller can learn of another's queries. */
const lastEmbedded = new WeakMap<AbortSignal, EmbeddedText>();

/** A request that searches several namespaces, with one signal, embeds its query only once. */
function vectorOf(
  text: string,
  embedder: Embedder,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array | undefined> {
  if (signal === undefined) return embedOne(text, embedder, { owner });
  const last = lastEmbedded.get(signal);
  if (last?.text === text && last.embedder === embedder) return last.vector;
  const vector = embedOne(text, embedder, { owner, signal });
  lastEmbedded.set(signal, { embedder, text, vector });
  // The next search of the request tries again.
  vector.catch(() => lastEmbedded.delete(signal));
  return vector;
}

async function embedOne(
  text: string,
  embedder: Embedder,
  options: Omit<EmbedOptions, 'purpose'>,
): Promise<Float32Array | undefined> {
  const [vector] = await embedder.embed([text], { purpose: 'query', ...options });
  return vector;
}

/**
 * Adds the cosines of the passages that other signals found, so that every passage has a score of both kinds.
 * `notEmbedded` are those of them that have no vector yet.
 */
export function completeVectorScores(
  scores: readonly PassageScore[],
  cosines: readonly PassageScore[],
  lists: readonly SignalList[],
): { readonly list: SignalList; readonly notEmbedded: ReadonlySet<number> } {
  const scored = new Set([...scores, ...cosines].map(({ passage }) => passage));
  const notEmbedded = new Set(
    lists
      .flatMap((list) => list.scores.map(({ passage }) => passage))
      .filter((passage) => !scored.has(passage)),
  );
  return { list: { signal: 'vector', scores: [...scores, ...cosines].sort(bestFirst) }, notEmbedded };
}

/** The best candidates: with a hundred of them, a search takes longer and finds the same. */
const COMPARED = 60;

/** The highest cosine of a sentence that has a vector, by passage. Only turns of conversations have statements. @param passages best first */
export async function statementCosines(
  { store, namespace, ranking, deadlineMs }: SearchRun,
  { vector, hasSessions }: { readonly vector: QueryVector | null; readonly hasSessions: boolean },
  passages: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (vector === null || !hasSessions || ranking.statementShare === 0) return new Map();
  return store.vectors.sentenceCosines(namespace, vector, passages.slice(0, COMPARED), deadlineMs);
}

/**
 * The lists with the cosines of messages of users raised towards those of their best statements.
 * @param statements see `statementCosines`
 */
export function raiseByStatements(
  lists: readonly SignalList[],
  passages: readonly StoredPassage[],
  statements: ReadonlyMap<number, number>,
  share: number,
): readonly SignalList[] {
  const best = new Map(
    passages.flatMap((passage) => {
      const cosine = statements.get(passage.id);
      const isOfUser = roleOf(passage) === 'user' && sessionOf(passage) !== null;
      return cosine === undefined || !isOfUser ? [] : [[passage.id, cosine] as const];
    }),
  );
  if (best.size === 0) return lists;
  const raised = (each: PassageScore): PassageScore => {
    const score = each.score + share * Math.max(0, (best.get(each.passage) ?? each.score) - each.score);
    return { ...each, score };
  };
  return lists.map((list) =>
    list.signal === 'vector' ? { ...list, scores: list.scores.map(raised).sort(bestFirst) } : list,
  );
}

/** The share of the query that the model can represent, 0 to 1: by its language, and without codes such as `ABC-1128`. */
export function modelCoverageOf(
  { vectors, query, dates }: SearchRun,
  terms: readonly WeightedTerm[],
): number {
  return (vectors === null ? 1 : languageCoverage(vectors.embedder, query)) * semanticShare(terms, dates);
}

/** The share of a query that a model can represent, 0 to 1, by its script and its language. */
export function languageCoverage(
  embedder: Embedder,
  { text, languages }: Pick<ParsedQuery, 'text' | 'languages'>,
): number {
  const ofScript = embedder.modelCoverage?.(text) ?? 1;
  const mayBeEnglish = languages.length === 0 || languages.includes('en');
  return embedder.language === 'en' && !mayBeEnglish ? OTHER_LANGUAGE_SHARE * ofScript : ofScript;
}

/** The share by which a model of English alone counts for a query in another language of Latin script. */
const OTHER_LANGUAGE_SHARE = 0.5;

/** A word of at least three characters with a digit: `CONV-1234`, `0171`, `F.22`. */
const CODE = /^(?=.*\d).{3,}$/s;

/**
 * The IDF-weighted share of the terms that are not codes with a passage. A query with a code asks for
 * the passage that contains it, whatever its cosine is.
 */
function semanticShare(terms: readonly WeightedTerm[], dates: SearchRun['dates']): number {
  const ofDates = dateTerms(dates);
  let [total, codes] = [0, 0];
  for (const { terms: words, surface, passages, alternatives = [] } of terms) {
    const weight = idfWeight(passages);
    total += weight;
    const isCode = CODE.test(surface) && !words.every((word) => ofDates.has(word));
    const isFound = passages > 0 || alternatives.some(({ prefix }) => prefix);
    if (isCode && isFound) codes += weight;
  }
  return total === 0 ? 1 : 1 - codes / total;
}
