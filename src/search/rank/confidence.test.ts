import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../core/types.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { confidenceOf, evidenceOf, withConfidence } from './confidence.ts';
import { parseQuery } from '../query/parse.ts';
import type { Ranked } from './rank.ts';
import type { RetrievalResult, WeightedTerm } from '../retrieve/retrieve.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const kind = fc.record({ modelCoverage: share, bigrams: share });
const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }));

function asked(query: string, passages = 1): WeightedTerm[] {
  return parseQuery(query).terms.map((term) => ({ ...term, passages }));
}

function coverage(query: string, text: string, corrected: [string, string][] = []): number {
  const instead = new Map(corrected.map(([word, stem]) => [word, new Set([stem])]));
  return evidenceOf(storedPassage({ text }), [], asked(query), instead).coverage;
}

function hit(score: number, given: { raw?: number; text?: string } = {}): Ranked {
  const { raw, text = '' } = given;
  const contributions = raw === undefined ? [] : [{ signal: 'vector' as const, rank: 1, raw, added: 0 }];
  return { passage: storedPassage({ text }), score, contributions, boosts: [] };
}

function retrieved(query: string, given: Partial<RetrievalResult> = {}): RetrievalResult {
  const nothing = {
    intent: null,
    lists: [],
    corrections: [],
    missing: [],
    vector: null,
    constrainedMatches: new Set<number>(),
  };
  return { ...nothing, modelCoverage: 1, terms: asked(query), ...given };
}

describe('evidenceOf', () => {
  it('is the share of the terms that a passage holds, in any field and any form', () => {
    expect(coverage('kitchen oven', 'Ovens of kitchens')).toBe(1);
    expect(coverage('kitchen oven', 'an oven')).toBe(0.5);
    expect(coverage('kitchen oven', 'garden')).toBe(0);
    expect(coverage('', 'garden')).toBe(0);
    const record = { title: 'Oven', tags: ['home'], metadata: { aliases: ['Cooker'] } };
    const titled = storedPassage({ headings: ['Kitchen'], record });
    expect(evidenceOf(titled, [], asked('oven kitchen home cooker'), new Map()).coverage).toBe(1);
  });

  it('takes a corrected word for the one that was meant', () => {
    expect(coverage('kichen', 'kitchens')).toBe(0);
    expect(coverage('kichen', 'kitchens', [['kichen', 'kitchen']])).toBe(1);
  });

  it('weighs rare terms more', () => {
    const [rare] = asked('zebulon', 1);
    const [common] = asked('plumber', 1000);
    const held = evidenceOf(storedPassage({ text: 'zebulon' }), [], [rare!, common!], new Map());
    expect(held.coverage).toBeGreaterThan(0.8);
  });
});

describe('confidenceOf', () => {
  it('stays between 0 and 1, and never falls when a passage is nearer or holds more', () => {
    fc.assert(
      fc.property(cosine, cosine, share, share, kind, (a, b, held, more, how) => {
        const [low, high] = [Math.min(held, more), Math.max(held, more)];
        const sure = confidenceOf({ cosine: a, coverage: low }, how);
        expect(sure).toBeGreaterThan(0);
        expect(sure).toBeLessThan(1);
        expect(confidenceOf({ cosine: a, coverage: high }, how)).toBeGreaterThanOrEqual(sure);
        if (a === null || b === null) return;
        const nearer = confidenceOf({ cosine: Math.max(a, b), coverage: low }, how);
        expect(nearer).toBeGreaterThanOrEqual(confidenceOf({ cosine: Math.min(a, b), coverage: low }, how));
      }),
    );
  });

  it('is sure of what matches in words and meaning, and not of what matches in neither', () => {
    const how = { modelCoverage: 1, bigrams: 0 };
    expect(confidenceOf({ cosine: 0.7, coverage: 1 }, how)).toBeGreaterThan(0.95);
    expect(confidenceOf({ cosine: 0.1, coverage: 0 }, how)).toBeLessThan(0.05);
    expect(confidenceOf({ cosine: null, coverage: 1 }, how)).toBeGreaterThan(0.9);
    expect(confidenceOf({ cosine: 0.1, coverage: 1 }, how)).toBeGreaterThan(0.7);
    expect(confidenceOf({ cosine: null, coverage: 0 }, how)).toBeLessThan(0.05);
  });
});

describe('withConfidence', () => {
  it('falls along the hits, in proportion to their scores', () => {
    const hits = withConfidence([hit(2, { text: 'oven' }), hit(1), hit(0.5)], retrieved('oven'));
    const [first, second, third] = hits.map(({ confidence }) => confidence);
    expect(first).toBeGreaterThan(0.9);
    expect([second! / first!, third! / first!]).toEqual([0.5, 0.25]);
  });

  it('takes its level from the surest of the first hits, not from the first alone', () => {
    const sure = withConfidence([hit(1), hit(0.9, { text: 'oven' })], retrieved('oven'));
    const unsure = withConfidence([hit(1), hit(0.9)], retrieved('oven'));
    expect(sure[0]!.confidence).toBeGreaterThan(10 * unsure[0]!.confidence);
  });

  it('doubts a day that only the time of a file names', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const boosts = [{ name: 'date' as const, added: 1 }];
    const sure = (metadata: Metadata): number => {
      const passage = storedPassage({ text: 'bees', record: { metadata } });
      const [only] = withConfidence([{ ...hit(1), passage, boosts }], retrieved('yesterday'), { dates });
      return only!.confidence;
    };
    expect(sure({ date: '1970-01-01' })).toBeGreaterThan(0.9);
    expect(sure({})).toBe(sure({ date: '1970-01-01' }) / 2);
  });

  it('says which of the first hits that is, what speaks for it, and the share that each hit has of it', () => {
    const [best, second] = withConfidence([hit(2), hit(1, { text: 'oven', raw: 0.6 })], retrieved('oven'));
    expect(best!.answerConfidence).toMatchObject({
      bestEvidence: 2,
      evidence: { cosine: 0.6, coverage: 1 },
      modelCoverage: 1,
      share: 1,
    });
    expect(second!.answerConfidence).toMatchObject({
      bestEvidence: 2,
      share: 0.5,
      confidence: best!.confidence,
    });
    expect(second!.confidence).toBe(second!.answerConfidence.confidence * second!.answerConfidence.share);
  });

  it('believes vectors no more than the model knows the language', () => {
    const near = hit(1, { raw: 0.9 });
    const [fluent] = withConfidence([near], retrieved('oven', { modelCoverage: 1 }));
    const [stammering] = withConfidence([near], retrieved('oven', { modelCoverage: 0 }));
    expect(fluent!.confidence).toBeGreaterThan(0.9);
    expect(stammering!.confidence).toBeLessThan(0.05);
  });

  it('is low everywhere when nothing is about the query, and has nothing to say of no hits', () => {
    const hits = withConfidence([hit(1, { raw: 0.1 }), hit(0.8, { raw: 0.05 })], retrieved('oven'));
    for (const { confidence } of hits) expect(confidence).toBeLessThan(0.05);
    expect(withConfidence([], retrieved('oven'))).toEqual([]);
    for (const { confidence } of withConfidence([hit(0), hit(0)], retrieved('oven')))
      expect(confidence).toBeLessThan(0.05);
  });
});
