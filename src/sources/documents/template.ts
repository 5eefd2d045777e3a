import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';

type Item = { readonly [key: string]: Json };

/** Fills in a template; `undefined` when the template is a single placeholder and the item has no such field. */
export type Template = (item: Item) => Json | undefined;

type Piece = { readonly literal: string } | { readonly path: readonly string[] };

/** A literal of these characters alone is a separator. It is removed when there is nothing left to separate. */
const SEPARATORS = ' \t\n-–—:,·|';

/**
 * Compiles a template such as `{{title}} — {{notes.0.text}}`. A template that is a single placeholder keeps the JSON value. In any
 * other, values are inserted as text, and separators at either end or next to each other are removed. A name that follows a list is
 * looked up in each of its items.
 * @param key the key of the settings, for errors
 * @throws LociError `invalid_config` that names the key
 */
export function compileTemplate(key: string, templateText: string): Template {
  const pieces = piecesOf(key, templateText);
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined && 'path' in first)
    return (item) => valueAt(item, first.path);
  return (item) => filled(pieces, item);
}

/** The paths of the placeholders, such as `notes.0.text`; none for a constant. */
export function pathsOf(key: string, templateText: string): string[] {
  return piecesOf(key, templateText).flatMap((piece) => ('path' in piece ? [piece.path.join('.')] : []));
}

/** Whether an item has a value at a path, which may be `null`. An empty list counts as having every path. */
export function hasPath(value: Json | undefined, path: string): boolean {
  return exists(value, path.split('.'));
}

function exists(value: Json | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value)) return Object.hasOwn(value, name) && exists(value[name], rest);
  if (/^\d+$/.test(name)) return exists(value[Number(name)], rest);
  return value.length === 0 || value.some((each) => exists(each, path));
}

/** A JSON value as text: a list is joined with commas, an object is JSON, and a missing value is empty. */
export function insertedText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value))
    return value
      .map(insertedText)
      .filter((text) => text !== '')
      .join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function piecesOf(key: string, templateText: string): Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  while (offset < templateText.length) {
    const open = templateText.indexOf('{{', offset);
    const literal = templateText.slice(offset, open < 0 ? undefined : open);
    if (literal !== '') pieces.push({ literal });
    if (open < 0) break;
    const close = templateText.indexOf('}}', open);
    if (close < 0)
      throw badTemplate(`${key} has a {{ that is not closed: ${templateText.slice(open, open + 40)}`);
    const path = templateText
      .slice(open + 2, close)
      .trim()
      .split('.');
    if (path.includes(''))
      throw badTemplate(`${key} has a placeholder without a name: ${templateText.slice(open, close + 2)}`);
    pieces.push({ path });
    offset = close + 2;
  }
  return pieces;
}

function badTemplate(message: string): LociError {
  return new LociError('invalid_config', message, {
    hint: 'Write the names of printed fields between double braces: `{{title}} — {{list.name}}`.',
  });
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined;
  if (/^\d+$/.test(name)) return valueAt(value[Number(name)], rest);
  return value.map((each) => valueAt(each, path) ?? null).filter((each) => each !== null);
}

function filled(pieces: readonly Piece[], item: Item): string {
  const parts: { text: string; literal: boolean }[] = [];
  for (const piece of pieces) {
    const literal = 'literal' in piece;
    const text = literal ? piece.literal : insertedText(valueAt(item, piece.path)).trim();
    // Two separators are adjacent when the value between them is missing.
    const isRepeated = literal && isSeparator(text) && parts.at(-1)?.literal === true;
    if (text !== '' && !isRepeated) parts.push({ text, literal });
  }
  while (parts[0]?.literal === true) {
    parts[0].text = withoutSeparators(parts[0].text, 'start');
    if (parts[0].text !== '') break;
    parts.shift();
  }
  for (let last = parts.at(-1); last?.literal === true; last = parts.at(-1)) {
    last.text = withoutSeparators(last.text, 'end');
    if (last.text !== '') break;
    parts.pop();
  }
  return parts.map(({ text }) => text).join('');
}

function isSeparator(text: string): boolean {
  return withoutSeparators(text, 'start') === '';
}

function withoutSeparators(text: string, side: 'start' | 'end'): string {
  let [start, end] = [0, text.length];
  if (side === 'start') while (start < end && SEPARATORS.includes(text[start]!)) start++;
  else while (end > start && SEPARATORS.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
