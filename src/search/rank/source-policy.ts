import type { RecordHeader } from '../../store/store.ts';
import type { Boost } from './boosts.ts';
import type { Ranking } from './ranking.ts';

/** What the owner says of the records that one vault or source brought. */
export interface SourcePolicy {
  /** Factor of everything that speaks for them but recency; 0 or more. See `weightInForce`. */
  readonly weight: number;
  /** Of less confidence they are left out. 0 to 1. */
  readonly minScore: number;
  /** How newness counts among them; `null` for as the ranking has it. */
  readonly recency: SourceRecency | null;
}

export interface SourceRecency {
  /** In place of `weights.recency`; `null` for the ranking's. 0 to 1. */
  readonly weight: number | null;
  /** In place of the tie-break's. */
  readonly halfLifeDays: number;
}

/** By the name that their records go by (`record.source`). */
export type SourcePolicies = ReadonlyMap<string, SourcePolicy>;

export const NO_POLICIES: SourcePolicies = new Map();

/** A note is as good as what it matches. */
export const VAULT_POLICY: SourcePolicy = { weight: 1, minScore: 0, recency: null };

/** A todo stands below the note that matches as well, by more than recency could lift it; what is of these days counts. */
export const SOURCE_POLICY: SourcePolicy = {
  weight: 0.5,
  minScore: 0,
  recency: { weight: null, halfLifeDays: 7 },
};

/** What holds for a record: nothing for a memory, whatever the name of who wrote it. */
export function policyOf(
  { origin, source }: Pick<RecordHeader, 'origin' | 'source'>,
  policies: SourcePolicies,
): SourcePolicy | null {
  if (origin === 'vault') return policies.get(source) ?? VAULT_POLICY;
  return origin === 'source' ? (policies.get(source) ?? SOURCE_POLICY) : null;
}

/** What a document of a source gains for each hundredth by which it is nearer in meaning than the best notes. */
const GAIN = 2;
/** So much nearer it must be before it gains; as near as the best notes it loses a little. */
const MARGIN = 0.05;
const MOST_LOST = 0.1;

/**
 * A todo that is nearer in meaning to the query than the best notes answers it better than these: then its source's weight
 * takes less away, up to nothing. Tuned on the dev half of `eval/sets/ambient.json` (with a weight of 0.5): of todo
 * queries MRR 82.7 where the plain weight that loses as little of the notes has 73.1.
 *
 * @param cosine of document and query; `null` without vectors
 * @param ofNotes the best cosine of the notes that match best; `null` where there are none
 */
export function effectiveWeight(weight: number, cosine: number | null, ofNotes: number | null): number {
  if (cosine === null || ofNotes === null || weight >= 1 || weight === 0) return weight;
  const gained = weight + GAIN * (cosine - ofNotes - MARGIN);
  return Math.min(1, Math.max(weight - MOST_LOST, gained));
}

/** What a record's source, and that it is done with, make of a score: together with it the score that counts. */
export function sourceBoosts(
  { origin, metadata }: Pick<RecordHeader, 'origin' | 'metadata'>,
  weight: number | null,
  score: number,
  { completedFactor }: Ranking,
): Boost[] {
  if (weight === null) return [];
  const boosts: Boost[] = [];
  if (weight !== 1) boosts.push({ name: 'source', added: score * (weight - 1), factor: weight });
  if (origin === 'source' && metadata['completed'] === true) {
    const added = score * weight * (completedFactor - 1);
    boosts.push({ name: 'completed', added, factor: completedFactor });
  }
  return boosts;
}
