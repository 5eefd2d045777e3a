import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retrievalResult, weightedTerms } from '../../../test/contract/retrieval-result.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import { EvidenceOfHits, matchOf, type Evidence } from './evidence.ts';
import type { Ranked } from './rank.ts';
import { DEFAULT_RANKING } from './ranking.ts';

const RUN = searchRun('oven');
const REACHABLE = DEFAULT_RANKING.weights.text;

function coverage(query: string, text: string, corrected: [string, string][] = []): number {
  const replacements = new Map(corrected.map(([word, stem]) => [word, new Set([stem])]));
  return matchOf(storedPassage({ text }), [], weightedTerms(query), replacements).coverage;
}

function hit(score: number, overrides: { raw?: number; text?: string; session?: string } = {}): Ranked {
  const { raw, text = '', session } = overrides;
  const contributions = [
    { signal: 'text' as const, rank: 1, raw: 1, added: raw === undefined ? score : score - 0.1 },
    ...(raw === undefined ? [] : [{ signal: 'vector' as const, rank: 1, raw, added: 0.1 }]),
  ];
  const record = session === undefined ? {} : { metadata: { session } };
  return { passage: storedPassage({ text, record }), score, contributions, boosts: [], links: null };
}

function evidenceOf(hits: readonly Ranked[], overrides: Partial<RetrievalResult> = {}): Evidence[] {
  const evidence = new EvidenceOfHits(RUN, hits, retrievalResult('oven', overrides));
  return hits.map((each) => evidence.evidenceOf(each, evidence.matchOf(each)));
}

describe('matchOf', () => {
  it('has the share of the query terms that a passage contains, in any field and inflection', () => {
    expect(coverage('kitchen oven', 'Ovens of kitchens')).toBe(1);
    expect(coverage('kitchen oven', 'an oven')).toBe(0.5);
    expect(coverage('kitchen oven', 'garden')).toBe(0);
    expect(coverage('', 'garden')).toBe(0);
    const record = { title: 'Oven', tags: ['home'], metadata: { aliases: ['Cooker'] } };
    const titled = storedPassage({ headings: ['Kitchen'], record });
    expect(matchOf(titled, [], weightedTerms('oven kitchen home cooker'), new Map()).coverage).toBe(1);
  });

  it('counts a misspelt term as covered if the passage contains its replacement', () => {
    expect(coverage('kichen', 'kitchens')).toBe(0);
    expect(coverage('kichen', 'kitchens', [['kichen', 'kitchen']])).toBe(1);
  });

  it('weights terms by IDF', () => {
    const [rare] = weightedTerms('zebulon', 1);
    const [common] = weightedTerms('plumber', 1000);
    const match = matchOf(storedPassage({ text: 'zebulon' }), [], [rare!, common!], new Map());
    expect(match.coverage).toBeGreaterThan(0.8);
  });
});

describe('evidenceOf', () => {
  it('matches in full by words or by meaning, and better by both than by one of them in part', () => {
    const match = (text: string, raw: number): number => evidenceOf([hit(1, { text, raw })])[0]!.match;
    expect([match('oven', 0), match('', 0.75), match('', 0), match('', -1)]).toEqual([1, 1, 0, 0]);
    expect(match('', 0.3)).toBeCloseTo(0.4);
    const half = new EvidenceOfHits(RUN, [], retrievalResult('oven kitchen'));
    const both = hit(1, { text: 'oven', raw: 0.375 });
    expect(half.evidenceOf(both, half.matchOf(both)).match).toBeCloseTo(0.75);
  });

  it('counts the meaning of short turns, and of queries that the model knows in part, in part', () => {
    const match = (overrides: { text: string; session?: string }, modelCoverage = 1): number =>
      evidenceOf([hit(1, { ...overrides, raw: 0.75 })], { modelCoverage })[0]!.match;
    const long = 'bees '.repeat(30);
    expect(match({ text: long, session: '1' })).toBe(1);
    expect(match({ text: 'bees', session: '1' })).toBeLessThan(0.2);
    expect(match({ text: 'bees' })).toBe(1);
    expect(match({ text: long }, 0.5)).toBe(0.5);
  });

  it('takes half of the bigrams of a query as all', () => {
    const text = '日本';
    const terms = weightedTerms('日本語');
    expect(terms.map(({ kind }) => kind)).toEqual(['bigram', 'bigram']);
    expect(evidenceOf([hit(1, { text })], { terms })[0]!.match).toBe(1);
  });

  it('has a lead over the others as far as the hit matches', () => {
    const matching = { text: 'oven' };
    const followers = Array.from({ length: 20 }, () => hit(0.5, matching));
    const [first, second] = evidenceOf([hit(1, matching), ...followers]);
    expect(first!.lead).toBeCloseTo(0.5);
    expect(second!.lead).toBeCloseTo(-0.025);
    expect(evidenceOf([hit(1), ...followers])[0]!.lead).toBe(0);
  });

  it('replaces the others that a small store lacks by typical ones', () => {
    const matching = { text: 'oven' };
    const [only] = evidenceOf([hit(1, matching)]);
    expect(only!.lead).toBeCloseTo(0.41);
    const [, weak] = evidenceOf([hit(1, matching), hit(0.2, matching)]);
    expect(weak!.lead).toBeLessThan(-0.4);
  });

  it('compares the score, without the weight of the source, with that of a passage that is the best of every signal', () => {
    const full = hit(REACHABLE);
    const boost = { name: 'source' as const, added: -REACHABLE / 2, factor: 0.5 };
    const lowered = { ...full, score: REACHABLE / 2, boosts: [boost] };
    expect(evidenceOf([full])[0]!.agreement).toBe(1);
    expect(evidenceOf([lowered])[0]!.agreement).toBe(1);
    const vector = { generation: 1, vector: new Float32Array() };
    expect(evidenceOf([full], { vector })[0]!.agreement).toBeCloseTo(REACHABLE);
  });

  it('has what neighbours contribute to the score', () => {
    const helped = { ...hit(REACHABLE / 2), score: REACHABLE };
    expect(evidenceOf([helped])[0]!.neighbours).toBeCloseTo(0.5);
    expect(evidenceOf([hit(REACHABLE)])[0]!.neighbours).toBe(0);
  });

  it('has the share of the query that any passage has', () => {
    const terms = [...weightedTerms('oven', 0), ...weightedTerms('kitchen', 0)];
    expect(evidenceOf([hit(1, { text: 'oven' })])[0]!.known).toBe(1);
    expect(evidenceOf([hit(1, { text: 'oven' })], { terms })[0]!.known).toBe(0);
  });

  it('stays within its bounds for any scores', () => {
    const score = fc.double({ min: -1, max: 100, noNaN: true });
    const raw = fc.double({ min: -1, max: 1, noNaN: true });
    const hits = fc.array(fc.tuple(score, raw), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(hits, (entries) => {
        const all = entries
          .toSorted(([a], [b]) => b - a)
          .map(([each, cosine]) => hit(each, { raw: cosine, text: 'oven' }));
        for (const { match, lead, agreement, neighbours } of evidenceOf(all)) {
          for (const value of [match, neighbours]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
          expect(Math.abs(lead)).toBeLessThanOrEqual(1);
          expect(agreement).toBeGreaterThanOrEqual(0);
          expect(agreement).toBeLessThanOrEqual(1.5);
        }
      }),
    );
  });
});
