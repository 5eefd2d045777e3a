import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retrievalResult, weightedTerms } from '../../../test/contract/retrieval-result.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Metadata } from '../../core/types.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import type { SearchRun } from '../run.ts';
import type { Evidence } from './ranking.ts';
import { TYPICAL_EVIDENCE, WITH_VECTORS, WORDS_ALONE } from './confidence-weights.ts';
import {
  confidenceOf,
  confidenceRater,
  EVIDENCE_NAMES,
  evidenceOfHits,
  type Hit,
  partsOf,
} from './confidence.ts';
import { QueryCoverage } from './coverage.ts';
import type { Ranked } from './rank.ts';
import { DEFAULT_RANKING } from './ranking.ts';

const RUN = searchRun('oven');
const { text: TEXT_WEIGHT, vector: VECTOR_WEIGHT } = DEFAULT_RANKING.weights;
const QUERY_VECTOR = { generation: 1, vector: new Float32Array() };

/** @param raw the cosine */
function hit(score: number, overrides: { raw?: number; text?: string; session?: string } = {}): Ranked {
  const { raw, text = '', session } = overrides;
  const contributions = [
    { signal: 'text' as const, rank: 1, raw: 1, added: raw === undefined ? score : score - 0.1 },
    ...(raw === undefined ? [] : [{ signal: 'vector' as const, rank: 1, raw, added: 0.1 }]),
  ];
  const record = session === undefined ? {} : { metadata: { session } };
  return { passage: storedPassage({ text, record }), score, contributions, boosts: [], links: null };
}

function retrieved(query: string, overrides: Partial<RetrievalResult> = {}): RetrievalResult {
  return retrievalResult(query, { vector: QUERY_VECTOR, ...overrides });
}

function rater(
  run: SearchRun,
  hits: readonly Ranked[],
  found: RetrievalResult,
  isList: boolean,
): (hit: Ranked) => Hit {
  return confidenceRater(run, hits, found, { isList, factor: 1 }, new QueryCoverage(run, found));
}

function rated(hits: readonly Ranked[], overrides: Partial<RetrievalResult> = {}, query = 'oven'): Hit[] {
  return hits.map(rater(RUN, hits, retrieved(query, overrides), false));
}

describe('confidenceOf', () => {
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    match: fc.double({ min: 0, max: 1, noNaN: true }),
    lead: fc.double({ min: -1, max: 1, noNaN: true }),
    agreement: fc.double({ min: 0, max: 1.5, noNaN: true }),
    neighbours: fc.double({ min: 0, max: 1, noNaN: true }),
    known: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('is between 0 and 1, does not fall as any evidence rises, and is the sum of its parts', () => {
    fc.assert(
      fc.property(evidence, evidence, share, share, (a, b, modelCoverage, factor) => {
        const parts = partsOf(a, modelCoverage);
        const confidence = confidenceOf({ ...parts, factor });
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(factor);
        for (const name of EVIDENCE_NAMES) {
          const higher = { ...a, [name]: Math.max(a[name], b[name]) };
          expect(confidenceOf({ ...partsOf(higher, modelCoverage), factor })).toBeGreaterThanOrEqual(
            confidence - 1e-12,
          );
        }
        const logOdds = parts.parts.reduce((sum, { added }) => sum + added, parts.typical);
        expect(confidence).toBeCloseTo(factor / (1 + Math.exp(-logOdds)), 9);
      }),
    );
  });

  it('has no parts for typical evidence', () => {
    for (const [modelCoverage, model] of [
      [1, WITH_VECTORS],
      [0, WORDS_ALONE],
    ] as const) {
      const { typical, parts } = partsOf(TYPICAL_EVIDENCE, modelCoverage);
      expect(typical).toBe(model.typical);
      expect(parts.map(({ added }) => added)).toEqual(EVIDENCE_NAMES.map(() => 0));
    }
  });
});

