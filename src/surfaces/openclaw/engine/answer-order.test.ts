import { describe, expect, it } from 'vitest';
import type { SearchResultOutput } from '../../../operations/records/search-result.ts';
import { searchAnswer, type NamespaceOutput } from './answers.ts';

function outputOf(namespace: string, scores: readonly number[]): NamespaceOutput {
  const results = scores.map((score, i) => resultOf(`${namespace}/${String(i)}.md`, score));
  return {
    namespace,
    output: {
      query: 'oven',
      results,
      related: [],
      corrections: [],
      missing: [],
      unmatched: [],
      nothing: null,
      provider: 'none',
      took_ms: 1,
    },
  };
}

function resultOf(citation: string, score: number): SearchResultOutput {
  const shown = { citation, score, title: '', snippet: 'The oven comes in May.', age: 'today', from: null };
  const about = { trust: 'agent', source_name: 'notes', created_at: '2026-11-25T00:00:00Z' };
  // Only the fields that an answer has.
  return { ...shown, ...about } as unknown as SearchResultOutput;
}

const OPTIONS = { own: 'a', limit: 6, maxTokens: 1200 };

describe('searchAnswer', () => {
  it('keeps the order of the engine, in which a later result may have a higher score', () => {
    const { results } = searchAnswer([outputOf('a', [0.5, 0.7, 0.2])], OPTIONS);
    expect(results.map(({ path }) => path)).toEqual(['a/0.md', 'a/1.md', 'a/2.md']);
  });

  it('puts results of another namespace where their scores belong', () => {
    const { results } = searchAnswer([outputOf('a', [0.5, 0.7, 0.2]), outputOf('b', [0.6, 0.1])], OPTIONS);
    const paths = ['a/0.md', 'a/1.md', 'b:b/0.md', 'a/2.md', 'b:b/1.md'];
    expect(results.map(({ path }) => path)).toEqual(paths);
  });
});
