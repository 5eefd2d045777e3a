import { isCollection, isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { LociError, messageOf } from '../core/errors.ts';
import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';
import type { KeyPath } from '../core/json-path.ts';

/** A parsed `loci.yaml`, with its lines and comments. */
export interface ConfigDocument {
  readonly yaml: Document;
  /** Its content, without the keys that have no value. */
  readonly raw: JsonMap;
  /** The line, from 1, of the deepest part of the path that the file holds. */
  lineOf(path: KeyPath): number;
}

/**
 * Reads YAML, and JSON with comments as other programs have it.
 * @throws LociError `invalid_config` with file and line if the text is not YAML, or not a map of keys
 */
export function parseConfig(text: string, file: string): ConfigDocument {
  const lines = new LineCounter();
  const yaml = parseYaml(withYamlComments(text), file, lines);
  const invalid = (problem: string): LociError => new LociError('invalid_config', `${file}: ${problem}`);
  let content: unknown;
  try {
    content = yaml.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = messageOf(error);
    const isAlias = message.startsWith('Unresolved alias');
    throw invalid(isAlias ? `${message}; text that begins with * must be in quotes` : message);
  }
  const raw = content === null || content === undefined ? {} : plainCopy(content);
  if (raw === undefined) throw invalid('an alias refers to a value that contains it');
  if (!isJsonMap(raw)) throw invalid('expected a map of keys, such as `namespace: default`');
  return { yaml, raw, lineOf: (path) => lineOf(yaml, lines, path) };
}

/** JSON, or a key in quotes, after comments. */
const JSON_WITH_COMMENTS = /^(?:\s|(?:\/\/|#).*\n)*["{]/;
const JSON_TOKEN = /"(?:\\.|[^"\\\n])*"|\/\/.*/g;

/** JSON with the comments of YAML, each at the same place: ` #` for `//`. Other text is not changed. */
function withYamlComments(text: string): string {
  if (!JSON_WITH_COMMENTS.test(text)) return text;
  return text.replaceAll(JSON_TOKEN, (token) => (token.startsWith('//') ? ` #${token.slice(2)}` : token));
}

const INVALID_YAML_HINT = 'Correct it there, or move loci.yaml away to use the defaults.';

/** Explanations of common mistakes, without the terms of the YAML specification. */
const YAML_MISTAKES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'lines must be indented with spaces, not with tabs',
  BAD_INDENT: 'this line is not indented like the others of its section, or a bracket above is not closed',
  DUPLICATE_KEY: 'this key occurs twice in the same section',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing here or above',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or a quote above is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'there are two keys on one line, or text with a colon is not in quotes',
  BAD_SCALAR_START: 'text that begins with this character must be in quotes',
  BAD_DQ_ESCAPE: 'a backslash in double quotes must be written twice; in single quotes, once',
};

function parseYaml(text: string, file: string, lineCounter: LineCounter): Document {
  let yaml: Document;
  try {
    yaml = parseDocument(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    // Thousands of nested brackets exhaust the parser's stack.
    throw new LociError('invalid_config', `${file}: this cannot be read as YAML: ${messageOf(error)}`, {
      hint: INVALID_YAML_HINT,
    });
  }
  const [error] = yaml.errors;
  if (error === undefined) return yaml;
  const { line, col } = lineCounter.linePos(error.pos[0]);
  const problem = YAML_MISTAKES[error.code] ?? error.message;
  throw new LociError(
    'invalid_config',
    `${file}:${String(line)}:${String(col)}: this is not YAML: ${problem}`,
    {
      hint: INVALID_YAML_HINT,
    },
  );
}

/** A copy without the keys that have no value; `undefined` if a value contains itself, as an alias can make it do. */
export function plainCopy(value: unknown, ancestors: readonly unknown[] = []): Json | undefined {
  if (typeof value !== 'object' || value === null) return value as Json;
  if (ancestors.includes(value)) return undefined;
  const path = [...ancestors, value];
  if (Array.isArray(value)) {
    const items = value.map((item) => plainCopy(item, path));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue;
    const copy = plainCopy(item, path);
    if (copy === undefined) return undefined;
    entries.push([key, copy]);
  }
  return Object.fromEntries(entries);
}

function lineOf(yaml: Document, lines: LineCounter, path: KeyPath): number {
  let node: unknown = yaml.contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isCollection(node)) {
      node = node.get(step, true);
      if (node === undefined) break;
      if (isCollection(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}
