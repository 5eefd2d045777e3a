import type { JsonArrayNode } from '@croct/json5-parser';
import {
  JsonIdentifierNode,
  type JsonNode,
  JsonObjectNode,
  JsonParser,
  type JsonPropertyNode,
} from '@croct/json5-parser';
import { LociError, messageOf } from '../../../../core/errors.ts';
import type { Json } from '../../../../core/types.ts';

/**
 * Changes single keys of a JSON5 text, such as `openclaw.json`. Everything else keeps its bytes: comments, order, quotes, line ends.
 * The parser only locates the parts, because its own editor loses comments when it removes a key.
 */

/** @throws LociError `invalid_config` that names the file, if it is not a JSON5 object */
export function parseJson5(text: string, file: string): JsonObjectNode {
  if (lastParsed?.text === text) return lastParsed.object;
  assertParsable(text, file);
  try {
    const object = JsonParser.parse(text, JsonObjectNode);
    lastParsed = { text, object };
    return object;
  } catch (error) {
    throw new LociError(
      'invalid_config',
      `${file} is not a JSON5 object: ${messageOf(error).split('\n')[0] ?? ''}`,
      {
        hint: 'Correct the file; `openclaw config validate` checks it.',
        cause: error,
      },
    );
  }
}

/** The same text is parsed many times in a row, and no node is ever changed. */
let lastParsed: { readonly text: string; readonly object: JsonObjectNode } | null = null;

const MAX_LENGTH = 1_000_000;
/** Each change parses the whole text again, at 30 ms for a thousand keys. */
const MAX_KEYS = 10_000;
/** The parser calls itself for each level. No configuration of OpenClaw has a tenth of this. */
const MAX_LEVELS = 200;

/** @throws LociError `invalid_config` for a text that the parser takes minutes for, or has no stack for */
function assertParsable(text: string, file: string): void {
  const refuse = (why: string): never => {
    throw new LociError('invalid_config', `${file} ${why}`, {
      hint: 'No configuration of OpenClaw is like that. Correct the file.',
    });
  };
  if (text.length > MAX_LENGTH) refuse(`has more than ${String(MAX_LENGTH)} characters`);
  let level = 0;
  let keys = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') level++;
    else if (token === '}' || token === ']') level--;
    else if (token === ':') keys++;
    if (level > MAX_LEVELS) refuse(`is nested more than ${String(MAX_LEVELS)} levels deep`);
    if (keys > MAX_KEYS) refuse(`has more than ${String(MAX_KEYS)} keys`);
  }
}

/** Brackets and colons, and the strings and comments that may contain some. */
const TOKENS = /[[\]{}:]|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/g;

/** The property of an object with this name. Of several with the same name, the last counts, as in JSON5. */
export function propertyOf(object: JsonObjectNode, name: string): JsonPropertyNode | undefined {
  return object.properties.findLast(({ key }) => key.toJSON() === name);
}

/** The text of a node. */
export function textOf(text: string, { location }: JsonNode): string {
  return text.slice(location.start.index, location.end.index);
}

/** Replaces the value of a property. */
export function replaceValue(text: string, { value }: JsonPropertyNode, replacement: string): string {
  return splice(text, value.location.start.index, value.location.end.index, replacement);
}

/** Adds a property at the end of an object. @param key and value: JSON5 text */
export function addProperty(text: string, object: JsonObjectNode, key: string, value: string): string {
  return addEntry(text, object, object.properties, `${key}: ${value}`);
}

/** Adds an element at the end of an array. @param value JSON5 text */
export function addElement(text: string, array: JsonArrayNode, value: string): string {
  return addEntry(text, array, array.elements, value);
}

export function removeProperty(text: string, object: JsonObjectNode, property: JsonPropertyNode): string {
  return removeEntry(text, object.properties, property);
}

/** Removes the elements of an array that have this value. */
export function removeElement(text: string, array: JsonArrayNode, value: Json): string {
  const element = array.elements.findLast((each) => each.toJSON() === value);
  return element === undefined ? text : removeEntry(text, array.elements, element);
}

/** Replaces an element of an array that has this value. @param replacement JSON5 text */
export function replaceElement(text: string, array: JsonArrayNode, value: Json, replacement: string): string {
  const element = array.elements.findLast((each) => each.toJSON() === value);
  if (element === undefined) return text;
  return splice(text, element.location.start.index, element.location.end.index, replacement);
}

