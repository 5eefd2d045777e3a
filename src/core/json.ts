import type { z } from 'zod';
import type { Json } from './types.ts';

export type JsonMap = { [key: string]: Json };

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The number that a text in JSON is, or the text, where a number would be written in another way: `1.10`, or 17 digits, which may be
 * rounded. Names and ids are the text that stands there.
 */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  const isExact = String(number) === text && (Number.isSafeInteger(number) || !Number.isInteger(number));
  return isExact ? number : text;
}

/** Parses JSON, with `exactNumber` for its numbers. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return JSON.parse(text, withExactNumber as (name: string, value: unknown) => unknown);
}

/** The types do not know the third argument yet. */
function withExactNumber(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? exactNumber(source) : value;
}

/** `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Replaces every string of a value, including the names of fields.
 * @param change gets the string and the name of its field. The name is empty for names of fields and outside of objects.
 */
export async function mapStrings(
  value: Json,
  change: (text: string, name: string) => Promise<string>,
  name = '',
): Promise<Json> {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await mapStrings(item, change, name));
    return items;
  }
  const fields: [string, Json][] = [];
  for (const [key, field] of Object.entries(value))
    fields.push([await change(key, ''), await mapStrings(field, change, key)]);
  return Object.fromEntries(fields);
}

/** Whether objects and lists are nested deeper than this. Checks level by level, so that deep nesting cannot exhaust the stack. */
export function exceedsDepth(maxDepth: number, value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const below = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values<Json>(each) : [],
    );
    // An object that occurs several times is visited once.
    level = [...new Set(below)];
  }
  return false;
}

/** The same of JSON text. Counts brackets, because parsing a million of them takes long. */
export function textExceedsDepth(maxDepth: number, json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length && depth <= maxDepth; at++) {
    const char = json[at];
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    else if (char === '"') at = endOfString(json, at);
  }
  return depth > maxDepth;
}

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/**
 * `schema.safeParse(value)` for a value from JSON that somebody else wrote. The limits of zod compare the `length` of any value that has
 * one, also of an object in place of a text or a list, and throw a TypeError where that is an object without a primitive value:
 * `{"query": {"length": {"valueOf": 1, "toString": 1}}}`.
 */
export function safeParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return schema.safeParse(withoutObjectLengths(value));
  }
}

function withoutObjectLengths(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each: unknown) =>
    name === 'length' && typeof each === 'object' ? null : each,
  );
}
