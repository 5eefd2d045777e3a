import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../core/types.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { confidenceOf, evidenceOf, withConfidence } from './confidence.ts';
import { parseQuery } from '../query/parse.ts';
import type { Ranked } from './rank.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import type { WeightedTerm } from '../retrieve/text.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const properties = fc.record({ modelCoverage: share, bigrams: share });
const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }));

const RUN = searchRun('oven');

function weighted(query: string, passages = 1): WeightedTerm[] {
  return parseQuery(query).terms.map((term) => ({ ...term, passages }));
}

function coverage(query: string, text: string, corrected: [string, string][] = []): number {
  const replacements = new Map(corrected.map(([word, stem]) => [word, new Set([stem])]));
  return evidenceOf(storedPassage({ text }), [], weighted(query), replacements).coverage;
}

function hit(score: number, overrides: { raw?: number; text?: string } = {}): Ranked {
  const { raw, text = '' } = overrides;
  const contributions = raw === undefined ? [] : [{ signal: 'vector' as const, rank: 1, raw, added: 0 }];
  return { passage: storedPassage({ text }), score, contributions, boosts: [], links: null };
}

function retrieved(query: string, overrides: Partial<RetrievalResult> = {}): RetrievalResult {
  const empty = {
    intent: null,
    lists: [],
    corrections: [],
    missing: [],
    vectors: null,
    vector: null,
    constrainedMatches: new Set<number>(),
    notEmbedded: new Set<number>(),
  };
  return { ...empty, modelCoverage: 1, terms: weighted(query), ...overrides };
}

describe('evidenceOf', () => {
  it('has the share of the query terms that a passage contains, in any field and inflection', () => {
    expect(coverage('kitchen oven', 'Ovens of kitchens')).toBe(1);
    expect(coverage('kitchen oven', 'an oven')).toBe(0.5);
    expect(coverage('kitchen oven', 'garden')).toBe(0);
    expect(coverage('', 'garden')).toBe(0);
    const record = { title: 'Oven', tags: ['home'], metadata: { aliases: ['Cooker'] } };
    const titled = storedPassage({ headings: ['Kitchen'], record });
    expect(evidenceOf(titled, [], weighted('oven kitchen home cooker'), new Map()).coverage).toBe(1);
  });

  it('counts a misspelt term as covered if the passage contains its replacement', () => {
    expect(coverage('kichen', 'kitchens')).toBe(0);
    expect(coverage('kichen', 'kitchens', [['kichen', 'kitchen']])).toBe(1);
  });

  it('weights terms by IDF', () => {
    const [rare] = weighted('zebulon', 1);
    const [common] = weighted('plumber', 1000);
    const evidence = evidenceOf(storedPassage({ text: 'zebulon' }), [], [rare!, common!], new Map());
    expect(evidence.coverage).toBeGreaterThan(0.8);
  });
});

describe('confidenceOf', () => {
  it('is between 0 and 1, and does not fall as cosine or coverage rise', () => {
    fc.assert(
      fc.property(cosine, cosine, share, share, properties, (a, b, less, more, query) => {
        const [low, high] = [Math.min(less, more), Math.max(less, more)];
        const lower = confidenceOf({ cosine: a, coverage: low }, query);
        expect(lower).toBeGreaterThan(0);
        expect(lower).toBeLessThan(1);
        expect(confidenceOf({ cosine: a, coverage: high }, query)).toBeGreaterThanOrEqual(lower);
        if (a === null || b === null) return;
        const higherCosine = confidenceOf({ cosine: Math.max(a, b), coverage: low }, query);
        expect(higherCosine).toBeGreaterThanOrEqual(
          confidenceOf({ cosine: Math.min(a, b), coverage: low }, query),
        );
      }),
    );
  });

  it('is high for a match in words and meaning, and low for a match in neither', () => {
    const query = { modelCoverage: 1, bigrams: 0 };
    expect(confidenceOf({ cosine: 0.7, coverage: 1 }, query)).toBeGreaterThan(0.95);
    expect(confidenceOf({ cosine: 0.1, coverage: 0 }, query)).toBeLessThan(0.05);
    expect(confidenceOf({ cosine: null, coverage: 1 }, query)).toBeGreaterThan(0.9);
    expect(confidenceOf({ cosine: 0.1, coverage: 1 }, query)).toBeGreaterThan(0.7);
    expect(confidenceOf({ cosine: null, coverage: 0 }, query)).toBeLessThan(0.05);
  });
});

describe('withConfidence', () => {
  it('gives each hit a confidence in proportion to its score', () => {
    const hits = withConfidence(RUN, [hit(2, { text: 'oven' }), hit(1), hit(0.5)], retrieved('oven'));
    const [first, second, third] = hits.map(({ confidence }) => confidence);
    expect(first).toBeGreaterThan(0.9);
    expect([second! / first!, third! / first!]).toEqual([0.5, 0.25]);
  });

  it('takes the confidence in the answer from the best evidence among the first hits', () => {
    const supported = withConfidence(RUN, [hit(1), hit(0.9, { text: 'oven' })], retrieved('oven'));
    const unsupported = withConfidence(RUN, [hit(1), hit(0.9)], retrieved('oven'));
    expect(supported[0]!.confidence).toBeGreaterThan(10 * unsupported[0]!.confidence);
  });

  it('halves the confidence in a note whose only date is that of its file', () => {
    const dates = [{ text: 'yesterday', from: 0, until: 1, relative: true }];
    const boosts = [{ name: 'date' as const, added: 1 }];
    const confidenceWith = (metadata: Metadata): number => {
      const passage = storedPassage({ text: 'bees', record: { metadata } });
      const [only] = withConfidence(
        searchRun('yesterday', { dates }),
        [{ ...hit(1), passage, boosts }],
        retrieved('yesterday'),
      );
      return only!.confidence;
    };
    expect(confidenceWith({ date: '1970-01-01' })).toBeGreaterThan(0.9);
    expect(confidenceWith({})).toBe(confidenceWith({ date: '1970-01-01' }) / 2);
  });

  it('reports the rank and evidence of the hit with the best evidence, and the share of each hit', () => {
    const [best, second] = withConfidence(
      RUN,
      [hit(2), hit(1, { text: 'oven', raw: 0.6 })],
      retrieved('oven'),
    );
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

  it('weights the cosine by the model coverage', () => {
    const similar = hit(1, { raw: 0.9 });
    const [covered] = withConfidence(RUN, [similar], retrieved('oven', { modelCoverage: 1 }));
    const [uncovered] = withConfidence(RUN, [similar], retrieved('oven', { modelCoverage: 0 }));
    expect(covered!.confidence).toBeGreaterThan(0.9);
    expect(uncovered!.confidence).toBeLessThan(0.05);
  });

  it('gives all hits a low confidence when none has evidence, and accepts an empty list', () => {
    const hits = withConfidence(RUN, [hit(1, { raw: 0.1 }), hit(0.8, { raw: 0.05 })], retrieved('oven'));
    for (const { confidence } of hits) expect(confidence).toBeLessThan(0.05);
    expect(withConfidence(RUN, [], retrieved('oven'))).toEqual([]);
    for (const { confidence } of withConfidence(RUN, [hit(0), hit(0)], retrieved('oven')))
      expect(confidence).toBeLessThan(0.05);
  });
});
