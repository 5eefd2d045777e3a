import { expect, it } from 'vitest';
import type { SearchResultOutput } from '../../engine/records/results/search-fields.ts';
import { explanationLines } from './result-sentences.ts';

type Explanation = NonNullable<SearchResultOutput['explanation']>;

function explained(overrides: Partial<Explanation>, score: Partial<Explanation['score']> = {}): string[] {
  const explanation: Explanation = {
    signals: [{ signal: 'text', rank: 1, raw: 9.5, added: 0.25 }],
    boosts: [],
    neighbour_contribution: 0,
    ranking: 0.3,
    score: {
      typical: 1.67,
      parts: [
        { name: 'match', value: 0.75, added: -0.45 },
        { name: 'lead', value: 0.17, added: -1.43 },
      ],
      ...{ log_odds: -0.41, factor: 1, coverage: 0.75, cosine: null, model_coverage: 1 },
      ...score,
    },
    ...overrides,
  };
  return explanationLines({ explanation } as SearchResultOutput);
}

it('an explanation names what the ranking and the score consist of', () => {
  expect(explained({ boosts: [{ name: 'title', added: 0.05 }] })).toEqual([
    'ranking 0.300: text #1 +0.25, title +0.05',
    'score: log odds −0.41 = typical +1.67, match −0.45, lead −1.43',
    "match: has 75% of the query's words (rare ones count more)",
  ]);
  expect(explanationLines({} as SearchResultOutput)).toEqual([]);
});

it('an explanation shows factors, the half-life of recency, neighbours, and a lower weight of the model', () => {
  const [ranking, score, match] = explained(
    {
      signals: [
        { signal: 'vector', rank: 3, raw: 0.3, added: 0.2 },
        { signal: 'recency', rank: 2, raw: 0, added: 0.004, half_life_days: 0.5 },
      ],
      boosts: [{ name: 'source', added: -0.06, factor: 0.9 }],
      neighbour_contribution: -0.1,
    },
    { factor: 0.3, cosine: 0.3, model_coverage: 0.68 },
  );
  expect(ranking).toBe(
    'ranking 0.300: meaning #3 +0.20, recency #2 (½ in 12h) +0.00, source ×0.9 −0.06, neighbours −0.10',
  );
  expect(score).toMatch(/; times 0\.30$/);
  expect(match).toMatch(/; cosine 0\.30, weighted 68% for this query$/);
});
