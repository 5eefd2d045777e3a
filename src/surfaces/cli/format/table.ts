import { clip, padEnd, textWidth } from './text-width.ts';

interface Layout {
  /** The width of a line. */
  readonly columns: number;
  /** Indexes of the cells that are clipped when a line is too long, the widest first. */
  readonly flexible: readonly number[];
  /** A style for each cell; cells without one stay plain. */
  readonly cellStyles?: readonly ((text: string) => string)[];
}

const GAP = '  ';
/** A cell is not clipped below this, because it would no longer say anything. */
const MIN_CELL_COLUMNS = 6;

/** Formats rows of cells as a table: each column is as wide as its widest cell, and the last one is not padded. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { columns, flexible, cellStyles = [] }: Layout,
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
        return (cellStyles[i] ?? String)(text) + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function shrink(widths: number[], flexible: readonly number[], room: number): void {
  const total = widths.reduce((sum, width) => sum + width, 0);
  for (let excess = total - room; excess > 0; excess--) {
    const [widest] = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const width = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || width <= MIN_CELL_COLUMNS) return;
    widths[widest] = width - 1;
  }
}
