import type { FieldWeights, RecordHeader } from '../../store/search-model.ts';

/** Every constant of ranking. The defaults were tuned on the dev sets of `eval/`, one value for all sets. */
export interface Ranking {
  readonly fusion: 'minmax' | 'rrf';
  readonly weights: SignalWeights;
  /** Share of text's weight that moves to spelling when words were corrected. */
  readonly correctionShare: number;
  /** The constant of Reciprocal Rank Fusion (Cormack, Clarke & Büttcher 2009). */
  readonly rrfK: number;
  readonly fields: FieldWeights;
  /** Passages that each signal returns. */
  readonly depth: number;
  /** Passages that the stages after fusion work on. */
  readonly pool: number;
  /** Passages that the query's terms may have in total; the most frequent terms beyond it are dropped. */
  readonly frequencyBudget: number;
  readonly coverageFloor: CoverageFloor | null;
  readonly confidenceOrder: ConfidenceOrder | null;
  readonly smoothing: Smoothing | null;
  readonly anchorText: AnchorText | null;
  readonly bridging: Bridging | null;
  readonly shortTurns: ShortTurns | null;
  /** The part of the way by which the cosine of a message of a user is raised to that of its best statement. 0 to 1. */
  readonly statementShare: number;
  /** Share added to a record of a date that the query names. */
  readonly dateBoost: number;
  /** Share added to a record of a date relative to today that the query names: "yesterday", "last week". */
  readonly relativeDateBoost: number;
  /** Share added to a turn of a speaker that the query names. */
  readonly speakerBoost: number;
  /** Share added to turns of the best session; less for the others, as far as they are worse. */
  readonly sessionPrior: number;
  /** Share added to turns of the user. */
  readonly userPrior: number;
  /** Share added to a record whose whole title or alias is in the query. */
  readonly titleBoost: number;
  /** Share added to a document that matches the query's intent. */
  readonly kindBoost: number;
  /** Factor for the completed documents of a source. */
  readonly completedFactor: number;
  readonly recency: Recency;
  readonly newest: Newest | null;
}

/** Of the first results that say the same, the latest stands first. */
export interface Newest {
  /** The number of results. */
  readonly results: number;
  /** The confidence in the later one as a share of that in the earlier one, at least. */
  readonly confidence: number;
  /** The cosine of the passages, less what the later one lacks of the match of the earlier one, at least. */
  readonly cosine: number;
  /** For passages without vectors: the share of its words that the shorter one has in common with the other one, likewise. */
  readonly words: number;
  /** What is added to both for each word of the longer one beyond the first twenty. */
  readonly longWords: number;
  /** What is added to both for turns of sessions, which come back to a topic without saying the same. */
  readonly turns: number;
}

/**
 * `tie-break` adds to the score of a record of this moment the share `weights.recency` × `reach`; half of it per
 * half-life between now and the record's time, past or future. `rank` is one more list in Reciprocal Rank Fusion.
 */
type Recency =
  | { readonly kind: 'tie-break'; readonly reach: number; readonly halfLifeDays: number }
  | { readonly kind: 'rank' };

export interface SignalWeights {
  readonly vector: number;
  readonly text: number;
  readonly spelling: number;
  readonly recency: number;
}

/** The reasons for which a passage ranks higher or lower than its signals alone would place it. */
export const BOOST_NAMES = [
  'date',
  'speaker',
  'session',
  'short',
  'user',
  'title',
  'linked',
  'bridge',
  'source',
  'completed',
  'belongs',
  'kind',
  'confidence',
  'newer',
  'original',
] as const;
export type BoostName = (typeof BOOST_NAMES)[number];

/**
 * Anchor text: the words around a link count for the note that it links to. The strength of a link is `words` × its coverage
 * of the query + `meaning` × the vector score of its passage, both 0 to 1.
 */
export interface AnchorText {
  readonly words: number;
  readonly meaning: number;
  /** Terms that are at most this far from the link count in full. */
  readonly near: number;
  /** The share by which the other terms of the sentence count. */
  readonly farShare: number;
}

/**
 * The best results lead to records that they link to, mention, or share a rare phrase with. The relevance of such a
 * record is `meaning` × its cosine as a share of the best + `words` × its share of those words of the query that the leading
 * result lacks.
 */
