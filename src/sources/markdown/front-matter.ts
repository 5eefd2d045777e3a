import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { Json, Metadata } from '../../core/types.ts';

interface FrontMatter {
  /** The fields as plain JSON; only those that could be read if the YAML is invalid. */
  readonly fields: Metadata;
  /** What is wrong and what follows from it, for the owner of the note. Lines count from the opening `---`. */
  readonly problem: string | null;
}

/** Notes need fewer values. The limit bounds the cost of aliases that multiply each other. */
const MAX_VALUES = 2000;
const MAX_ALIASES = 100;
const MAX_DEPTH = 8;
/** In UTF-16 units. */
const MAX_STRING = 2000;

interface Budget {
  readonly document: Document;
  values: number;
  aliases: number;
  readonly problems: Set<string>;
}

/**
 * Parses YAML 1.2; dates stay strings. Never throws. Values beyond the limits (2,000 values, 100 aliases, 8 levels) are left
 * out and mentioned in `problem`. Strings are truncated to 2,000 UTF-16 units.
 */
export function parseFrontMatter(yaml: string): FrontMatter {
  const document = parseDocument(yaml, { prettyErrors: true, logLevel: 'silent', uniqueKeys: false });
  const syntaxError = describeSyntaxError(document);
  if (document.contents === null) return { fields: {}, problem: describeProblem({}, syntaxError) };
  if (!isMap(document.contents))
    return { fields: {}, problem: describeProblem({}, syntaxError ?? 'it is not a list of fields') };
  const budget: Budget = { document, values: MAX_VALUES, aliases: MAX_ALIASES, problems: new Set() };
  const fields = toJson(document.contents, budget, 0) as Metadata;
  const [first] = budget.problems;
  return { fields, problem: describeProblem(fields, syntaxError ?? first ?? null) };
}

/** Describes the first syntax error, with its line in the file. The YAML begins on the second line, after `---`. */
function describeSyntaxError({ errors: [error] }: Document): string | null {
  if (error === undefined) return null;
  const message = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
  const line = error.linePos?.[0].line;
  return line === undefined ? message : `line ${String(line + 1)} of the file: ${message}`;
}

/** Says what an error means for the note, and then what it is. */
function describeProblem(fields: Metadata, error: string | null): string | null {
  if (error === null) return null;
  return Object.keys(fields).length === 0
    ? `read without its front matter, and so without the tags and properties there; ${error}`
    : `read with a part of its front matter, so tags and properties may be wrong; ${error}`;
}

/** Walks the parsed nodes instead of calling `toJS`, because nested keys and aliases can multiply the cost of that without limit. */
function toJson(node: unknown, budget: Budget, depth: number): Json {
  if (budget.values-- <= 0) return omit(budget, `it holds more than ${String(MAX_VALUES)} values`);
  if (depth > MAX_DEPTH) return omit(budget, `it is nested deeper than ${String(MAX_DEPTH)} levels`);
  if (isScalar(node)) return scalar(node.value);
  if (isAlias(node)) {
    if (budget.aliases-- <= 0) return omit(budget, `it holds more than ${String(MAX_ALIASES)} aliases`);
    const target = node.resolve(budget.document);
    return target === undefined
      ? omit(budget, `*${node.source} refers to nothing`)
      : toJson(target, budget, depth + 1);
  }
  if (isSeq(node)) return node.items.slice(0, MAX_VALUES).map((item) => toJson(item, budget, depth + 1));
  if (!isMap(node)) return null;
  const pairs = node.items.slice(0, MAX_VALUES).flatMap(({ key, value }): [string, Json][] => {
    const name = isScalar(key) ? scalar(key.value) : null;
    return name === null ? [] : [[String(name), toJson(value, budget, depth + 1)]];
  });
  // Makes an own property even for a key such as `__proto__`.
  return Object.fromEntries(pairs);
}

function omit(budget: Budget, problem: string): null {
  budget.problems.add(problem);
  return null;
}

function scalar(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return value.slice(0, MAX_STRING).toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' ? value : null;
}
