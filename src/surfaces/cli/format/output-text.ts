import type { Json } from '../../../core/types.ts';
import type { View } from '../commands/operation-command.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { alignColumns } from './table.ts';
import { textWidth } from './text-width.ts';
import type { Style } from './style.ts';
import { durationText, localTimeText } from './times.ts';

export type Row = readonly [name: string, value: string];
type Fields = Readonly<Record<string, Json | undefined>>;

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

/** The output of an operation that has no text of its own: a table for each list of objects, then names and values. */
export function outputText(output: object, view: View): string {
  const entries = Object.entries(output as Fields);
  const lists = entries.filter(([, value]) => isTable(value));
  return tables(
    Object.fromEntries(lists.map(([name, value]) => [name, Object.keys((value as Fields[])[0]!).join(' ')])),
    '',
    entries.flatMap(([name, value]) => (isTable(value) || name === 'next' ? [] : [name])).join(' '),
  )(output, view);
}

/**
 * Prints lists of an output as tables, then some of its fields as names and values, then how to get the next page.
 * @param columns the fields of the entries of each list, separated by spaces; one that is empty in all of them is left out
 * @param none what is printed if all lists are empty
 * @param values the fields that are printed as names and values, separated by spaces
 */
export function tables(
  columns: Readonly<Record<string, string>>,
  none = '',
  values = '',
): (output: object, view: View) => string {
  return (output, view) => {
    const fields = output as Fields;
    const lists = Object.entries(columns).flatMap(([name, shown]) => {
      const rows = (fields[name] ?? []) as Fields[];
      return rows.length === 0 ? [] : [{ name, lines: tableLines(rows, shown.split(' '), view) }];
    });
    const isTitled = Object.keys(columns).length > 1;
    const blocks = lists.map(({ name, lines }) =>
      [...(isTitled ? [view.style.bold(words(name))] : []), ...lines, ''].join('\n'),
    );
    if (lists.length === 0 && none !== '') blocks.push(`${none}\n`);
    const rows = values.split(' ').flatMap((name) => valueRows(name, fields[name] ?? null));
    if (rows.length > 0) blocks.push(keyValues(rows, view));
    const next = (fields['next'] ?? null) as string | number | null;
    const page = nextPageLines(next, view).map((line) => `${line}\n`);
    return `${blocks.join('\n')}${page.join('')}`;
  };
}

/** A text is not clipped below this. */
const MIN_TEXT_COLUMNS = 12;
/** Columns that say nothing any more when they are clipped. */
const WHOLE = /^(?:id|citation|record|key|name|condition|status)$/;

/**
 * A table, or a block of names and values for each row where a table does not fit the terminal: identifiers, times and short cells are
 * never clipped.
 */
function tableLines(rows: readonly Fields[], columns: readonly string[], view: View): string[] {
  const { style } = view;
  const cells = columns.map((name) => rows.map((row) => valueText(name, row[name] ?? null)));
  const shown = columns.map((_, i) => i).filter((i) => cells[i]!.some((text) => text !== ''));
  const table = [
    shown.map((i) => words(columns[i]!)),
    ...rows.map((_, row) => shown.map((i) => cells[i]![row]!)),
  ];
  const widths = shown.map((_, at) => Math.max(...table.map((line) => textWidth(line[at]!))));
  const isWhole = (i: number, at: number): boolean =>
    widths[at]! <= MIN_TEXT_COLUMNS ||
    WHOLE.test(columns[i]!) ||
    rows.some((row) => isInstant(row[columns[i]!] ?? null));
  // A pipe or a file gets whole cells.
  const width = view.terminal ? view.columns : Infinity;
  const least = shown.map((i, at) => (isWhole(i, at) ? widths[at]! : MIN_TEXT_COLUMNS) + 2);
  if (least.reduce((sum, each) => sum + each, 0) > width + 2)
    return rows.flatMap((_, row) => [
      ...(row === 0 ? [] : ['']),
      ...keyValues(
        shown.flatMap((i): Row[] => (cells[i]![row] === '' ? [] : [[words(columns[i]!), cells[i]![row]!]])),
        view,
      )
        .trimEnd()
        .split('\n'),
    ]);
  const styles = shown.map((i) => {
    const name = STYLES[columns[i]!];
    return name === undefined ? String : style[name];
  });
  const flexible = shown.map((_, at) => at).filter((at) => !isWhole(shown[at]!, at));
  return alignColumns(table, { columns: width, flexible, cellStyles: styles });
}

/** Columns that are not plain. */
const STYLES: Readonly<Record<string, keyof Style>> = {
  ...{ id: 'link', citation: 'link', record: 'link' },
  ...{ key: 'bold', name: 'bold', label: 'bold', query: 'bold' },
  ...{ at: 'dim', project: 'dim', stored_at: 'dim', updated_at: 'dim', expires_at: 'dim', lane: 'dim' },
  ...{ trust: 'warning', failed_lanes: 'warning', failure: 'warning' },
};

/** Longer lists of texts have a row for each text. */
const MAX_LIST_LENGTH = 60;

function isInstant(value: Json): boolean {
  return typeof value === 'string' && INSTANT.test(value);
}

function valueRows(name: string, value: Json): Row[] {
  const text = valueText(name, value);
  if (Array.isArray(value) && value.length === 0) return [[words(name), 'none']];
  if (value === null || text === '') return [];
  if (!Array.isArray(value) || text.length <= MAX_LIST_LENGTH) return [[words(name), text]];
  return value.map((each, i) => [i === 0 ? words(name) : '', valueText(name, each)]);
}

function isTable(value: Json | undefined): value is Record<string, Json>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => typeof each === 'object' && each !== null)
  );
}

function words(name: string): string {
  return name.replace(/_ms$/, '').replaceAll('_', ' ');
}

/** A time, as all outputs have it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** A value as its name suggests: times are local, and durations have a unit. */
function valueText(name: string, value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((each) => valueText(name, each)).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([field, each]) => `${words(field)} ${valueText(field, each)}`)
      .join(', ');
  if (typeof value === 'string') return isInstant(value) ? localTimeText(value) : oneLine(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name.endsWith('_ms'))
    return value < 1000 ? `${String(Math.round(value))} ms` : durationText(value / 1000);
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}
