import { describe, expect, it } from 'vitest';
import { weightedTerms } from '../../../test/contract/retrieval-result.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Signal } from '../retrieve/signals.ts';
import type { Correction } from '../retrieve/text.ts';
import { QueryCoverage, weighByCoverage } from './coverage.ts';
import type { Fused } from './fuse.ts';
import { DEFAULT_RANKING } from './ranking.ts';

function queryCoverage(query: string, corrections: readonly Correction[] = []): QueryCoverage {
  return new QueryCoverage(searchRun(query), { terms: weightedTerms(query, 1, corrections) });
}

function coverage(query: string, text: string, corrections: readonly Correction[] = []): number {
  return queryCoverage(query, corrections).of(storedPassage({ text }));
}

describe('QueryCoverage', () => {
  it('has the IDF-weighted share of the query terms that a passage contains, in any field and inflection', () => {
    expect(coverage('kitchen oven', 'Ovens of kitchens')).toBe(1);
    expect(coverage('kitchen oven', 'an oven')).toBe(0.5);
    expect(coverage('kitchen oven', 'garden')).toBe(0);
    expect(coverage('', 'garden')).toBe(0);
    const record = { title: 'Oven', tags: ['home'], metadata: { aliases: ['Cooker'] } };
    const titled = storedPassage({ headings: ['Kitchen'], record });
    expect(queryCoverage('oven kitchen home cooker').of(titled)).toBe(1);
    const terms = [...weightedTerms('zebulon', 1), ...weightedTerms('plumber', 1000)];
    const uneven = new QueryCoverage(searchRun(''), { terms });
    expect(uneven.of(storedPassage({ text: 'zebulon' }))).toBeGreaterThan(0.8);
  });

  it('counts a correction in full for a missing, additional or transposed letter, and by half for another letter or ending', () => {
    const corrected = (word: string, replacement: string): number =>
      coverage(word, replacement, [{ word, replacements: [replacement] }]);
    expect([corrected('kichen', 'kitchen'), corrected('oevn', 'oven'), corrected('ovenn', 'oven')]).toEqual([
      1, 1, 1,
    ]);
    expect(corrected('stylus', 'styles')).toBe(0.5);
    expect(corrected('nicer', 'nice')).toBe(0.5);
    expect(corrected('kitchenn', 'kitchen')).toBe(1);
    expect(coverage('stylus', 'a stylus', [{ word: 'stylus', replacements: ['styles'] }])).toBe(1);
  });

  it('finds a single Chinese character within a word', () => {
    expect([coverage('猫', '我的猫咪'), coverage('猫', '一只猫'), coverage('猫', '小狗')]).toEqual([1, 1, 0]);
  });

  it('counts the words of a date for a record of that date', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const terms = weightedTerms('oven yesterday');
    const ofQuery = new QueryCoverage(searchRun('oven yesterday', { dates }), { terms });
    const of = (createdAt: number): number =>
      ofQuery.of(storedPassage({ text: 'oven', record: { createdAt } }));
    expect([of(0), of(1)]).toEqual([1, 0.5]);
  });

  it('knows the words that any passage has, the corrected ones, and those of dates', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const known = (query: string, corrections: readonly Correction[] = []): number =>
      new QueryCoverage(searchRun(query, { dates }), { terms: weightedTerms(query, 0, corrections) }).known;
    expect([known('sofa'), known('yesterday'), known('sofa yesterday'), known('日本')]).toEqual([
      0, 1, 0.5, 1,
    ]);
    expect(known('kichen', [{ word: 'kichen', replacements: ['kitchen'] }])).toBe(1);
    expect(known('stylus', [{ word: 'stylus', replacements: ['styles'] }])).toBe(0.5);
    expect(queryCoverage('oven').known).toBe(1);
  });

  it('analyses a passage once', () => {
    let reads = 0;
    const passage = {
      ...storedPassage(),
      get text(): string {
        reads++;
        return 'oven';
      },
    };
    const ofQuery = queryCoverage('oven kitchen');
    expect([ofQuery.of(passage), ofQuery.of(passage, new Set(['kitchen']))]).toEqual([0.5, 1]);
    expect(reads).toBe(1);
  });
});

describe('weighByCoverage', () => {
  const signals: Signal[] = ['vector', 'text', 'spelling'];
  const fused = (passage: number): Fused => ({
    ...{ passage, record: passage, score: 3 },
    contributions: signals.map((signal) => ({ signal, rank: 1, raw: 1, added: 1 })),
  });
  const ranking = { ...DEFAULT_RANKING, coverageFloor: { notes: 0.5, turns: 0.8 } };
  const added = (entries: readonly Fused[]): [number, number[]][] =>
    entries.map(({ passage, contributions }) => [passage, contributions.map((each) => each.added)]);

  it('lowers what words add by the share of the query that a passage lacks, and sorts anew', () => {
    const passages = [storedPassage({ id: 1, text: 'oven' }), storedPassage({ id: 2, text: 'kitchen oven' })];
    const weighed = weighByCoverage(
      [fused(1), fused(2)],
      passages,
      [],
      queryCoverage('kitchen oven'),
      ranking,
    );
    expect(added(weighed)).toEqual([
      [2, [1, 1, 1]],
      [1, [1, 0.75, 0.75]],
    ]);
    expect(weighed.map(({ score }) => score)).toEqual([3, 2.5]);
  });

  it('lowers turns less, and counts the words of the turn before', () => {
    const record = { metadata: { session: 's' } };
    const passages = [
      storedPassage({ id: 1, text: 'Is the oven in the kitchen?', record }),
      storedPassage({ id: 2, text: 'The oven is new.', record }),
      storedPassage({ id: 3, text: 'The oven is old.', record }),
    ];
    const neighbourhoods = [
      { passage: 2, before: [1], after: [3] },
      { passage: 3, before: [2, 1], after: [] },
    ];
    const coverageOfQuery = queryCoverage('kitchen oven');
    const weighed = weighByCoverage([fused(2), fused(3)], passages, neighbourhoods, coverageOfQuery, ranking);
    expect(added(weighed)).toEqual([
      [2, [1, 1, 1]],
      [3, [1, 0.9, 0.9]],
    ]);
  });

  it('changes no score without the stage, and none of a passage that is not loaded', () => {
    const entries = [fused(1)];
    const ofQuery = queryCoverage('kitchen');
    expect(weighByCoverage(entries, [], [], ofQuery, ranking)).toEqual(entries);
    const passages = [storedPassage({ id: 1 })];
    expect(weighByCoverage(entries, passages, [], ofQuery, { coverageFloor: null })).toEqual(entries);
  });
});
