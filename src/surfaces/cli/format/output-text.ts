import type { Json } from '../../../core/types.ts';
import type { View } from '../commands/operation-command.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { alignColumns } from './table.ts';

type Row = readonly [name: string, value: string];

/** A name and a value on each line. The names have one width. */
export function keyValues(rows: readonly Row[], { style }: Pick<View, 'style'>): string {
  const width = Math.max(12, ...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${style.dim(name.padEnd(width))}${oneLine(value)}\n`).join('');
}

/** The lines below a list that has more pages. */
export function nextPageLines(next: string | number | null, { style }: Pick<View, 'style'>): string[] {
  if (next === null) return [];
  const shown = oneLine(/[^\w.:|/-]/.test(String(next)) ? JSON.stringify(next) : String(next));
  return ['', style.dim(`\`--after ${shown}\` shows the next page`)];
}

/** The output of an operation that has no text of its own: names and values, and a table for each list of objects. */
export function outputText(output: unknown, view: View): string {
  const { style, columns, terminal } = view;
  const { next = null, ...fields } = output as Readonly<Record<string, Json>>;
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  const rows = entries.filter(([, value]) => !isTable(value));
  const tables = entries.flatMap(([name, value]) => {
    if (!isTable(value)) return [];
    const keys = Object.keys(value[0] ?? {});
    const cells = value.map((each) => keys.map((key) => valueText(each[key] ?? null)));
    const header = keys.map(words);
    // A pipe or a file gets whole cells.
    const layout = { columns: terminal ? columns : Infinity, flexible: keys.map((_, i) => i) };
    return [style.bold(words(name)), ...alignColumns([header, ...cells], layout), ''];
  });
  const values = keyValues(
    rows.map(([name, value]) => [words(name), valueText(value)]),
    view,
  );
  return [...tables, `${values}${nextPageLines(next as string | number | null, view).join('\n')}`].join('\n');
}

function isTable(value: Json): value is Record<string, Json>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => typeof each === 'object' && each !== null)
  );
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function valueText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  if (typeof value !== 'object') return oneLine(String(value));
  return Object.entries(value)
    .filter(([, each]) => each !== null)
    .map(([name, each]) => `${words(name)} ${valueText(each)}`)
    .join(', ');
}
