import type { RecordHeader } from '../../store/search-model.ts';

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
