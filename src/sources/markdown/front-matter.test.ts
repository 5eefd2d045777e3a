import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

describe('parseFrontMatter', () => {
  it('parses fields to plain JSON, and keeps dates as text', () => {
    expect(parseFrontMatter('a: 1\nb: [x, true, null, .inf]\nc: {d: 2026-05-01}\n2: y\n')).toEqual({
      fields: { a: 1, b: ['x', true, null, '.inf'], c: { d: '2026-05-01' }, 2: 'y' },
      problem: null,
    });
    expect(parseFrontMatter('')).toEqual({ fields: {}, problem: null });
    expect(parseFrontMatter('a: &x [1]\nb: *x\nc: &x 2\nd: *x').fields).toEqual({
      a: [1],
      b: [1],
      c: 2,
      d: 2,
    });
  });

  it('reports invalid YAML and returns the fields that it can read', () => {
    const broken = parseFrontMatter('title: Oven\ntags: [kitchen, oven\n');
    expect(broken.fields).toEqual({ title: 'Oven', tags: ['kitchen', 'oven'] });
    expect(broken.problem).toMatch(
      /^read with a part of its front matter as text, .* be wrong; line 3 of the file: Flow sequence .* end with a \]$/,
    );
    expect(parseFrontMatter('a:\n\t- b').problem).toMatch(/line 2 of the file: Tabs/);
    expect(parseFrontMatter('- a').problem).toMatch(
      /^read without its front matter, .*; it is not a list of fields$/,
    );
    expect(parseFrontMatter('a: *nowhere').problem).toMatch(
      /^read with a part .*; \*nowhere refers to nothing$/,
    );
  });

  it.each([
    ['title: Decision: use Postgres (ADR: 12)', { title: 'Decision: use Postgres (ADR: 12)' }],
    ['family: [[A]] [[B]]', { family: '[[A]] [[B]]' }],
    ['title: [Draft] Plan', { title: '[Draft] Plan' }],
    ['title: @home', { title: '@home' }],
    ['title: "Oven', { title: 'Oven' }],
    ['title: "Oven" and hob', { title: '"Oven" and hob' }],
    ['title: *important*', { title: '*important*' }],
    ['list:\n\t- a\n\t- b', { list: ['a', 'b'] }],
    ['list: [a, b', { list: ['a', 'b'] }],
    ['summary: why:\n  because: of: latency', { summary: 'why: because: of: latency' }],
    ['some words', { 'unread lines': ['some words'] }],
    ['key:value', { 'unread lines': ['key:value'] }],
  ])('reads %j as text, and what comes before and after it', (line, fields) => {
    const { fields: read, problem } = parseFrontMatter(`first: &x [1]\n${line}\nlast: *x\n`);
    expect(read).toEqual({ first: [1], ...fields, last: [1] });
    expect(problem).toMatch(line === 'title: *important*' ? /refers to nothing/ : /; line 3 of the file: /);
  });

  it('names the first lines that are no YAML', () => {
    expect(parseFrontMatter('a: b: c\n'.repeat(3)).problem).toMatch(/lines 2, 3, 4 of the file: Nested/);
    expect(parseFrontMatter('  a: 1\n  b: c: d', { firstLine: 1 })).toEqual({
      fields: { a: 1, b: 'c: d' },
      problem: expect.stringMatching(/line 2 of the file: Nested/) as string,
    });
    expect(parseFrontMatter('{"a": 1, "b": [2]}')).toEqual({ fields: { a: 1, b: [2] }, problem: null });
  });

  it.each([
    ...['1.10', '00123', '20240501123045123', '1e3', '0x1F', '0o17', '-0', '.5', '+5', '.inf', '007', '1.0'],
    ...['yes', 'no', 'true', 'False', '12:30', '2024-01-01', '!important'],
  ])('keeps %s as it stands in names', (text) => {
    const { fields } = parseFrontMatter(`title: ${text}\naliases: [${text}]\nother: {007: 1}`, {
      isName: (property) => property !== 'other',
    });
    expect(fields).toEqual({ title: text, aliases: [text], other: { '007': 1 } });
  });

  it('keeps numbers that are written in another way than ours, everywhere', () => {
    const { fields } = parseFrontMatter('price: 1.10\nphone: 0041\nn: 5\nx: 1.5\nok: true\nnone: ~');
    expect(fields).toEqual({ price: '1.10', phone: '0041', n: 5, x: 1.5, ok: true, none: null });
  });

  it('takes `null` and `~` in a list of names as names, and elsewhere as nothing', () => {
    const { fields } = parseFrontMatter('a: [null, ~, ""]\nb: ~\nc:\n- \n', { isName: () => true });
    expect(fields).toEqual({ a: ['null', '~', ''], b: null, c: [null] });
  });

  it('takes names that YAML takes for comments, and links that it takes for lists, as they stand', () => {
    const yaml =
      'tags: #kitchen #oven\nlist:\n  - #a\n  - b\nnone: # yet\nbad: [#a, b]\nlink: [[Kitchen]]\nx: [[1, 2]]';
    expect(parseFrontMatter(yaml, { isName: (property) => property !== 'x' }).fields).toEqual({
      ...{ tags: '#kitchen #oven', list: ['#a', 'b'], none: null, bad: '[#a, b]' },
      ...{ link: '[[Kitchen]]', x: [[1, 2]] },
    });
  });

  it('runs no code and changes no prototype', () => {
    const { fields } = parseFrontMatter(
      'a: !!js/function "x"\n__proto__: {polluted: true}\nb: !!binary aGk=',
    );
    expect(fields).toEqual({ a: 'x', ['__proto__']: { polluted: true }, b: null });
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['an alias bomb', `a: &a [${'x,'.repeat(9)}]\n${bomb()}`, /aliases|values/],
    ['many aliases', `a: &x 1\nb: [${'*x,'.repeat(5000)}]`, /100 aliases/],
    ['many values', Array.from({ length: 2500 }, (_, n) => `k${String(n)}: v`).join('\n'), /2000 values/],
    ['deep lists', `a: ${'['.repeat(20)}${']'.repeat(20)}`, /8 levels/],
    ['very deep lists', `a: ${'[oven, '.repeat(4000)}`, /50 brackets/],
    ['very deep maps', `a: ${'{b: '.repeat(51)}${'}'.repeat(51)}`, /50 brackets/],
    ['lists of 50 levels', `a: ${'['.repeat(50)}${']'.repeat(50)}`, /8 levels/],
    ['many lists', `a: [[1], [2]]\n`.repeat(1000), /2000 values/],
    ['closing brackets', `a: ${']'.repeat(51)}`, /50 brackets/],
    ['many faults', 'a: "x\n'.repeat(501), /; line 2 of the file: Missing closing "quote/],
    ['keys that are maps', `a:\n  ${'? '.repeat(15_000)}`, /./],
    ['a cycle', 'a: &a [*a]', /./],
    ['dashes', `a:\n  ${'- '.repeat(15_000)}`, /./],
  ])('bounds %s', (_name, yaml, problem) => {
    const startTime = performance.now();
    const result = parseFrontMatter(yaml);
    expect(result.problem).toMatch(problem);
    expect(JSON.stringify(result.fields).length).toBeLessThan(100_000);
    expect(performance.now() - startTime).toBeLessThan(5000);
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
  });

  it('never throws, and returns JSON, for any text', () => {
    const piece = fc.constantFrom(
      ...[
        'a: ',
        '- ',
        '\n',
        '  ',
        '[',
        ']',
        '{',
        '}',
        '&x ',
        '*x',
        '? ',
        ': ',
        '|',
        '>',
        '"',
        "'",
        '#',
        '!!',
        '%',
        '---',
        '\t',
        '<<: ',
      ],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 5 }))), (pieces) => {
        const { fields } = parseFrontMatter(pieces.join(''));
        expect(JSON.parse(JSON.stringify(fields))).toEqual(fields);
      }),
      { numRuns: 500 },
    );
  });
});

/** Nine levels of aliases, each with nine times the values of the level before: 400 million values. */
function bomb(): string {
  return Array.from(
    'bcdefghij',
    (name, n) => `${name}: &${name} [${'abcdefghi'[n]!.repeat(9).replace(/./g, '*$&,')}]`,
  ).join('\n');
}
