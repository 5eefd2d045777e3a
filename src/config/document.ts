import { isCollection, isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { LociError, messageOf } from '../core/errors.ts';
import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap, type PathStep } from './tree.ts';

/** A parsed `loci.yaml` that still knows its lines and comments. */
export interface ConfigDocument {
  readonly yaml: Document;
  /** What it says, keys without a value left out. */
  readonly raw: JsonMap;
  /** The line, from 1, of the deepest part of the path that the file holds. */
  lineOf(path: readonly PathStep[]): number;
}

/** @throws LociError `invalid_config` with file and line when the text is no YAML, or no map of keys. */
export function parseConfig(text: string, file: string): ConfigDocument {
  const lines = new LineCounter();
  const yaml = parseYaml(text, file, lines);
  const line = (path: readonly PathStep[]): number => lineOf(yaml, lines, path);
  const invalid = (what: string): LociError => new LociError('invalid_config', `${file}: ${what}`);
  let content: unknown;
  try {
    content = yaml.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const what = messageOf(error);
    throw invalid(
      what.startsWith('Unresolved alias') ? `${what}; text that begins with * must be in quotes` : what,
    );
  }
  const raw = content === null || content === undefined ? {} : plainCopy(content);
  if (raw === undefined) throw invalid('an alias stands inside what it names');
  if (!isJsonMap(raw)) throw invalid('expected a map of keys, such as `namespace: default`');
  return { yaml, raw, lineOf: line };
}

const BROKEN_HINT = 'Correct it there, or move loci.yaml away to go on with the defaults.';

/** The faults that people make, said without the words of the YAML specification. */
const YAML_WORDS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'lines are indented with spaces, never with tabs',
  BAD_INDENT:
    'this line is indented more or less than those that it belongs with, or a bracket above is not closed',
  DUPLICATE_KEY: 'this key stands twice in the same section',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing here or above',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or a quote above is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'two keys stand on one line, or text with a colon is not in quotes',
  BAD_SCALAR_START: 'text that begins with this sign must be in quotes',
  BAD_DQ_ESCAPE: 'a backslash within double quotes must be doubled; single quotes take it as it is',
};

function parseYaml(text: string, file: string, lineCounter: LineCounter): Document {
  let yaml: Document;
  try {
    yaml = parseDocument(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    // Brackets nested by the thousand exhaust the parser's stack.
    throw new LociError('invalid_config', `${file}: this cannot be read as YAML: ${messageOf(error)}`, {
      hint: BROKEN_HINT,
    });
  }
  const [error] = yaml.errors;
  if (error === undefined) return yaml;
  const { line, col } = lineCounter.linePos(error.pos[0]);
  const what = YAML_WORDS[error.code] ?? error.message;
  throw new LociError('invalid_config', `${file}:${String(line)}:${String(col)}: this is no YAML: ${what}`, {
    hint: BROKEN_HINT,
  });
}

/** A copy without the keys that have no value; `undefined` when a value holds itself, as an alias can make it. */
export function plainCopy(value: unknown, within: readonly unknown[] = []): Json | undefined {
  if (typeof value !== 'object' || value === null) return value as Json;
  if (within.includes(value)) return undefined;
  const deeper = [...within, value];
  if (Array.isArray(value)) {
    const items = value.map((item) => plainCopy(item, deeper));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue;
    const copy = plainCopy(item, deeper);
    if (copy === undefined) return undefined;
    entries.push([key, copy]);
  }
  return Object.fromEntries(entries);
}

function lineOf(yaml: Document, lines: LineCounter, path: readonly PathStep[]): number {
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
