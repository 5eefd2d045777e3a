import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../core/types.ts';
import { retrievalResult } from '../../../test/contract/retrieval-result.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { confidenceOf, confidenceRater, EVIDENCE_NAMES, partsOf, type Hit } from './confidence.ts';
import { TYPICAL_EVIDENCE, WITH_VECTORS, WORDS_ALONE } from './confidence-weights.ts';
import type { Evidence } from './evidence.ts';
import type { Ranked } from './rank.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import { DEFAULT_RANKING } from './ranking.ts';

const RUN = searchRun('oven');
const { text: TEXT_WEIGHT, vector: VECTOR_WEIGHT } = DEFAULT_RANKING.weights;
const QUERY_VECTOR = { generation: 1, vector: new Float32Array() };

/** @param raw the cosine */
function hit(score: number, { raw, text = '' }: { raw?: number; text?: string } = {}): Ranked {
  const contributions = raw === undefined ? [] : [{ signal: 'vector' as const, rank: 1, raw, added: score }];
  return { passage: storedPassage({ text }), score, contributions, boosts: [], links: null };
}

function retrieved(query: string, overrides: Partial<RetrievalResult> = {}): RetrievalResult {
  return retrievalResult(query, { vector: QUERY_VECTOR, ...overrides });
}

function rated(hits: readonly Ranked[], overrides: Partial<RetrievalResult> = {}, query = 'oven'): Hit[] {
  return hits.map(confidenceRater(RUN, hits, retrieved(query, overrides)));
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
      const answer = { isList: true, factor: 1 };
      return confidenceRater(run, [listed], retrieved('yesterday'), answer)(listed).confidence;
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
      const rate = confidenceRater(run, entries, retrieved('yesterday'), { isList, factor: 1 });
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
    const [first] = rated([hit(TEXT_WEIGHT, { text: 'oven' }), ...others], { vector: null });
    expect(first!.confidenceParts.modelCoverage).toBe(0);
    expect(first!.confidence).toBeGreaterThan(0.5);
  });

  it('accepts an empty list, and scores of 0', () => {
    expect(rated([])).toEqual([]);
    for (const { confidence } of rated([hit(0), hit(0)])) expect(confidence).toBeLessThan(0.3);
  });
});
