import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RANKING, SOURCE_POLICY } from '../src/search/rank/ranking.ts';
import { defaultConfiguration, readConfiguration, withOverrides } from './configuration.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-eval-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const base = defaultConfiguration();

describe('configuration', () => {
  it('has the engine’s defaults', () => {
    expect(base.ranking).toBe(DEFAULT_RANKING);
    expect(withOverrides(base, {})).toEqual(base);
  });

  it('reads JSON and YAML, and changes only the given keys', () => {
    const expected = { ...base.ranking, smoothing: null, weights: { ...base.ranking.weights, text: 0.25 } };
    const json = join(folder, 'a.json');
    writeFileSync(json, '{"weights": {"text": 0.25}, "smoothing": null}');
    expect(readConfiguration(json)).toEqual({ ...base, ranking: expected });
    const yaml = join(folder, 'a.yaml');
    writeFileSync(yaml, 'weights:\n  text: 0.25\nsmoothing: null\nprovider: none\npassageTokens: 96\n');
    expect(readConfiguration(yaml)).toEqual({
      ...base,
      provider: 'none',
      passageTokens: 96,
      ranking: expected,
    });
  });

  it('completes the policies of single sources with the defaults', () => {
    const { sources, ranking } = withOverrides(base, { sources: { mail: { weight: 0.5 } } });
    expect(sources).toEqual({ mail: { ...SOURCE_POLICY, weight: 0.5 } });
    expect(ranking).toEqual(base.ranking);
  });

  it.each([
    [{ dateBost: 1 }, 'unknown key dateBost; did you mean dateBoost?'],
    [{ weights: { txt: 1 } }, 'unknown key weights.txt; did you mean weights.text?'],
    [{ passageToken: 1 }, 'did you mean passageTokens?'],
    [{ somethingElseEntirely: 1 }, 'unknown key somethingElseEntirely; known are'],
    [{ dateBoost: 'much' }, 'dateBoost: expected a number of at least 0, got "much"'],
    [{ dateBoost: -1 }, 'dateBoost: expected a number of at least 0, got -1'],
    [{ weights: null }, 'weights: expected keys and values'],
    [{ weights: 1 }, 'expected keys and values in weights'],
    [{ fusion: 'sum' }, 'fusion: expected minmax or rrf, got "sum"'],
    [{ recency: { kind: 'sometimes' } }, 'recency.kind: expected tie-break or rank'],
    [{ sources: { mail: { weight: -1 } } }, 'sources.mail.weight'],
    [{ sources: { mail: { wieght: 1 } } }, 'wieght'],
    [{ sources: 1 }, 'sources'],
    [{ provider: 'cloud' }, 'provider'],
    [{ passageTokens: 1_000_000 }, 'passageTokens'],
    [[1], 'expected keys and values'],
  ])('refuses %j', (overrides, why) => {
    expect(() => withOverrides(base, overrides)).toThrow(why);
  });

  it('names the file in an error', () => {
    const missing = join(folder, 'missing.json');
    expect(() => readConfiguration(missing)).toThrow(missing);
    const broken = join(folder, 'broken.yaml');
    writeFileSync(broken, 'weights: {text: ');
    expect(() => readConfiguration(broken)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(broken) }),
    );
  });
});
