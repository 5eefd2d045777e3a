import { clip, padEnd, textWidth } from './text-width.ts';

interface Layout {
  /** What a line has room for. */
  readonly columns: number;
  /** Cells, from 0, that give way where a line has no room: the widest first. */
  readonly flexible: readonly number[];
  /** What each cell is painted with; without one, nothing. */
  readonly paints?: readonly ((text: string) => string)[];
}

const GAP = '  ';
/** Narrower, a cell says nothing. */
const NARROWEST = 6;

/** Rows of cells below one another, as wide as the widest of each column; the last is not padded. */
export function aligned(
  rows: readonly (readonly string[])[],
  { columns, flexible, paints = [] }: Layout,
): string[] {
  const count = Math.max(0, ...rows.map((cells) => cells.length));
  const widths = Array.from({ length: count }, (_, i) =>
    Math.max(...rows.map((cells) => textWidth(cells[i] ?? ''))),
  );
  shrink(widths, flexible, columns - GAP.length * (count - 1));
  return rows.map((cells) =>
    cells
      .map((cell, i) => {
        const text = clip(cell, widths[i] ?? 0);
        const padding = i === cells.length - 1 ? '' : padEnd(text, widths[i] ?? 0).slice(text.length);
        return (paints[i] ?? String)(text) + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function shrink(widths: number[], flexible: readonly number[], room: number): void {
  const sum = (): number => widths.reduce((total, width) => total + width, 0);
  for (let over = sum() - room; over > 0; over--) {
    const [widest] = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const width = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || width <= NARROWEST) return;
    widths[widest] = width - 1;
  }
}
