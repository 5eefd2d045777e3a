import type { DateOrder } from '../../config/sources-schema.ts';
import { decodeText } from '../files/decode.ts';
import { readWithin } from '../files/read-file.ts';
import { frontMatterSpan } from '../markdown/front-matter-span.ts';
import {
  DATE_ORDERS,
  findDate,
  parseDate,
  shownOrder,
  type FoundDate,
  type OrderOf,
} from '../dates/written-date.ts';
import { noteFormat } from '../files/note-format.ts';

/** Longer notes say nothing about the order. In bytes. */
const MAX_BYTES = 100_000;
const FILES_AT_ONCE = 16;
/** A property or an inline field with a date of three numbers, the year last: `date: 19.05.2024`. */
const NUMERIC_FIELD = /^[^:\n]{1,60}::?[ \t]*(.{0,60}\d{1,2}[-/._]\s?\d{1,2}[-/._]\s?\d{4}.{0,60})$/gmu;

/**
 * The order of day and month in the dates of a vault. The dates that have one meaning, such as `19.05.2024`, decide: those with
 * the same separator, or else those with others. Reads all notes, so that the answer depends on nothing else.
 */
export async function vaultDateOrder(realRoot: string, keys: readonly string[]): Promise<OrderOf> {
  const counts = new Map<string, Record<DateOrder, number>>();
  const total = { 'day-first': 0, 'month-first': 0 };
  const add = (date: FoundDate | null): void => {
    const order = date === null ? null : shownOrder(date);
    if (date === null || order === null) return;
    const ofSeparator = counts.get(date.separator!) ?? { 'day-first': 0, 'month-first': 0 };
    counts.set(date.separator!, ofSeparator);
    ofSeparator[order]++;
    total[order]++;
  };
  for (let start = 0; start < keys.length; start += FILES_AT_ONCE)
    await Promise.all(
      keys.slice(start, start + FILES_AT_ONCE).map(async (key) => {
        add(findDate(key.slice(key.lastIndexOf('/') + 1)));
        if (noteFormat(key) !== 'markdown') return;
        for (const value of numericFields(await readText(realRoot, key))) add(parseDate(value)?.date ?? null);
      }),
    );
  return (separator) => majority(counts.get(separator) ?? total) ?? majority(total);
}

function majority(counts: Readonly<Record<DateOrder, number>>): DateOrder | null {
  return DATE_ORDERS.find((order) => 2 * counts[order] > counts['day-first'] + counts['month-first']) ?? null;
}

/** The text of a note; empty if it cannot be read, which is reported when the note itself is read. */
async function readText(realRoot: string, key: string): Promise<string> {
  const file = await readWithin(realRoot, key, MAX_BYTES).catch(() => null);
  return file === null || typeof file === 'string' || 'tooLarge' in file
    ? ''
    : (decodeText(file.bytes)?.text ?? '');
}

function numericFields(text: string): string[] {
  const bodyStart = frontMatterSpan(text)?.bodyStart ?? 0;
  return Array.from(text.matchAll(NUMERIC_FIELD), ({ 0: line, 1: value, index }) =>
    index < bodyStart || line.includes('::') ? value!.replaceAll(/["'*_]/g, '').replace(/^[:\s]+/, '') : '',
  ).map((value) => value.trim());
}
