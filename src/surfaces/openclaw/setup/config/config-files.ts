import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { JsonArrayNode, JsonObjectNode, type JsonPropertyNode } from '@croct/json5-parser';
import { LociError } from '../../../../core/errors.ts';
import { unreadableError } from '../../../../core/fs/file-errors.ts';
import { isJsonMap, type JsonMap } from '../../../../core/json.ts';
import type { Json } from '../../../../core/types.ts';
import {
  insertNode,
  elementOf,
  parseJson5,
  propertyOf,
  propertyText,
  quotesKeys,
  removeNode,
  replaceNode,
  nodeText,
  valueText,
} from './json5-text.ts';

/** The key of an object that names a file with its contents. */
const INCLUDE = '$include';
/** OpenClaw follows no more files. */
const MAX_DEPTH = 10;
/** Files that include each other are not followed for ever. */
const MAX_NESTING = 100;

/** A change of one key, with what it takes to revert it. */
export const keyChange = z.strictObject({
  file: z.string(),
  /** Within the file, which differs from the path in the configuration where the file is included. */
  path: z.array(z.string()),
  /** The text of the previous value; `null` if the key was missing. */
  previous: z.string().nullable(),
  /** How many keys of the path existed before. */
  existing: z.number(),
  value: z.json(),
  /** Whether the value is an element of the list at the path, in place of the previous one if there was one. */
  isElement: z.boolean(),
});
export type KeyChange = z.infer<typeof keyChange>;

/** `openclaw.json` and the files that it includes, with the changes that were made so far in memory. */
export class ConfigFiles {
  readonly root: string;
  /** The texts as they are on disk now. */
  readonly original: ReadonlyMap<string, string>;
  readonly #texts: Map<string, string>;
  readonly changes: KeyChange[] = [];

  private constructor(root: string, texts: ReadonlyMap<string, string>) {
    this.root = root;
    this.original = texts;
    this.#texts = new Map(texts);
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
    return this.#texts.get(file) ?? '';
  }

  originalText(file: string): string {
    return this.original.get(file) ?? '';
  }

  changedFiles(): string[] {
    return [...this.original.keys()].filter((file) => this.text(file) !== this.originalText(file));
  }

  /** The whole configuration with the changes and the contents of all included files, as OpenClaw merges them. */
  values(): JsonMap {
    return merged(this.root, this.#texts);
  }

  /** The whole configuration as it is on disk. */
  originalValues(): JsonMap {
    return merged(this.root, this.original);
  }

  /** Sets a key in the file that has it, or in which it belongs. @throws LociError `invalid_config` that says what to set where */
  set(path: readonly string[], value: Json): void {
    const { file, object, rest, path: within } = this.#locate(path, value);
    const text = this.text(file);
    const [name = '', ...below] = rest;
    const quotes = quotesKeys(parseJson5(text, file)) && quotesKeys(object);
    const property = propertyOf(object, name);
    const change = { file, path: within, value, isElement: false };
    if (property !== undefined) {
      const previous = nodeText(text, property.value);
      const replacement = valueText(value, quotes);
      if (previous === replacement) return;
      const changed = replaceNode(text, property.value, replacement);
      this.#change({ ...change, previous, existing: within.length }, changed);
      return;
    }
    const nested = below.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
    const changed = insertNode(text, object, propertyText(name, nested, quotes));
    this.#change({ ...change, previous: null, existing: within.length - rest.length }, changed);
  }

  /** Adds an element to an existing list. @param replaced the element whose place it takes */
  append(path: readonly string[], element: string, replaced: string | null = null): void {
    const { file, object, rest, path: within } = this.#locate(path, element);
    const list = propertyOf(object, rest[0] ?? '')?.value;
    if (!(list instanceof JsonArrayNode)) throw cannotPlace(path, element, file);
    const [text, added] = [this.text(file), JSON.stringify(element)];
    const old = replaced === null ? undefined : elementOf(list, replaced);
    const changed = old === undefined ? insertNode(text, list, added) : replaceNode(text, old, added);
    const previous = replaced === null ? null : JSON.stringify(replaced);
    const change = { file, path: within, value: element, isElement: true };
    this.#change({ ...change, previous, existing: within.length }, changed);
  }

  #change(change: KeyChange, text: string): void {
    this.#texts.set(change.file, text);
    this.changes.push(change);
  }

  /** The innermost object that exists on the way to a key, with the keys below it. */
  #locate(path: readonly string[], value: Json): Place {
    let file = this.root;
    let object = parseJson5(this.text(file), file);
    let start = 0;
    let index = 0;
    for (let hops = 0; hops < MAX_DEPTH;) {
      const name = path[index] ?? '';
      const found = propertyOf(object, name)?.value;
      if (found !== undefined && index === path.length - 1) break;
      if (found instanceof JsonObjectNode) {
        object = found;
        index++;
        continue;
      }
      const include = propertyOf(object, INCLUDE)?.value.toJSON();
      if (found !== undefined || Array.isArray(include)) throw cannotPlace(path, value, file);
      if (typeof include !== 'string') break;
      file = resolve(dirname(file), include);
      object = parseJson5(this.text(file), file);
      start = index;
      hops++;
    }
    return { file, object, rest: path.slice(index), path: path.slice(start) };
  }
}

/** The text without a change; `null` if somebody has changed the key since. */
export function revertChange(text: string, change: KeyChange): string | null {
  const { file, path, previous, value, isElement, existing } = change;
  const found = lookUp(text, file, path);
  if (found === null) return null;
  const { object, property } = found;
  if (isElement) {
    if (!(property.value instanceof JsonArrayNode)) return null;
    const element = elementOf(property.value, value);
    if (element === undefined) return text;
    return previous === null
      ? removeNode(text, property.value, element)
      : replaceNode(text, element, previous);
  }
  if (!isDeepStrictEqual(property.value.toJSON(), value)) return null;
  if (previous !== null) return replaceNode(text, property.value, previous);
  let reverted = removeNode(text, object, property);
  // Objects that setup had to make are removed again, unless they have something else by now.
  for (let length = path.length - 1; length > existing; length--) {
    const parent = lookUp(reverted, file, path.slice(0, length));
    const inside = parent?.property.value;
    const isEmpty = inside instanceof JsonObjectNode && nodeText(reverted, inside).slice(1, -1).trim() === '';
    if (parent === null || !isEmpty) break;
    reverted = removeNode(reverted, parent.object, parent.property);
  }
  return reverted;
}

function lookUp(
  text: string,
  file: string,
  path: readonly string[],
): { readonly object: JsonObjectNode; readonly property: JsonPropertyNode } | null {
  let object = parseJson5(text, file);
  for (const name of path.slice(0, -1)) {
    const inner = propertyOf(object, name)?.value;
    if (!(inner instanceof JsonObjectNode)) return null;
    object = inner;
  }
  const property = propertyOf(object, path.at(-1) ?? '');
  return property === undefined ? null : { object, property };
}

interface Place {
  readonly file: string;
  readonly object: JsonObjectNode;
  /** The keys from the object on. */
  readonly rest: readonly string[];
  readonly path: string[];
}

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

function merged(file: string, texts: ReadonlyMap<string, string>): JsonMap {
  const valueOf = (each: string, depth: number): Json =>
    resolveIncludes(parseJson5(texts.get(each) ?? '', each).toJSON() as Json, each, depth);
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
