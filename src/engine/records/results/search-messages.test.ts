import { describe, expect, it } from 'vitest';
import { missingMessages, nothingMessages } from './search-messages.ts';
import type { WhyNothing } from './why-nothing.ts';

const NOTHING: WhyNothing = {
  ...{ namespace: 'default', empty: false, unread_vaults: [], unmet_filters: [] },
  ...{ hidden: null, hidden_of_sources: [] },
};
const shown = (name: string): string => `<${name}>`;

describe('nothingMessages', () => {
  const advice = (fields: Partial<WhyNothing>, known: readonly string[] | null = null): string[] => {
    const unmatched =
      known === null ? [] : [{ filter: 'record_type' as const, value: 'x', known: [...known] }];
    return nothingMessages({ query: 'oven', nothing: { ...NOTHING, ...fields }, unmatched }, shown);
  };

  it('names results below the minimum of a source separately, because no option shows them', () => {
    const hidden = { results: 2, best_score: 0.031, min_score: 0.04 };
    const ofSource = { source: 'mail', results: 1, best_score: 0.7, min_score: 0.9 };
    const mail = '1 result of <mail> scores below 0.9, at best 0.70: change its `minScore` in loci.yaml.';
    const left = '2 results score below 0.04, at best 0.03: a minimum score of 0 shows what was left out.';
    expect(advice({ hidden_of_sources: [ofSource] })).toEqual([mail]);
    expect(advice({ hidden, hidden_of_sources: [ofSource] })).toEqual([left, mail]);
    const other = 'Try other words or fewer filters; `loci status` shows what is stored.';
    expect(advice({ hidden })).toEqual([other, left]);
    expect(advice({ hidden_of_sources: [{ ...ofSource, best_score: 0.1 }] })[0]).toBe(other);
  });

  it('lists the existing values of a filter', () => {
    expect(advice({}, ['a', 'b'])).toEqual(['No record has the record type <x>; existing values: <a>, <b>.']);
    expect(advice({}, [])).toEqual(['No record has the record type <x>; none has any record type.']);
  });

  it('says that nothing is stored, or not indexed yet', () => {
    expect(advice({ empty: true })).toEqual([
      'The namespace <default> is empty: `loci index PATH` reads notes.',
    ]);
    const unread = 'Not indexed yet: <wild>. Run `loci index`.';
    expect(advice({ empty: true, unread_vaults: ['wild'] })).toEqual([unread]);
  });

  it('names the filters that no record matches, a path, and quoted words', () => {
    expect(advice({ unmet_filters: ['until'] })).toEqual(['No record matches the filter: until.']);
    expect(advice({ unmet_filters: ['sources', 'tags'] })).toEqual([
      'No record matches all of these filters at once: sources, tags.',
    ]);
    const path = { filter: 'path' as const, value: 'Zoo/**', known: [] };
    expect(nothingMessages({ query: 'oven', nothing: NOTHING, unmatched: [path] }, shown)).toEqual([
      'No record has a path like <Zoo/**>.',
    ]);
    expect(nothingMessages({ query: '"oven"', nothing: NOTHING, unmatched: [] }, shown)).toEqual([
      'Quoted words must occur exactly so; try them without the quotes.',
    ]);
  });
});

it('a signal that found some of the results is missing only in part', () => {
  const missing = [{ signal: 'vector' as const, why: 'some texts have no vector' }];
  const found = [{ why: 'meaning #1' }] as never;
  expect(missingMessages({ missing })).toEqual(['searched without meaning: some texts have no vector']);
  expect(missingMessages({ missing, results: found })).toEqual([
    'searched only partly by meaning: some texts have no vector',
  ]);
});
