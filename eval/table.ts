import type { Interval } from './bootstrap.ts';

/** Aligns the first column to the left and the others to the right, with two spaces before each column. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** A share as percent with one decimal. */
export function percent(share: number | undefined): string {
  return share === undefined ? '' : (100 * share).toFixed(1);
}

/** A difference of shares as points, always with its sign. */
export function points(difference: number): string {
  const text = (100 * difference).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return difference > 0 ? `+${text}` : text;
}

export function intervalCells({ mean, low, high }: Interval): [string, string] {
  return [points(mean), `[${points(low)}, ${points(high)}]`];
}
