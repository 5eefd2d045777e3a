import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../../test/repetitions.ts';
import { readOperators } from './operators.ts';

const NONE = { tags: [], excludedTags: [], paths: [], excludedPaths: [] };

describe('readOperators', () => {
  it.each([
    ['path:Plugins', '', { paths: ['**Plugins**'] }],
    ['oven path:"My notes/Plugins" hob', 'oven hob', { paths: ['**My notes/Plugins**'] }],
    ['file:Bread, dough', 'dough', { paths: ['*Bread*'] }],
    ['file:note* oven', 'oven', { paths: ['*note*'] }],
    ['file:**a oven', 'oven', { paths: ['*a*'] }],
    ['tag:#home/kitchen tag:x?', '', { tags: ['home/kitchen', 'x'] }],
    [
      '-tag:#x oven -path:“old notes” -file:a',
      'oven',
      { excludedTags: ['x'], excludedPaths: ['**old notes**', '*a*'] },
    ],
    ['"gas line" path:a/b', '"gas line"', { paths: ['**a/b**'] }],
  ])('reads the filters of %s', (query, text, filter) => {
    expect(readOperators(query)).toEqual({ text, filter: { ...NONE, ...filter }, excluded: [], notices: [] });
  });

  it.each([
    ['oven -hobs', 'oven', [['hob']]],
    ['-"gas lines" oven -「番茄」', 'oven', [['ga', 'line'], ['番茄']]],
    ['oven -e-mail', 'oven', [['e', 'mail'], ['email']]],
    ['-番茄炒蛋 -茶', '', [['番茄', '茄炒', '炒蛋'], ['茶']]],
  ])('reads what no result may have in %s', (query, text, excluded) => {
    const read = readOperators(query);
    expect([read.text, read.excluded.map(({ terms }) => terms)]).toEqual([text, excluded]);
  });

  it.each([
    'at 10:30 in https://example.org/a?b=path:c or file:///home/ada',
    'C:\\x\\y.txt e-mail well-known',
    '-5 °C to -12.5',
    'note: buy milk, path: unknown, tag: later',
    'oven - hob – cable — lamp',
    '- milk\n- bread',
    'git commit -m --quick',
    '"path:x -oven" and a foo"bar -baz"',
    'xpath:a (tag:b',
    'never "closed',
    'path: -: tag:# path:*** -" " ""',
    '/usr/local/bin/ and f(x y)',
    'this or that (oven), from: Ada, to:/tmp/x [a](b:c) [[a: b]] NOT',
    `tag:long ${'a'.repeat(492)}`,
  ])('leaves an ordinary text as it is: %s', (query) => {
    expect(readOperators(query)).toEqual({ text: query, filter: NONE, excluded: [], notices: [] });
  });

  it.each([
    ['section:(dough oven) bread', '`section:(dough oven)`'],
    ['block:a line:b content:c', '`block:a`, `line:b`, `content:c`'],
    ['match-case:Oven task-todo:x', '`match-case:Oven`, `task-todo:x`'],
    ['/\\d{4}-\\d+/ oven', '`/\\d{4}-\\d+/`'],
    ['bread OR cake AND tea NOT coffee', '`OR`, `AND`, `NOT`'],
    [
      'title:Bread -from:Ada is:unread in [status:done]',
      '`title:Bread`, `-from:Ada`, `is:unread`, `[status:done]`',
    ],
    ['bread -(dough oven) path:(a OR b)', '`-(dough oven)`, `path:(a OR b)`'],
  ])('says what of %s is an operator elsewhere', (query, parts) => {
    const { text, notices } = readOperators(query);
    expect(text).toBe(query);
    expect(notices).toEqual([expect.stringContaining(`searched for ${parts} as plain words`)]);
  });

  const piece = fc.constantFrom(
    ...[
      'path:',
      'tag:#',
      'file:',
      '-',
      '"',
      '“',
      '”',
      '「',
      ' ',
      '(',
      ')',
      '/',
      '\\',
      '*',
      'OR',
      'oven',
      'é',
      '番',
      '💡',
      '\n',
      '5',
    ],
  );

  it('reads any text, and leaves one without `:` and without `-` as it is', () => {
    const texts = fc.oneof(fc.string({ unit: piece, maxLength: 200 }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (query) => {
        const { text, filter, excluded } = readOperators(query);
        expect(text.length).toBeLessThanOrEqual(query.length);
        for (const values of Object.values(filter)) expect(values.every((value) => value !== '')).toBe(true);
        if (/[:-]/.test(query)) return;
        expect([text, filter, excluded]).toEqual([query, NONE, []]);
      }),
      { numRuns: repetitions(500, 20_000) },
    );
  });

  it('reads its own values again, quoted or not', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', 'é', '番', '/', '_'), minLength: 1 })
      .filter((each) => /\p{L}$/u.test(each));
    fc.assert(
      fc.property(name, fc.boolean(), (value, isQuoted) => {
        const given = isQuoted ? `"${value} x"` : value;
        const { text, filter } = readOperators(`oven tag:${given} path:${given} hob`);
        const expected = isQuoted ? `${value} x` : value;
        expect(text).toBe('oven hob');
        expect(filter).toEqual({ ...NONE, tags: [expected], paths: [`**${expected}**`] });
      }),
    );
  });

  it('takes little time for any text', () => {
    const started = performance.now();
    for (const part of ['「', '"', '-(', '/\\', ' OR', 'path:(', '-"', '(a '])
      for (let i = 0; i < 20; i++) readOperators(part.repeat(500 / part.length));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
