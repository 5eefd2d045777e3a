import { describe, expect, it } from 'vitest';
import { alignColumns } from './table.ts';

describe('alignColumns', () => {
  it('aligns the columns, and counts wide characters as two columns', () => {
    const rows = [
      ['a', '料理', 'x'],
      ['bcd', 'e', 'yz'],
    ];
    expect(alignColumns(rows, { columns: 80, flexible: [] })).toEqual(['a    料理  x', 'bcd  e     yz']);
    expect(alignColumns([], { columns: 80, flexible: [0] })).toEqual([]);
  });

  it('clips the widest flexible cell when a line is too long', () => {
    const rows = [['key', 'a value of many words', '3d ago']];
    expect(alignColumns(rows, { columns: 24, flexible: [0, 1] })).toEqual(['key  a value of…  3d ago']);
    expect(alignColumns(rows, { columns: 2, flexible: [1] })).toEqual(['key  a val…  3d ago']);
  });

  it('does not style the padding', () => {
    const style = (text: string): string => `<${text}>`;
    const rows = [
      ['a', 'b'],
      ['cc', 'd'],
    ];
    expect(alignColumns(rows, { columns: 80, flexible: [], cellStyles: [style] })).toEqual([
      '<a>   b',
      '<cc>  d',
    ]);
  });
});