/** A value on one line, in the style of people: `{ enabled: false }` or `{ "enabled": false }`. */
export function valueText(value: Json, quotes: boolean): string {
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each, quotes)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, each]) => `${keyText(key, quotes)}: ${valueText(each, quotes)}`,
  );
  return `{ ${entries.join(', ')} }`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A key, with quotes if it needs them or if all keys have them. */
export function keyText(key: string, quotes: boolean): string {
  return quotes || !IDENTIFIER.test(key) ? JSON.stringify(key) : key;
}

/** Whether all keys of an object are quoted. Those of an empty object have to be, since JSON needs it. */
export function quotesKeys(object: JsonObjectNode): boolean {
  return !object.properties.some(({ key }) => key instanceof JsonIdentifierNode);
}

/** Puts an entry after the last one, on a line of its own if the others have one. */
function addEntry(text: string, container: JsonNode, entries: readonly JsonNode[], entry: string): string {
  const open = container.location.start.index;
  const last = entries.at(-1);
  if (last === undefined) {
    const close = container.location.end.index - 1;
    const inside = text.slice(open + 1, close);
    const line = /\r?\n/.exec(inside)?.[0];
    // An empty object on several lines has the indentation of its closing bracket.
    const space = inside === '' ? '' : ' ';
    const before = line === undefined ? space : `${line}${indentAt(text, close)}${indentUnit(text)}`;
    return splice(text, open + 1, open + 1, before + entry);
  }
  const first = entries[0] ?? last;
  const { start } = last.location;
  const end = last.location.end.index;
  const comma = skipInsignificant(text, end);
  const hasComma = text[comma] === ',';
  const after = endOfLineComments(text, hasComma ? comma + 1 : end);
  const line = /\r?\n/.exec(text.slice(open, first.location.start.index))?.[0];
  const endsInLineComment = text.slice(end, after).includes('//');
  const newLine = line ?? (endsInLineComment ? lineEndOf(text) : undefined);
  const before = newLine === undefined ? ' ' : `${newLine}${indentAt(text, start.index)}`;
  const added = splice(text, after, after, `${before}${entry}${hasComma ? ',' : ''}`);
  return hasComma ? added : splice(added, end, end, ',');
}

/** The inverse of `addEntry`. Comments stay. */
function removeEntry(text: string, entries: readonly JsonNode[], entry: JsonNode): string {
  const end = entry.location.end.index;
  const start = entry.location.start.index;
  const previous = entries[entries.indexOf(entry) - 1];
  const comma = skipInsignificant(text, end);
  // The comma after the entry goes with it, or the one before the last entry.
  const separator = text[comma] === ',' ? comma : null;
  const removedComma =
    separator ?? (previous === undefined ? null : skipInsignificant(text, previous.location.end.index));
  const without = (from: number): string => {
    const cuts = [[from, end], ...(removedComma === null ? [] : [[removedComma, removedComma + 1]])] as [
      number,
      number,
    ][];
    cuts.sort(([a], [b]) => b - a);
    return cuts.reduce((rest, [first, last]) => splice(rest, first, last, ''), text);
  };
  const trimmed = without(text.slice(0, start).trimEnd().length);
  // A line comment before the entry must not reach what follows it.
  return isJson5(trimmed) ? trimmed : without(start);
}

function isJson5(text: string): boolean {
  try {
    parseJson5(text, '');
    return true;
  } catch {
    return false;
  }
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

const INSIGNIFICANT = /(?:\s|\/\/[^\n\r]*|\/\*[^]*?\*\/)*/y;
const REST_OF_LINE = /(?:[ \t]*\/\*[^\n\r]*?\*\/)*(?:[ \t]*\/\/[^\n\r]*)?/y;

/** The index of the next character that is neither white space nor part of a comment. */
function skipInsignificant(text: string, from: number): number {
  return endOfMatch(INSIGNIFICANT, text, from);
}

/** The end of the comments on the same line: they belong to the entry before them. */
function endOfLineComments(text: string, from: number): number {
  return endOfMatch(REST_OF_LINE, text, from);
}

function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The white space at the start of the line of a position. */
function indentAt(text: string, index: number): string {
  const start = Math.max(text.lastIndexOf('\n', index - 1), text.lastIndexOf('\r', index - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, index))?.[0] ?? '';
}

/** One level of indentation in this text. */
function indentUnit(text: string): string {
  return /^[ \t]+/m.exec(text)?.[0] ?? '  ';
}
