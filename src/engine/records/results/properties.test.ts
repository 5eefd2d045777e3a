import { describe, expect, it } from 'vitest';
import { propertiesOf } from './properties.ts';

describe('propertiesOf', () => {
  it('returns a line for each value of the front matter, with its name', () => {
    const frontMatter = {
      birthday: '1988-03-17',
      guests: ['Ann', null, 'Bo'],
      phones: { home: 123, work: [{ desk: true }] },
      motto: 'one\n  two',
      empty: '',
      none: null,
      nobody: [],
    };
    expect(propertiesOf({ frontMatter, aliases: ['x'] })).toEqual([
      'birthday: 1988-03-17',
      'guests: Ann, Bo',
      'phones.home: 123',
      'phones.work.0.desk: true',
      'motto: one two',
    ]);
  });

  it('is empty without front matter, and limited to the first of many values', () => {
    expect([propertiesOf({}), propertiesOf({ frontMatter: {} }), propertiesOf({ frontMatter: 'x' })]).toEqual(
      [[], [], []],
    );
    const many = Object.fromEntries(
      Array.from({ length: 999 }, (_, i) => [`k${String(i)}`, 'v'.repeat(900)]),
    );
    const lines = propertiesOf({ frontMatter: many });
    expect(lines).toHaveLength(200);
    expect(lines[0]).toBe(`k0: ${'v'.repeat(500)}`);
  });
});
