import {
  JsonArrayNode,
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
    const [reason = ''] = messageOf(error).split('\n');
    const hint = 'Correct the file; `openclaw config validate` checks it.';
    throw new LociError('invalid_config', `${file} is not a JSON5 object: ${reason}`, { hint, cause: error });
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

/** The last element of a list with this value. */
export function elementOf(list: JsonArrayNode, value: Json): JsonNode | undefined {
  return list.elements.findLast((each) => each.toJSON() === value);
}

export function nodeText(text: string, { location: { start, end } }: JsonNode): string {
  return text.slice(start.index, end.index);
}

/** @param replacement JSON5 text */
export function replaceNode(
  text: string,
  { location: { start, end } }: JsonNode,
  replacement: string,
): string {
  return splice(text, start.index, end.index, replacement);
}

/** A value on one line, in the style of people: `{ enabled: false }` or `{ "enabled": false }`. */
export function valueText(value: Json, quotes: boolean): string {
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each, quotes)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => propertyText(key, each, quotes))
    .join(', ')} }`;
}

/** A property, with quotes around its key if it needs them or if all keys have them. */
export function propertyText(key: string, value: Json, quotes: boolean): string {
  const name = quotes || !/^[A-Za-z_$][\w$]*$/.test(key) ? JSON.stringify(key) : key;
  return `${name}: ${valueText(value, quotes)}`;
}

/** Whether all keys of an object are quoted. Those of an empty object have to be, since JSON needs it. */
export function quotesKeys(object: JsonObjectNode): boolean {
  return !object.properties.some(({ key }) => key instanceof JsonIdentifierNode);
}

/** Adds a property or element after the last one, on a line of its own if the others have one. @param entry JSON5 text */
export function insertNode(text: string, container: JsonObjectNode | JsonArrayNode, entry: string): string {
  const entries = entriesOf(container);
  const open = container.location.start.index;
  const last = entries.at(-1);
  if (last === undefined) {
    const close = container.location.end.index - 1;
    const inside = text.slice(open + 1, close);
    const line = /\r?\n/.exec(inside)?.[0];
    // An empty object on several lines has the indentation of its closing bracket, and one level more.
    const unit = /^[ \t]+/m.exec(text)?.[0] ?? '  ';
    const space = inside === '' ? '' : ' ';
    const before = line === undefined ? space : `${line}${indentAt(text, close)}${unit}`;
    return splice(text, open + 1, open + 1, before + entry);
  }
  const first = entries[0] ?? last;
  const end = last.location.end.index;
  const comma = endOfMatch(INSIGNIFICANT, text, end);
  const hasComma = text[comma] === ',';
  // Comments on the same line belong to the entry before them.
  const after = endOfMatch(REST_OF_LINE, text, hasComma ? comma + 1 : end);
  const line = /\r?\n/.exec(text.slice(open, first.location.start.index))?.[0];
  const endsInLineComment = text.slice(end, after).includes('//');
  const newLine = line ?? (endsInLineComment ? (/\r?\n/.exec(text)?.[0] ?? '\n') : undefined);
  const before = newLine === undefined ? ' ' : `${newLine}${indentAt(text, last.location.start.index)}`;
  const added = splice(text, after, after, `${before}${entry}${hasComma ? ',' : ''}`);
  return hasComma ? added : splice(added, end, end, ',');
}

/** The inverse of `insertNode`. Comments stay. */
export function removeNode(text: string, container: JsonObjectNode | JsonArrayNode, entry: JsonNode): string {
  const entries = entriesOf(container);
  const { start, end } = entry.location;
  const previous = entries[entries.indexOf(entry) - 1];
  const comma = endOfMatch(INSIGNIFICANT, text, end.index);
  // The comma after the entry goes with it, or the one before the last entry.
  const removedComma =
    text[comma] === ',' ? comma : previous && endOfMatch(INSIGNIFICANT, text, previous.location.end.index);
  const without = (from: number): string => {
    const cuts = [[from, end.index] as const];
    if (removedComma !== undefined) cuts.push([removedComma, removedComma + 1]);
    return cuts
      .toSorted(([a], [b]) => b - a)
      .reduce((rest, [first, last]) => splice(rest, first, last, ''), text);
  };
  const trimmed = without(text.slice(0, start.index).trimEnd().length);
  // A line comment before the entry must not reach what follows it.
  return isJson5(trimmed) ? trimmed : without(start.index);
}

function entriesOf(container: JsonObjectNode | JsonArrayNode): readonly JsonNode[] {
  return container instanceof JsonArrayNode ? container.elements : container.properties;
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

function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** The white space at the start of the line of a position. */
function indentAt(text: string, index: number): string {
  const start = Math.max(text.lastIndexOf('\n', index - 1), text.lastIndexOf('\r', index - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, index))?.[0] ?? '';
}
