import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { JsonArrayNode, JsonObjectNode, JsonParser } from '@croct/json5-parser';
import { LociError, messageOf } from '../../../core/errors.ts';
import { unreadableError } from '../../../core/fs/file-errors.ts';
import { valueAt } from '../../../core/json-path.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/types.ts';

/** The key of an object that names a file with its contents. */
const INCLUDE = '$include';
/** OpenClaw follows no more files. */
const MAX_DEPTH = 10;
/** Files that include each other are not followed for ever. */
const MAX_NESTING = 100;

/** A change of one key. */
export const keyChange = z.strictObject({
  file: z.string(),
  /** Within the configuration. */
  path: z.array(z.string()),
  /** The previous value, or the element that was replaced; `null` if there was none. */
  previous: z.json(),
  value: z.json(),
  /** Whether the value is an element of the list at the path. */
  isElement: z.boolean(),
});
export type KeyChange = z.infer<typeof keyChange>;

/**
 * `openclaw.json` and the files that it includes, with the changes that were made so far in memory. The parser changes single keys of
 * their text: comments, order, quotes and line ends of everything else stay.
 */
export class ConfigFiles {
  readonly root: string;
  /** The texts as they are on disk now. */
  readonly original: ReadonlyMap<string, string>;
  readonly #objects: ReadonlyMap<string, JsonObjectNode>;
  readonly #before: JsonMap;
  readonly changes: KeyChange[] = [];

  private constructor(root: string, texts: ReadonlyMap<string, string>) {
    this.root = root;
    this.original = texts;
    this.#objects = new Map([...texts].map(([file, text]) => [file, parseJson5(text, file)]));
    this.#before = this.values();
  }

  /** @throws LociError `unreadable`, `invalid_config` */
  static async load(root: string): Promise<ConfigFiles> {
    const texts = new Map<string, string>();
    const waiting = [root];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (texts.has(file)) continue;
      const text = await readText(file);
      texts.set(file, text);
      waiting.push(...includesIn(parseJson5(text, file).toJSON() as JsonMap, file));
    }
    return new ConfigFiles(root, texts);
  }

  /** The text with the changes. */
  text(file: string): string {
    const original = this.originalText(file);
    if (!this.changes.some((change) => change.file === file)) return original;
    const text = this.#objects.get(file)!.toString();
    // The parser ends the lines that it adds with a line feed alone.
    return original.includes('\r\n') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
  }

  originalText(file: string): string {
    return this.original.get(file) ?? '';
  }

  changedFiles(): string[] {
    return [...new Set(this.changes.map(({ file }) => file))];
  }

  /** The whole configuration with the changes and the contents of all included files, as OpenClaw merges them. */
  values(): JsonMap {
    return merged(this.root, this.#objects);
  }

  /** The whole configuration as it is on disk. */
  originalValues(): JsonMap {
    return this.#before;
  }

  /** Sets a key in the file that has it, or in which it belongs. @throws LociError `invalid_config` that says what to set where */
  set(path: readonly string[], value: Json): void {
    const previous = valueAt(this.values(), path) ?? null;
    const { file, object, rest } = this.#locate(path, value);
    const [name = '', ...below] = rest;
    object.set(
      name,
      below.reduceRight<Json>((inner, key) => ({ [key]: inner }), value),
    );
    this.#changed({ file, path: [...path], previous, value, isElement: false });
  }

  /** Adds an element to an existing list. @param replaced the element whose place it takes */
  append(path: readonly string[], element: string, replaced: string | null = null): void {
    const { file, object, rest } = this.#locate(path, element);
    const [name = ''] = rest;
    const list = object.has(name) ? object.get(name) : null;
    if (!(list instanceof JsonArrayNode)) throw cannotPlace(path, element, file);
    const at = list.elements.findLastIndex((each) => each.toJSON() === replaced);
    if (replaced === null || at === -1) list.push(element);
    else list.set(at, element);
    this.#changed({ file, path: [...path], previous: replaced, value: element, isElement: true });
  }

  /** @throws LociError `invalid_config` where the change has no effect, as that of a key that the file has twice */
  #changed(change: KeyChange): void {
    const { path, value, isElement, file } = change;
    const now = valueAt(this.values(), path);
    const isInForce = isElement ? Array.isArray(now) && now.includes(value) : isDeepStrictEqual(now, value);
    if (!isInForce) throw cannotPlace(path, value, file);
    this.changes.push(change);
  }

  /** The innermost object that exists on the way to a key, with the keys below it. */
  #locate(path: readonly string[], value: Json): Place {
    let file = this.root;
    let object = this.#objects.get(file)!;
    let index = 0;
    for (let hops = 0; hops < MAX_DEPTH;) {
      const name = path[index] ?? '';
      const found = object.has(name) ? object.get(name) : undefined;
      if (found !== undefined && index === path.length - 1) break;
      if (found instanceof JsonObjectNode) {
        object = found;
        index++;
        continue;
      }
      const include = object.has(INCLUDE) ? object.get(INCLUDE).toJSON() : undefined;
      if (found !== undefined || Array.isArray(include)) throw cannotPlace(path, value, file);
      if (typeof include !== 'string') break;
      file = resolve(dirname(file), include);
      object = this.#objects.get(file)!;
      hops++;
    }
    return { file, object, rest: path.slice(index) };
  }
}