describe('confidenceRater', () => {
  const others = Array.from({ length: 20 }, () => hit(0.4, { raw: 0.2 }));

  it('judges each hit by its own evidence: a passage without the word does not inherit the confidence of one with it', () => {
    const [first, second] = rated([hit(1, { text: 'oven', raw: 0.6 }), hit(0.9, { raw: 0.2 }), ...others]);
    expect(first!.confidence).toBeGreaterThan(0.9);
    expect(second!.confidence).toBeLessThan(0.4);
    const [alone] = rated([hit(0.9, { raw: 0.2 }), ...others]);
    expect(alone!.confidence).toBeLessThan(0.5);
  });

  it('can be higher for a later hit whose evidence is better', () => {
    const [first, second] = rated([hit(1, { raw: 0.1 }), hit(0.95, { text: 'oven', raw: 0.6 }), ...others]);
    expect(second!.confidence).toBeGreaterThan(first!.confidence);
  });

  it('is low for the tail of an answered query', () => {
    const hits = rated([hit(1, { text: 'oven', raw: 0.7 }), ...others]);
    expect(hits[0]!.confidence).toBeGreaterThan(0.95);
    for (const { confidence } of hits.slice(1)) expect(confidence).toBeLessThan(0.1);
  });

  it('is sensible in a store of one record', () => {
    const alone = (
      overrides: { raw?: number; text?: string },
      found: Partial<RetrievalResult> = {},
    ): number => rated([hit(VECTOR_WEIGHT + TEXT_WEIGHT, overrides)], found)[0]!.confidence;
    expect(alone({ text: 'oven', raw: 0.5 })).toBeGreaterThan(0.8);
    expect(alone({ raw: 0.05 })).toBeLessThan(0.2);
    const words = rated([hit(TEXT_WEIGHT, { text: 'oven' })], { vector: null });
    expect(words[0]!.confidence).toBeGreaterThan(0.8);
  });

  it('lowers the confidence in a note whose only date is that of its file', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const boosts = [{ name: 'date' as const, added: 1 }];
    const confidenceWith = (metadata: Metadata): number => {
      const passage = storedPassage({ text: 'bees', record: { metadata } });
      const run = searchRun('yesterday', { dates });
      const listed = { ...hit(1), passage, boosts };
      return rater(run, [listed], retrieved('yesterday'), true)(listed).confidence;
    };
    expect(confidenceWith({ date: '1970-01-01' })).toBeGreaterThan(0.7);
    expect(confidenceWith({})).toBeCloseTo(0.3 * confidenceWith({ date: '1970-01-01' }));
  });

  it('gives all entries of a list the same confidence, though none of them leads', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const boosts = [{ name: 'date' as const, added: 1 }];
    const passage = storedPassage({ record: { metadata: { date: '1970-01-01' } } });
    const entries = Array.from({ length: 30 }, () => ({ ...hit(1), passage, boosts }));
    const run = searchRun('yesterday', { dates });
    const judge = (isList: boolean): number[] => {
      const rate = rater(run, entries, retrieved('yesterday'), isList);
      return entries.map((entry) => rate(entry).confidence);
    };
    expect(new Set(judge(true)).size).toBe(1);
    expect(judge(true)[0]).toBeGreaterThan(0.7);
    expect(judge(false)[0]).toBeLessThan(judge(true)[0]!);
  });

  it('explains the confidence by its parts', () => {
    const [first] = rated([hit(1, { text: 'oven', raw: 0.6 }), ...others]);
    const { confidenceParts } = first!;
    expect(confidenceParts).toMatchObject({
      match: { cosine: 0.6, coverage: 1 },
      modelCoverage: 1,
      factor: 1,
    });
    expect(confidenceParts.parts.map(({ name }) => name)).toEqual(EVIDENCE_NAMES);
    expect(confidenceOf(confidenceParts)).toBe(first!.confidence);
  });

  it('weights the cosine by the model coverage', () => {
    const similar = hit(1, { raw: 0.9 });
    const [covered] = rated([similar, ...others], { modelCoverage: 1 });
    const [uncovered] = rated([similar, ...others], { modelCoverage: 0 });
    expect(covered!.confidence).toBeGreaterThan(0.9);
    expect(uncovered!.confidence).toBeLessThan(0.5);
  });

  it('judges a passage without a vector by words alone', () => {
    const [first] = rated([hit(1, { text: 'oven' }), ...others], { vector: null });
    expect(first!.confidenceParts.modelCoverage).toBe(0);
    expect(first!.confidence).toBeGreaterThan(0.5);
  });

  it('accepts an empty list, and scores of 0', () => {
    expect(rated([])).toEqual([]);
    for (const { confidence } of rated([hit(0), hit(0)])) expect(confidence).toBeLessThan(0.3);
  });
});

function evidenceAmong(hits: readonly Ranked[], found: RetrievalResult): ReturnType<typeof evidenceOfHits> {
  return evidenceOfHits(RUN, hits, found, new QueryCoverage(RUN, found));
}

function evidenceOf(hits: readonly Ranked[], overrides: Partial<RetrievalResult> = {}): Evidence[] {
  const evidence = evidenceAmong(hits, retrievalResult('oven', overrides));
  return hits.map((each) => evidence.evidenceOf(each, evidence.matchOf(each)));
}

describe('evidenceOf', () => {
  it('matches in full by words or by meaning, and better by both than by one of them in part', () => {
    const match = (text: string, raw: number): number => evidenceOf([hit(1, { text, raw })])[0]!.match;
    expect([match('oven', 0), match('', 0.75), match('', 0), match('', -1)]).toEqual([1, 1, 0, 0]);
    expect(match('', 0.3)).toBeCloseTo(0.4);
    const half = evidenceAmong([], retrievalResult('oven kitchen'));
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
    const full = hit(TEXT_WEIGHT);
    const boost = { name: 'source' as const, added: -TEXT_WEIGHT / 2, factor: 0.5 };
    const lowered = { ...full, score: TEXT_WEIGHT / 2, boosts: [boost] };
    expect(evidenceOf([full])[0]!.agreement).toBe(1);
    expect(evidenceOf([lowered])[0]!.agreement).toBe(1);
    const vector = { generation: 1, vector: new Float32Array() };
    expect(evidenceOf([full], { vector })[0]!.agreement).toBeCloseTo(TEXT_WEIGHT);
  });

  it('has what neighbours contribute to the score', () => {
    const helped = { ...hit(TEXT_WEIGHT / 2), score: TEXT_WEIGHT };
    expect(evidenceOf([helped])[0]!.neighbours).toBeCloseTo(0.5);
    expect(evidenceOf([hit(TEXT_WEIGHT)])[0]!.neighbours).toBe(0);
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