export interface Bridging {
  /** The best results that are followed. */
  readonly anchors: number;
  readonly meaning: number;
  readonly words: number;
  /** The strength of a link or a mention whose target is not relevant at all, as a share of that of a relevant one. */
  readonly named: number;
  /** The strength of a shared phrase, as a share of that of a link or a mention. */
  readonly phrase: number;
  /** The strength of a phrase of a single word, as a share of that of others. */
  readonly word: number;
  /** A phrase that more results have does not connect them. */
  readonly maxHolders: number;
  /** A single word that more passages of the store have does not connect results. */
  readonly maxWordPassages: number;
  /** A result that is connected with more records leads to each of them less strongly. */
  readonly fanOut: number;
  /** The results that are raised at most. */
  readonly raised: number;
}

/**
 * What text and spelling add to a score is multiplied by floor + (1 − floor) × coverage, where the coverage is the IDF-weighted
 * share of the query that the passage has. 0 to 1.
 */
interface CoverageFloor {
  readonly notes: number;
  /** For turns of sessions. */
  readonly turns: number;
}

/** The first results that are not turns of sessions are ordered by (1 − share) × their score + share × the confidence in them. */
interface ConfidenceOrder {
  /** The number of results. */
  readonly results: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Turns of sessions shorter than `maxCharacters`, such as "yes, on Tuesday", which say little by themselves. */
interface ShortTurns {
  readonly maxCharacters: number;
  /** The share of text in the weights of text and vectors together. */
  readonly textWeight: number;
  /** The share of its score that an empty turn would lose; a longer one loses less, in proportion to its length. */
  readonly loss: number;
}

/** Shares of its neighbours' scores that a turn of a session gets, and how much of the best one's score it reaches by them at most. */
export interface Smoothing {
  readonly most: number;
  readonly previous: number;
  readonly beforePrevious: number;
  readonly next: number;
  /** The part of these shares that a turn gets from one whose role is the same. */
  readonly sameRole: number;
}

export const DEFAULT_RANKING: Ranking = {
  fusion: 'minmax',
  weights: { vector: 0.55, text: 0.45, spelling: 0.2, recency: 0.15 },
  correctionShare: 1,
  rrfK: 10,
  fields: { title: 6, headings: 1.5, body: 1, tags: 1 },
  depth: 150,
  pool: 100,
  frequencyBudget: 60_000,
  coverageFloor: { notes: 0.5, turns: 0.75 },
  confidenceOrder: { results: 20, share: 0.6 },
  smoothing: { most: 0.85, previous: 0.3, beforePrevious: 0.1, next: 0.4, sameRole: 0.25 },
  anchorText: { words: 0.8, meaning: 0.1, near: 6, farShare: 0.5 },
  bridging: {
    ...{ anchors: 3, meaning: 0.6, words: 0.6, named: 0.5, phrase: 0.8, word: 0.85 },
    ...{ maxHolders: 15, maxWordPassages: 40, fanOut: 6, raised: 5 },
  },
  shortTurns: { maxCharacters: 150, textWeight: 0.6, loss: 0.15 },
  statementShare: 0.5,
  dateBoost: 0.2,
  relativeDateBoost: 0.5,
  speakerBoost: 0.1,
  sessionPrior: 0.1,
  userPrior: 0.45,
  titleBoost: 0.1,
  kindBoost: 0.3,
  completedFactor: 0.5,
  recency: { kind: 'tie-break', reach: 0.15, halfLifeDays: 90 },
  newest: { results: 10, confidence: 0.5, cosine: 0.42, words: 0.3, longWords: 0.005, turns: 0.28 },
};

/** Seed R's ranking: Reciprocal Rank Fusion of four signals without later stages. */
export const CLASSIC_RANKING: Ranking = {
  ...DEFAULT_RANKING,
  fusion: 'rrf',
  weights: { vector: 0.7, text: 0.3, spelling: 0.2, recency: 0.15 },
  correctionShare: 0,
  rrfK: 60,
  fields: { title: 1, headings: 1, body: 1, tags: 1 },
  coverageFloor: null,
  confidenceOrder: null,
  smoothing: null,
  anchorText: null,
  bridging: null,
  shortTurns: null,
  statementShare: 0,
  dateBoost: 0,
  relativeDateBoost: 0,
  speakerBoost: 0,
  sessionPrior: 0,
  userPrior: 0,
  titleBoost: 0,
  kindBoost: 0,
  recency: { kind: 'rank' },
  newest: null,
};

/** The settings of one vault or source that concern search. */
export interface SourcePolicy {
  /** Factor for the scores of its records before recency is added; 0 or more. See `effectiveWeight`. */
  readonly weight: number;
  /** Records of a lower confidence are dropped. 0 to 1. */
  readonly minScore: number;
  /** Whether a record that has all of the query's words is exempt from `minScore`. */
  readonly allWordsSuffice: boolean;
  /** `null` means that the ranking's own recency applies. */
  readonly recency: SourceRecency | null;
}

export interface SourceRecency {
  /** Replaces the ranking's `weights.recency` unless `null`. 0 to 1. */
  readonly weight: number | null;
  /** Replaces the half-life of the tie-break. */
  readonly halfLifeDays: number;
}

/** Policies by `record.source`, which is the name of a vault or a source. */
export type SourcePolicies = ReadonlyMap<string, SourcePolicy>;

export const NO_POLICIES: SourcePolicies = new Map();

/** The default of vaults. */
export const VAULT_POLICY: SourcePolicy = { weight: 1, minScore: 0, allWordsSuffice: false, recency: null };

/**
 * The default of sources: a todo ranks below a note that matches equally well, by more than recency can make up for.
 * The short half-life favours recent documents, and a document that hardly matches is left out. One that has all of
 * the query's words stays: in a store of a few records, a todo below a note scores low however well it matches.
 */
export const SOURCE_POLICY: SourcePolicy = {
  weight: 0.5,
  minScore: 0.05,
  allWordsSuffice: true,
  recency: { weight: null, halfLifeDays: 7 },
};

/** `null` for records of neither a vault nor a source, even if their author has the name of one. */
export function policyOf(
  { origin, source }: Pick<RecordHeader, 'origin' | 'source'>,
  policies: SourcePolicies,
): SourcePolicy | null {
  if (origin === 'vault') return policies.get(source) ?? VAULT_POLICY;
  return origin === 'source' ? (policies.get(source) ?? SOURCE_POLICY) : null;
}

/** How much the weight rises for each unit of cosine above the margin. */
const COSINE_GAIN = 2;
/** How far the cosine must exceed the notes' cosine before the weight rises. */
const COSINE_MARGIN = 0.05;
const MAX_WEIGHT_LOSS = 0.1;

/**
 * A todo that is nearer in meaning to the query than the best notes answers it better than they do, so the weight of its
 * source lowers its score less, or not at all. Tuned on the dev half of `eval/sets/ambient.json` with a weight of 0.5: todo
 * queries have an MRR of 82.7; the constant weight that costs note queries as little has 73.1.
 *
 * @param cosine of document and query; `null` without vectors
 * @param cosineOfNotes the best cosine of the best-matching notes; `null` without notes
 */
export function effectiveWeight(weight: number, cosine: number | null, cosineOfNotes: number | null): number {
  if (cosine === null || cosineOfNotes === null || weight >= 1 || weight === 0) return weight;
  const gained = weight + COSINE_GAIN * (cosine - cosineOfNotes - COSINE_MARGIN);
  return Math.min(1, Math.max(weight - MAX_WEIGHT_LOSS, gained));
}

/** The evidence that a hit answers the query. */
export interface Evidence {
  /**
   * How well the passage matches, by words or by meaning: 1 − (1 − w)(1 − m), where w is its share of the query's words and m
   * its cosine as a share of `FULL_COSINE`. 0 to 1.
   */
  readonly match: number;
  /** `match` × the difference of the hit's score and the mean of the best others, as a share of the best score. −1 to 1. */
  readonly lead: number;
  /** The hit's score as a share of the score of a passage that is the best of every signal. 0 to 1.5; above 1 by boosts. */
  readonly agreement: number;
  /** The part of `agreement` that comes from neighbouring turns, or from another passage of the record. 0 to 1. */
  readonly neighbours: number;
  /** The IDF-weighted share of the query's terms that any passage has: the same for all hits. 0 to 1. */
  readonly known: number;
}
