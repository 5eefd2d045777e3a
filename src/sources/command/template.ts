import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';

type Item = { readonly [key: string]: Json };

/** What a template makes of an item; `undefined` where a placeholder that stands alone finds nothing. */
export type Template = (item: Item) => Json | undefined;

type Piece = { readonly literal: string } | { readonly path: readonly string[] };

/** What is no more than a separator: it goes where nothing is left to separate. */
const SEPARATORS = ' \t\n-–—:,·|';

/**
 * A template such as `{{title}} — {{notes.0.text}}`. One placeholder alone keeps the JSON value; otherwise values are put
 * in as text, and separators that are left at either end, or with nothing between them, are taken away. A name after a
 * list is looked up in each of its items.
 * @param key what the settings call it
 * @throws LociError `invalid_config` that names the key
 */
export function compileTemplate(key: string, written: string): Template {
  const pieces = piecesOf(key, written);
  const [alone] = pieces;
  if (pieces.length === 1 && alone !== undefined && 'path' in alone)
    return (item) => valueAt(item, alone.path);
  return (item) => filled(pieces, item);
}

/** The places that a template names, such as `notes.0.text`: none for a text that is always the same. */
export function placesOf(key: string, written: string): string[] {
  return piecesOf(key, written).flatMap((piece) => ('path' in piece ? [piece.path.join('.')] : []));
}

/** Whether an item has something at a place, be it `null`; of an empty list, whatever it might hold. */
export function hasPlace(value: Json | undefined, place: string): boolean {
  return isThere(value, place.split('.'));
}

function isThere(value: Json | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value)) return Object.hasOwn(value, name) && isThere(value[name], rest);
  if (/^\d+$/.test(name)) return isThere(value[Number(name)], rest);
  return value.length === 0 || value.some((each) => isThere(each, path));
}

/** A JSON value within a text: a list joined with commas, nothing for what is missing, JSON for an object. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function piecesOf(key: string, written: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < written.length) {
    const open = written.indexOf('{{', at);
    const literal = written.slice(at, open < 0 ? undefined : open);
    if (literal !== '') pieces.push({ literal });
    if (open < 0) break;
    const close = written.indexOf('}}', open);
    if (close < 0) throw unfit(`${key} has a {{ that is not closed: ${written.slice(open, open + 40)}`);
    const path = written
      .slice(open + 2, close)
      .trim()
      .split('.');
    if (path.includes(''))
      throw unfit(`${key} has a place without a name: ${written.slice(open, close + 2)}`);
    pieces.push({ path });
    at = close + 2;
  }
  return pieces;
}

function unfit(message: string): LociError {
  return new LociError('invalid_config', message, {
    hint: 'Write names of what is printed between double braces: `{{title}} — {{list.name}}`.',
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
    const text = literal ? piece.literal : textOf(valueAt(item, piece.path)).trim();
    // Two separators stand together where the value between them is missing.
    const second = literal && isSeparator(text) && parts.at(-1)?.literal === true;
    if (text !== '' && !second) parts.push({ text, literal });
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

function withoutSeparators(text: string, at: 'start' | 'end'): string {
  let [start, end] = [0, text.length];
  if (at === 'start') while (start < end && SEPARATORS.includes(text[start]!)) start++;
  else while (end > start && SEPARATORS.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