interface Place {
  readonly file: string;
  readonly object: JsonObjectNode;
  /** The keys from the object on. */
  readonly rest: readonly string[];
}

/** @throws LociError `invalid_config` that names the file, if it is not a JSON5 object */
function parseJson5(text: string, file: string): JsonObjectNode {
  assertParsable(text, file);
  try {
    return JsonParser.parse(text, JsonObjectNode);
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    const hint = 'Correct the file; `openclaw config validate` checks it.';
    throw new LociError('invalid_config', `${file} is not a JSON5 object: ${reason}`, { hint, cause: error });
  }
}

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

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadableError(file, error);
  });
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return text;
  throw new LociError('invalid_config', `${file} is not UTF-8 text`, {
    hint: 'Save it as UTF-8. Nothing was changed.',
  });
}

function cannotPlace(path: readonly string[], value: Json, file: string): LociError {
  const key = path.join('.');
  return new LociError(
    'invalid_config',
    `it is not clear which file has to set ${key} (${file} includes several, or has another kind of value there)`,
    {
      hint: `Set ${key} to ${JSON.stringify(value)} yourself, then run \`loci openclaw setup\` again.`,
    },
  );
}

function merged(file: string, objects: ReadonlyMap<string, JsonObjectNode>): JsonMap {
  const valueOf = (each: string, depth: number): Json =>
    resolveIncludes(objects.get(each)!.toJSON() as Json, each, depth);
  const resolveIncludes = (value: Json, from: string, depth: number): Json => {
    if (depth > MAX_NESTING || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => resolveIncludes(each, from, depth + 1));
    const { [INCLUDE]: include, ...siblings } = value;
    const own = Object.entries(siblings).map(([key, each]) => [key, resolveIncludes(each, from, depth + 1)]);
    return includePaths(include, from)
      .map((each) => valueOf(each, depth + 1))
      .concat(Object.fromEntries(own) as JsonMap)
      .reduce(mergeDeep);
  };
  return valueOf(file, 0) as JsonMap;
}

/** The files that any object of a file includes. */
function includesIn(value: Json, file: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => includesIn(each, file));
  const below = Object.values(value).flatMap((each) => includesIn(each, file));
  return [...includePaths(value[INCLUDE], file), ...below];
}

function includePaths(include: Json | undefined, file: string): string[] {
  const names = Array.isArray(include) ? include : [include];
  return names.flatMap((name) => (typeof name === 'string' ? [resolve(dirname(file), name)] : []));
}

/** Later values replace earlier ones; objects are merged, and lists are joined. */
function mergeDeep(a: Json, b: Json): Json {
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (!isJsonMap(a) || !isJsonMap(b)) return b;
  const merged: JsonMap = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const earlier = merged[key];
    merged[key] = earlier === undefined ? value : mergeDeep(earlier, value);
  }
  return merged;
}
