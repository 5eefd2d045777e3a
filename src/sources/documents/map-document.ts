import type { DocumentMap } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { isJsonMap } from '../../core/json.ts';
import { dayText } from '../../core/time/whole-day.ts';
import type { Json } from '../../core/types.ts';
import type { DocumentProblem } from '../document.ts';
import { readTimestamp } from './timestamp.ts';

/** Fields that must be text. */
const TEXT_FIELDS = ['text', 'title', 'project', 'url'] as const;
export const FIELDS = [...TEXT_FIELDS, 'id', 'tags', 'timestamp', 'completed'] as const;
export type Field = (typeof FIELDS)[number];
/** Fields that must differ between documents. */
const DISTINCT_FIELDS = ['id', 'text', 'timestamp', 'day'] as const;

/** Words that tools print for a completed item. */
export const DONE = /^(?:true|yes|y|1|x|done|completed?|closed|cancell?ed|finished)$/i;

/**
 * Returns a function that converts a printed value to an unchecked document. A field without a template is taken from the field of the same
 * name.
 * @throws LociError `invalid_config` that names the key of a bad template, or of a constant one for a field that must differ
 */
export function documentMapper(map: DocumentMap): (item: unknown) => unknown {
  for (const field of DISTINCT_FIELDS) assertNotConstant(`map.${field}`, map[field]);
  const templates = new Map<Field, Template>();
  for (const field of FIELDS)
    templates.set(field, compileTemplate(`map.${field}`, map[field] ?? `{{${field}}}`));
  const entries = map.metadata === undefined ? null : Object.entries(map.metadata);
  const metadata = entries?.map(
    ([name, templateText]) => [name, compileTemplate(`map.metadata.${name}`, templateText)] as const,
  );
  const day = map.day === undefined ? undefined : compileTemplate('map.day', map.day);
  return (item) => {
    if (!isJsonMap(item)) return item;
    const value = (field: Field): Json | undefined => templates.get(field)?.(item);
    return {
      id: value('id'),
      ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, asText(value(field))])),
      tags: asTags(value('tags')),
      timestamp: insertedText(value('timestamp')).trim() === '' ? asDay(day?.(item)) : value('timestamp'),
      completed: asCompleted(value('completed')),
      metadata: metadata === undefined ? metadataOf(item) : applyAll(metadata, item),
    };
  };
}

function assertNotConstant(key: string, templateText: string | undefined): void {
  if (templateText === undefined || pathsOf(key, templateText).length > 0) return;
  throw new LociError(
    'invalid_config',
    `${key} is a constant, which makes all documents the same: ${templateText}`,
    {
      hint: `Write the name of a printed field between double braces: '{{${templateText}}}'.`,
    },
  );
}

function metadataOf(item: { readonly [key: string]: Json }): Json | undefined {
  return Object.hasOwn(item, 'metadata') ? item['metadata'] : undefined;
}

function applyAll(
  templates: readonly (readonly [string, Template])[],
  item: { readonly [key: string]: Json },
): { [key: string]: Json } {
  return Object.fromEntries(
    templates.flatMap(([name, template]): [string, Json][] => {
      const value = template(item) ?? null;
      return value === null ? [] : [[name, Array.isArray(value) ? insertedText(value) : value]];
    }),
  );
}

/** The day of a time, without its time of day. What is no time is returned as it is, to be reported. */
function asDay(value: Json | undefined): Json | undefined {
  const printed = typeof value === 'string' || typeof value === 'number' ? readTimestamp(value) : null;
  return printed === null ? value : dayText(printed.day ?? printed.time);
}

function asText(value: Json | undefined): Json | undefined {
  const isText = Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean';
  return isText ? insertedText(value) : value;
}

function asTags(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return asText(value);
  // Labels that are objects are not changed here: `readDocument` replaces them by their names.
  return value.map((each) => (isJsonMap(each) ? each : insertedText(each)));
}

/** `true` for the words that tools print for a completed item, `false` for any other word. */
function asCompleted(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const word = insertedText(value).trim();
  return word === '' ? null : DONE.test(word);
}

/** A longer text without braces is not a field name whose braces were forgotten. */
const FIELD_NAME = /^[\w$-]{1,64}(?:\.[\w$-]{1,64}){0,8}$/;

/** Finds likely mistakes in a map: paths that no document has, and field names without braces. */
export class MapChecker {
  /** Key of the settings → paths that no document has had so far. */
  readonly #unmatched = new Map<string, Set<string>>();
  /** Key of the settings → a constant that may be a field name. */
  readonly #constants = new Map<string, string>();
  /** Keys whose constant is the name of a field. */
  readonly #mistaken = new Set<string>();
  #documents = 0;

  /** @throws LociError `invalid_config` that names the key of a bad template */
  constructor({ items: _, metadata = {}, ...fields }: DocumentMap) {
    const entries = Object.entries(metadata).map(
      ([name, templateText]) => [`metadata.${name}`, templateText] as const,
    );
    for (const [field, templateText] of [...Object.entries(fields), ...entries]) {
      const key = `map.${field}`;
      const paths = pathsOf(key, templateText);
      if (paths.length > 0) this.#unmatched.set(key, new Set(paths));
      else if (FIELD_NAME.test(templateText.trim())) this.#constants.set(key, templateText.trim());
    }
  }

  /** Takes a printed document into account. */
  add(value: unknown): void {
    if (!isJsonMap(value)) return;
    this.#documents++;
    for (const [key, paths] of this.#unmatched) {
      for (const path of paths) if (hasPath(value, path)) paths.delete(path);
      if (paths.size === 0) this.#unmatched.delete(key);
    }
    for (const [key, name] of this.#constants) if (hasPath(value, name)) this.#mistaken.add(key);
  }

  /** At most one for each key. */
  problems(): DocumentProblem[] {
    if (this.#documents === 0) return [];
    const details = [
      ...[...this.#unmatched].map(([key, paths]) => `${key}: no document has ${[...paths].join(', ')}`),
      ...[...this.#mistaken].map((key) => {
        const name = this.#constants.get(key) ?? '';
        return `${key}: every document gets the text ${JSON.stringify(name)}; write '{{${name}}}' for the value of that field`;
      }),
    ];
    return details.map((detail) => ({ index: null, id: null, detail, skipped: false }));
  }
}

type Item = { readonly [key: string]: Json };

/** Fills in a template; `undefined` when the template is a single placeholder and the item has no such field. */
type Template = (item: Item) => Json | undefined;

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
function compileTemplate(key: string, templateText: string): Template {
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
function hasPath(value: Json | undefined, path: string): boolean {
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
function insertedText(value: Json | undefined): string {
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
