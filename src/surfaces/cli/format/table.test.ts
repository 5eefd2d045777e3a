import { describe, expect, it } from 'vitest';
import { aligned } from './table.ts';

describe('rows of cells', () => {
  it('stand below one another, wide characters counted as what they take', () => {
    const rows = [
      ['a', '料理', 'x'],
      ['bcd', 'e', 'yz'],
    ];
    expect(aligned(rows, { columns: 80, flexible: [] })).toEqual(['a    料理  x', 'bcd  e     yz']);
    expect(aligned([], { columns: 80, flexible: [0] })).toEqual([]);
  });

  it('give way where a line has no room, the widest of those that may', () => {
    const rows = [['key', 'a value of many words', '3d ago']];
    expect(aligned(rows, { columns: 24, flexible: [0, 1] })).toEqual(['key  a value of…  3d ago']);
    expect(aligned(rows, { columns: 2, flexible: [1] })).toEqual(['key  a val…  3d ago']);
  });

  it('are painted without their padding', () => {
    const paint = (text: string): string => `<${text}>`;
    const rows = [
      ['a', 'b'],
      ['cc', 'd'],
    ];
    expect(aligned(rows, { columns: 80, flexible: [], paints: [paint] })).toEqual(['<a>   b', '<cc>  d']);
  });
});
