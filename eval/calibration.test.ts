import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationOf, type Judged, rocArea } from './calibration.ts';
import { fitLogisticRegression, type Observation } from './logistic-regression.ts';
import { seededRandom } from './bootstrap.ts';

describe('rocArea', () => {
  it('counts correctly ordered pairs, and equal ones by half', () => {
    expect(rocArea([0.9, 0.5], [0.5, 0.1])).toBe(3.5 / 4);
    expect(rocArea([], [0.5])).toBe(0);
  });

  it('is equal to the count of all pairs', () => {
    const values = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, values, (positive, negative) => {
        const pairs = positive.flatMap((high) =>
          negative.map((low) => (high > low ? 1 : high === low ? 0.5 : 0)),
        );
        const won = pairs.reduce((sum: number, each) => sum + each, 0);
        expect(rocArea(positive, negative)).toBeCloseTo(won / pairs.length, 9);
      }),
    );
  });
});

describe('calibrationOf', () => {
  const judged = (score: number, right: number, wrong: number): Judged[] => [
    ...Array.from({ length: right }, () => ({ score, isRight: true })),
    ...Array.from({ length: wrong }, () => ({ score, isRight: false })),
  ];

  it('has no error where the share of right answers is the score', () => {
    const { error, bins, auroc } = calibrationOf([...judged(0.75, 3, 1), ...judged(0.25, 1, 3)], [0.1]);
    expect(error).toBeCloseTo(0);
    expect(bins).toEqual([
      { queries: 4, score: 0.25, right: 0.25 },
      { queries: 4, score: 0.75, right: 0.75 },
    ]);
    expect(auroc).toBe(0.75);
  });

  it('has the mean difference of score and share of right answers as its error', () => {
    expect(calibrationOf(judged(0.9, 1, 1), []).error).toBeCloseTo(0.4);
    expect(calibrationOf([...judged(0.9, 1, 1), ...judged(0, 0, 2)], []).error).toBeCloseTo(0.2);
    expect(calibrationOf(judged(1, 2, 0), [0.5, 1])).toMatchObject({
      auroc: null,
      error: 0,
      hiddenAuroc: 0.75,
    });
    expect(calibrationOf([], [])).toEqual({ auroc: null, error: 0, bins: [], hiddenAuroc: 0 });
  });
});

describe('fitLogisticRegression', () => {
  it('finds the coefficients by which the outcomes were drawn', () => {
    const random = seededRandom(7);
    const observations = Array.from({ length: 20_000 }, (): Observation => {
      const features = [4 * random() - 2, 100 * random(), 1];
      const logOdds = 0.5 + 1.5 * features[0]! - 0.02 * features[1]!;
      return { features, outcome: random() < 1 / (1 + Math.exp(-logOdds)), weight: 1 };
    });
    const { intercept, coefficients } = fitLogisticRegression(observations);
    expect(intercept).toBeCloseTo(0.5, 0);
    expect(coefficients[0]).toBeCloseTo(1.5, 0);
    expect(coefficients[1]).toBeCloseTo(-0.02, 2);
    expect(coefficients[2]).toBe(0);
  });

  it('counts an observation by its weight', () => {
    const once = (outcome: boolean, weight: number): Observation => ({ features: [], outcome, weight });
    const { intercept } = fitLogisticRegression([once(true, 3), once(false, 1)]);
    expect(intercept).toBeCloseTo(Math.log(3), 6);
  });
});
