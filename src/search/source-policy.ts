import type { RecordHeader } from '../store/store.ts';
import type { Boost } from './boosts.ts';
import type { Ranking } from './ranking.ts';

/** What the owner says of the records that one vault or source brought. */
export interface SourcePolicy {
  /** Factor of everything that speaks for them but recency; 0 or more. */
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
  weight: 0.9,
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

/** What a record's source, and that it is done with, make of a score: together with it the score that counts. */
export function sourceBoosts(
  { origin, metadata }: Pick<RecordHeader, 'origin' | 'metadata'>,
  policy: SourcePolicy | null,
  score: number,
  { completedFactor }: Ranking,
): Boost[] {
  if (policy === null) return [];
  const { weight } = policy;
  const boosts: Boost[] = [];
  if (weight !== 1) boosts.push({ name: 'source', added: score * (weight - 1), factor: weight });
  if (origin === 'source' && metadata['completed'] === true) {
    const added = score * weight * (completedFactor - 1);
    boosts.push({ name: 'completed', added, factor: completedFactor });
  }
  return boosts;
}
