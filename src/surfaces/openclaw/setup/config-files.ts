import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { JsonArrayNode, JsonObjectNode, JsonParser, type JsonValueNode } from '@croct/json5-parser';
import { maskSecret } from '../../../config/secrets.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import { unreadableError } from '../../../core/fs/file-errors.ts';
import { valueAt } from '../../../core/json-path.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/types.ts';

/** The key of an object that names a file with its contents. */
const INCLUDE = '$include';
/** A change of one key. */
export interface KeyChange {
  readonly file: string;
  /** Within the configuration: `plugins.slots.memory`. */
  readonly key: string;
  /** The value; of a list that had others, the element that was added. Without secrets. */
  readonly value: Json;
}

interface ConfigFile {
  /** As it is on disk. */
  readonly original: string;
  /** With the changes. */
  readonly text: string;
  readonly object: JsonObjectNode;
}

/**
 * `openclaw.json` and the files that it includes, with the changes that were made so far in memory. A change replaces a value in the text, or
 * adds an entry at the start of an object or list: everything else stays as it is.
 */
export class ConfigFiles {
  readonly root: string;
  readonly changes: KeyChange[] = [];
  readonly #files = new Map<string, ConfigFile>();

  private constructor(root: string) {
    this.root = root;
  }

  /** @throws LociError `unreadable`, `invalid_config` */
  static async load(root: string): Promise<ConfigFiles> {
    const files = new ConfigFiles(root);
    await files.#load(root, []);
    return files;
  }

  /** @param including the files on the way to this one */
  async #load(file: string, including: readonly string[]): Promise<void> {
    const path = [...including, file];
    if (including.includes(file))
      throw new LociError(
        'invalid_config',
        `files include each other: ${path.slice(path.indexOf(file)).join(' includes ')}`,
        { hint: `Remove one of these $include. Nothing was changed.` },
      );
    if (this.#files.has(file)) return;
    const text = await readText(file);
    const object = parseJson5(text, file);
    this.#files.set(file, { original: text, text, object });
    for (const included of includesIn(object.toJSON() as Json, file)) await this.#load(included, path);
  }

  /** The text with the changes. */
  text(file: string): string {
    return this.#files.get(file)!.text;
  }

  /** The text as it is on disk. */
  originalText(file: string): string {
    return this.#files.get(file)!.original;
  }

  changedFiles(): string[] {
    return [...new Set(this.changes.map(({ file }) => file))];
  }

  /** The whole configuration with the changes and the contents of all included files, as OpenClaw merges them. */
  values(): JsonMap {
    return merged(this.root, (file) => this.#files.get(file)!.object.toJSON() as Json);
  }

  /** Sets a key in the file that has it, or in which it belongs. @throws LociError `invalid_config` that says what to set where */
  set(path: readonly string[], value: Json): void {
    const { file, object, rest } = this.#locate(path, value);
    const [name = '', ...below] = rest;
    const nested = below.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
    const text = this.text(file);
    this.#change(
      file,
      object.has(name)
        ? withValue(text, object.get(name), nested)
        : withEntry(text, object, [`${JSON.stringify(name)}: `, nested]),
    );
    this.#noteChange(file, path, value, isDeepStrictEqual(valueAt(this.values(), path), value));
  }

  /** Adds an element to an existing list. @param replaced the element whose place it takes */
  append(path: readonly string[], element: string, replaced: string | null = null): void {
    const { file, object, rest } = this.#locate(path, element);
    const [name = ''] = rest;
    const list = object.has(name) ? object.get(name) : null;
    if (!(list instanceof JsonArrayNode)) throw cannotPlace(path, element, file);
    const old = list.elements.findLast((each) => replaced !== null && each.toJSON() === replaced);
    const text = this.text(file);
    this.#change(
      file,
      old === undefined ? withEntry(text, list, ['', element]) : withValue(text, old, element),
    );
    this.#noteChange(file, path, element, listAt(this.values(), path).includes(element));
  }

  #change(file: string, text: string): void {
    this.#files.set(file, { original: this.originalText(file), text, object: parseJson5(text, file) });
  }

  /** @throws LociError `invalid_config` where the change has no effect, as that of a key that the file has twice */
  #noteChange(file: string, path: readonly string[], value: Json, isInForce: boolean): void {
    if (!isInForce) throw cannotPlace(path, value, file);
    const key = path.join('.');
    this.changes.push({ file, key, value: maskSecret(key, value) });
  }

  /** The innermost object that exists on the way to a key, with the keys below it. */
  #locate(path: readonly string[], value: Json): Place {
    let file = this.root;
    let { object } = this.#files.get(file)!;
    let index = 0;
    for (;;) {
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
      ({ object } = this.#files.get(file)!);
    }
    return { file, object, rest: path.slice(index) };
  }
}

function withValue(text: string, { location }: JsonValueNode, value: Json): string {
  return text.slice(0, location.start.index) + JSON.stringify(value) + text.slice(location.end.index);
}

/** Adds an entry at the start, on a line of its own if the first one has one. */
function withEntry(
  text: string,
  container: JsonObjectNode | JsonArrayNode,
  [key, value]: readonly [key: string, value: Json],
): string {
  const start = container.location.start.index + 1;
  const entries = container instanceof JsonObjectNode ? container.properties : container.elements;
  const [first] = entries;
  const indentation = LINE_START.exec(text.slice(start, first?.location.start.index ?? start))?.[0];
  const unit = indentation?.includes('\t') === true ? '\t' : 2;
  const entry =
    indentation === undefined
      ? key + JSON.stringify(value)
      : indentation + key + JSON.stringify(value, null, unit).replaceAll('\n', indentation);
  const separator = first === undefined ? '' : indentation === undefined ? ', ' : ',';
  return text.slice(0, start) + entry + separator + text.slice(start);
}

/** The end of a line, and the indentation of the next entry. */
const LINE_START = /\r?\n[ \t]*$/;

interface Place {
  readonly file: string;
  readonly object: JsonObjectNode;
  /** The keys from the object on. */
  readonly rest: readonly string[];
}

/** @throws LociError `invalid_config` that names the file, if it is not a JSON5 object */
function parseJson5(text: string, file: string): JsonObjectNode {
  try {
    const object = JsonParser.parse(text, JsonObjectNode);
    // An object that is nested too deeply cannot be read.
    includesIn(object.toJSON() as Json, file);
    return object;
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    const hint = 'Correct the file; `openclaw config validate` checks it.';
    throw new LociError('invalid_config', `${file} is not a JSON5 object: ${reason}`, { hint, cause: error });
  }
}

/** The list at a path; an empty one if there is none. */
export function listAt(values: JsonMap, path: readonly string[]): readonly Json[] {
  const list = valueAt(values, path);
  return Array.isArray(list) ? list : [];
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

function merged(file: string, valuesOf: (file: string) => Json): JsonMap {
  const known = new Map<string, Json>();
  const valueOf = (each: string): Json => {
    const value = known.get(each) ?? resolveIncludes(valuesOf(each), each);
    known.set(each, value);
    return value;
  };
  const resolveIncludes = (value: Json, from: string): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => resolveIncludes(each, from));
    const { [INCLUDE]: include, ...siblings } = value;
    const own = Object.entries(siblings).map(([key, each]) => [key, resolveIncludes(each, from)]);
    return includePaths(include, from)
      .map((each) => valueOf(each))
      .concat(Object.fromEntries(own) as JsonMap)
      .reduce(mergeDeep);
  };
  return valueOf(file) as JsonMap;
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
