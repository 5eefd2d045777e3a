import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SearchOutput } from '../../../engine/records/results/search-fields.ts';
import { countStrong } from '../../../engine/records/results/search-messages.ts';
import { maxTokensOf, recordExcerpt, searchAnswer } from './answers.ts';
import { toolAnswer } from './run-tool.ts';

type Result = SearchOutput['results'][number];

function result(fields: Partial<Result>): Result {
  return {
    rank: 1,
    title: '',
    snippet: '',
    citation: 'record/1',
    score: 0.5,
    trust: 'agent',
    created_at: '2026-11-20T12:00:00.000Z',
    age: '2 days ago',
    from: null,
    source_name: 'notes',
    ...fields,
  } as Result;
}

function output(results: readonly Result[], related: SearchOutput['related'] = []): SearchOutput {
  return {
    results: [...results],
    strong: countStrong(results),
    related,
    corrections: [],
    missing: [],
    notices: [],
    provider: 'none',
  } as unknown as SearchOutput;
}

const OPTIONS = { own: 'agent:main', conversations: 'agent:main:sessions', limit: 6, maxTokens: 1200 };

/** Text as an attacker or a reader of Chinese has it: invisible and control characters, quotes, emoji, lone surrogates. */
const hostileText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\u0000', '\u001b', '\u200b', '\u202e', '\n', '記', '憶', '🦓', 'a', ' '),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 700,
  size: 'max',
});

it('an answer stays within its tokens, whatever the texts of its hits are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ snippet: hostileText, title: hostileText, source_name: hostileText }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.integer({ min: 900, max: 3000 }),
      async (texts, maxTokens) => {
        const results = texts.map((each) => result(each));
        const answer = await searchAnswer([{ namespace: 'agent:main', output: output(results) }], {
          ...OPTIONS,
          maxTokens,
        });
        expect(answer.results.length).toBeGreaterThan(0);
        expect(maxTokensOf(JSON.stringify(toolAnswer(answer)))).toBeLessThanOrEqual(maxTokens);
      },
    ),
  );
});

it('hits are left out before the snippets of the others become too short to say something', async () => {
  const results = Array.from({ length: 6 }, () => result({ snippet: 'oven'.repeat(150) }));
  const outputs = [{ namespace: 'agent:main', output: output(results) }];
  const { results: hits } = await searchAnswer(outputs, { ...OPTIONS, maxTokens: 500 });
  expect(hits.length).toBeGreaterThan(1);
  expect(hits.length).toBeLessThan(6);
  for (const { snippet } of hits) expect(snippet.length).toBeGreaterThanOrEqual(120);
});

it('no text of a hit has invisible characters, or control characters of a terminal', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, async (snippet, title) => {
      const outputs = [{ namespace: 'agent:main', output: output([result({ snippet, title })]) }];
      const [hit] = (await searchAnswer(outputs, OPTIONS)).results;
      for (const text of [hit?.snippet ?? '', hit?.title ?? '']) {
        expect(text).not.toMatch(/[\u0000\u001b\u200b\u202e]/);
        expect(text.isWellFormed()).toBe(true);
      }
    }),
  );
});

it('hits of several namespaces are merged by score, and those of another begin with its name', async () => {
  const own = output([result({ score: 0.4, citation: 'MEMORY.md#L3-L5' })]);
  const shared = output([result({ score: 0.9, citation: 'Oven.md#L7' }), result({ score: 0.1 })]);
  const { results } = await searchAnswer(
    [
      { namespace: 'agent:main', output: own },
      { namespace: 'default', output: shared },
    ],
    { ...OPTIONS, limit: 2 },
  );
  expect(results).toMatchObject([
    { citation: 'default:Oven.md#L7', path: 'default:Oven.md', startLine: 7, endLine: 7 },
    { citation: 'MEMORY.md#L3-L5', path: 'MEMORY.md', startLine: 3, endLine: 5 },
  ]);
});

it('the order of the engine stays within a namespace, in which a later result may have a higher score', async () => {
  const named = (name: string, scores: readonly number[]): SearchOutput =>
    output(scores.map((score, i) => result({ score, citation: `${name}/${String(i)}.md` })));
  const lists = [{ namespace: 'agent:main', output: named('a', [0.5, 0.7, 0.2]) }];
  const pathsOf = async (outputs: typeof lists): Promise<string[]> =>
    (await searchAnswer(outputs, OPTIONS)).results.map(({ path }) => path);
  expect(await pathsOf(lists)).toEqual(['a/0.md', 'a/1.md', 'a/2.md']);
  const merged = await pathsOf([...lists, { namespace: 'b', output: named('b', [0.6, 0.1]) }]);
  expect(merged).toEqual(['a/0.md', 'a/1.md', 'b:b/0.md', 'a/2.md', 'b:b/1.md']);
});

it('an excerpt says where the text goes on, and never ends within a line', () => {
  const lines = Array.from({ length: 500 }, (_, i) => `${String(i)} ${'word '.repeat(20)}`);
  const {
    text,
    lines: count,
    nextFrom,
  } = recordExcerpt({
    text: lines.join('\n'),
    lines: { from: 11, to: 510, total: 510 },
  });
  expect(text).toBe(lines.slice(0, count).join('\n'));
  expect(nextFrom).toBe(11 + count);
});

it('an answer says what else is to be known about the search, once', async () => {
  const notices = ['searched with the vectors of the model before'];
  const outputs = ['agent:main', 'default'].map((namespace) => ({
    namespace,
    output: { ...output([result({})]), notices },
  }));
  const { warning } = await searchAnswer(outputs, OPTIONS);
  expect(warning).toBe('Note: searched with the vectors of the model before.');
});

it('an earlier hit names the later one in its namespace', async () => {
  const later = { id: 12, citation: 'record/12', date: '2026-03-09' };
  const outputs = ['agent:main', 'shared'].map((namespace) => ({
    namespace,
    output: output([result({ later })]),
  }));
  const { results } = await searchAnswer(outputs, OPTIONS);
  expect(results.map(({ time }) => time)).toEqual([
    'earlier: see record/12 (9 March 2026)',
    'earlier: see shared:record/12 (9 March 2026)',
  ]);
});
