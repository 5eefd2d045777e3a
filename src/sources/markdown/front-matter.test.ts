import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

describe('parseFrontMatter', () => {
  it('parses fields to plain JSON, and keeps dates as text', () => {
    expect(parseFrontMatter('a: 1\nb: [x, true, null, .inf]\nc: {d: 2026-05-01}\n2: y\n')).toEqual({
      fields: { a: 1, b: ['x', true, null, null], c: { d: '2026-05-01' }, 2: 'y' },
      problem: null,
    });
    expect(parseFrontMatter('')).toEqual({ fields: {}, problem: null });
    expect(parseFrontMatter('a: &x [1]\nb: *x').fields).toEqual({ a: [1], b: [1] });
  });

  it('reports invalid YAML and returns the fields that it can read', () => {
    const broken = parseFrontMatter('title: Oven\ntags: [kitchen, oven\n');
    expect(broken.fields).toEqual({ title: 'Oven', tags: ['kitchen', 'oven'] });
    expect(broken.problem).toMatch(
      /^read with a part of its front matter, .* be wrong; line 4 of the file: Flow sequence .* end with a \]$/,
    );
    expect(parseFrontMatter('a:\n\t- b').problem).toMatch(/line 3 of the file: Tabs/);
    expect(parseFrontMatter('- a').problem).toMatch(
      /^read without its front matter, .*; it is not a list of fields$/,
    );
    expect(parseFrontMatter('a: *nowhere').problem).toMatch(
      /^read with a part .*; \*nowhere refers to nothing$/,
    );
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
    ['very deep lists', `a: ${'['.repeat(30_000)}`, /./],
    ['very deep maps', `a: ${'{'.repeat(30_000)}`, /./],
    ['keys that are maps', `a:\n  ${'? '.repeat(15_000)}`, /./],
    ['a cycle', 'a: &a [*a]', /./],
    ['dashes', `a:\n  ${'- '.repeat(15_000)}`, /./],
  ])('bounds %s', (_name, yaml, problem) => {
    const startTime = performance.now();
    const result = parseFrontMatter(yaml);
    expect(result.problem).toMatch(problem);
    expect(JSON.stringify(result.fields).length).toBeLessThan(100_000);
    expect(performance.now() - startTime).toBeLessThan(5000);
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
