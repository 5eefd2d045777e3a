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
});
