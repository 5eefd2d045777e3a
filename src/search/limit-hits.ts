import { subjectOf } from './explain/trace.ts';
import type { Hit } from './rank/confidence.ts';
import type { Ranked } from './rank/rank.ts';
import { policyOf, type SourcePolicies } from './rank/source-policy.ts';
import type { SearchRun } from './run.ts';

export interface LimitedHits {
  readonly hits: readonly Hit[];
  readonly belowMinScore: readonly Hit[];
  readonly belowSourceMinScore: readonly Hit[];
  /** The hits within the limit, and the best note even if it is beyond the limit. */
  readonly eligible: readonly Hit[];
}

/** Whether a hit is dropped because of the minimum score of its vault or source. */
function isBelowSourceMinScore(
  { passage, confidence, confidenceParts }: Hit,
  policies: SourcePolicies,
): boolean {
  const policy = policyOf(passage.record, policies);
  if (policy === null || confidence >= policy.minScore) return false;
  return !(policy.allWordsSuffice && confidenceParts.match.coverage === 1);
}

/** Applies the limit and the minimum scores. A hit below its source's minimum does not count towards the limit. */
export function limitHits(
  { limit, minScore, policies, trace }: SearchRun,
  ranked: readonly (Ranked | Hit)[],
  rate: (hit: Ranked | Hit) => Hit,
): LimitedHits {
  const limited: Hit[] = [];
  const belowMinScore: Hit[] = [];
  const belowSourceMinScore: Hit[] = [];
  let note: Hit | undefined;
  let taken = 0;
  for (const each of ranked) {
    taken++;
    // Only what may be shown is rated.
    const hit = rate(each);
    const subject = subjectOf(hit.passage);
    if (isBelowSourceMinScore(hit, policies)) {
      trace.drop('below-source-min-score', subject);
      if (taken <= limit) belowSourceMinScore.push(hit);
      continue;
    }
    if (hit.passage.record.origin !== 'source') note ??= hit;
    if (limited.length === limit) trace.drop('over-limit', subject);
    else {
      limited.push(hit);
      if (hit.confidence < minScore) {
        trace.drop('below-min-score', subject);
        belowMinScore.push(hit);
      }
    }
    if (limited.length === limit && note !== undefined) break;
  }
  for (const { passage } of ranked.slice(taken)) trace.drop('over-limit', subjectOf(passage));
  return {
    hits: limited.filter(({ confidence }) => confidence >= minScore),
    belowMinScore,
    belowSourceMinScore,
    eligible: note === undefined || limited.includes(note) ? limited : [...limited, note],
  };
}
