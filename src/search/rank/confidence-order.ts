import { sessionOf } from './boosts.ts';
import type { Hit } from './confidence.ts';
import type { Ranked } from './rank.ts';
import type { Ranking } from './ranking.ts';

/**
 * Orders the first results by their score and the confidence in them, so that few results stand below one that is less
 * likely. They exchange places: each gets the score of its new place. Turns of sessions keep their places, since the
 * confidence in a single turn orders long chats worse than the score does.
 */
export function orderByConfidence(
  ranked: readonly Ranked[],
  rate: (hit: Ranked) => Hit,
  { confidenceOrder }: Pick<Ranking, 'confidenceOrder'>,
): readonly (Ranked | Hit)[] {
  if (confidenceOrder === null) return ranked;
  const { share, results } = confidenceOrder;
  const hits = ranked.slice(0, results).map(rate);
  const best = hits[0]?.score ?? 0;
  const keyOf = ({ score, confidence, boosts }: Hit): number => {
    // The weight of a source lowers the score, and says nothing about the confidence.
    const weight = boosts.reduce((product, { factor = 1 }) => product * factor, 1);
    return (1 - share) * (best === 0 ? 0 : score / best) + share * confidence * weight;
  };
  const ordered = hits
    .filter(({ passage }) => sessionOf(passage) === null)
    .map((hit) => ({ hit, key: keyOf(hit) }))
    .sort((a, b) => b.key - a.key)
    .map(({ hit }) => hit)
    .values();
  const first = hits.map((place): Hit => {
    if (sessionOf(place.passage) !== null) return place;
    const hit = ordered.next().value!;
    const added = place.score - hit.score;
    if (added === 0) return hit;
    return { ...hit, score: place.score, boosts: [...hit.boosts, { name: 'confidence', added }] };
  });
  return [...first, ...ranked.slice(results)];
}
