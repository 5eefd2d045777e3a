import { describe, expect, it } from 'vitest';
import type { SearchOutput } from '../../../../engine/records/results/search-fields.ts';
import type { WhyNothing } from '../../../../engine/records/results/why-nothing.ts';
import { nothingFound } from './nothing-found.ts';

function advice(overrides: Partial<WhyNothing>): string[] {
  const nothing: WhyNothing = {
    namespace: 'default',
    empty: false,
    unread_vaults: [],
    unmet_filters: [],
    hidden: null,
    hidden_of_sources: [],
    ...overrides,
  };
  const output: SearchOutput = {
    query: 'oven',
    results: [],
    related: [],
    corrections: [],
    missing: [],
    notices: [],
    unmatched: [],
    nothing,
    provider: 'none',
    took_ms: 1,
  };
  return nothingFound(output, 200).slice(1);
}

const DEFAULT_ADVICE = 'Try other words or fewer filters; `loci status` shows what is stored.';

describe('nothingFound', () => {
  it('reports results below the minScore of a source separately, because no option shows them', () => {
    const hidden = { results: 2, best_score: 0.031, min_score: 0.04 };
    const ofSource = { source: 'mail\u001b[2J', results: 1, best_score: 0.7, min_score: 0.9 };
    const mail = '1 result of mail␛[2J scores below 0.9, at best 0.70: change its `minScore` in loci.yaml.';
    expect(advice({ hidden_of_sources: [ofSource] })).toEqual([mail]);
    expect(advice({ hidden, hidden_of_sources: [ofSource] })).toEqual([
      '2 results score below 0.04, at best 0.03: `--min-score 0` shows what was left out.',
      mail,
    ]);
    expect(advice({ hidden })[0]).toBe(DEFAULT_ADVICE);
    expect(advice({ hidden_of_sources: [{ ...ofSource, best_score: 0.1 }] })[0]).toBe(DEFAULT_ADVICE);
  });
});
