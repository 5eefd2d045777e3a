import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { Json, Metadata } from '../../core/types.ts';

export interface FrontMatter {
  /** Its fields as plain JSON; of broken YAML, what could be read. */
  readonly fields: Metadata;
  /** What is wrong with it and what that means, for its owner. Lines count from the opening `---`. */
  readonly problem: string | null;
}

/** More values than any note needs, and few enough that an alias that multiplies itself costs nothing. */
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
 * Reads YAML 1.2 (dates stay strings). Never throws. Values beyond the limits (2,000 values, 100 aliases, 8
 * levels) are left out and named in `problem`; strings are cut at 2,000 UTF-16 units.
 */
export function parseFrontMatter(yaml: string): FrontMatter {
  const document = parseDocument(yaml, { prettyErrors: true, logLevel: 'silent', uniqueKeys: false });
  const broken = faultOf(document);
  if (document.contents === null) return { fields: {}, problem: consequence({}, broken) };
  if (!isMap(document.contents))
    return { fields: {}, problem: consequence({}, broken ?? 'it is not a list of fields') };
  const budget: Budget = { document, values: MAX_VALUES, aliases: MAX_ALIASES, problems: new Set() };
  const fields = toJson(document.contents, budget, 0) as Metadata;
  const [first] = budget.problems;
  return { fields, problem: consequence(fields, broken ?? first ?? null) };
}

/** The first fault of the YAML, with its line in the file: one more than in the YAML, which begins behind `---`. */
function faultOf({ errors: [error] }: Document): string | null {
  if (error === undefined) return null;
  const what = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
  const line = error.linePos?.[0].line;
  return line === undefined ? what : `line ${String(line + 1)} of the file: ${what}`;
}

/** What a fault means for the note, then the fault. */
function consequence(fields: Metadata, fault: string | null): string | null {
  if (fault === null) return null;
  return Object.keys(fields).length === 0
    ? `read without its front matter, and so without the tags and properties there; ${fault}`
    : `read with a part of its front matter, so tags and properties may be wrong; ${fault}`;
}

/** Walks the parsed nodes rather than calling `toJS`, whose cost a nested key or alias can multiply without end. */
function toJson(node: unknown, budget: Budget, depth: number): Json {
  if (budget.values-- <= 0) return without(budget, `it holds more than ${String(MAX_VALUES)} values`);
  if (depth > MAX_DEPTH) return without(budget, `it is nested deeper than ${String(MAX_DEPTH)} levels`);
  if (isScalar(node)) return scalar(node.value);
  if (isAlias(node)) {
    if (budget.aliases-- <= 0) return without(budget, `it holds more than ${String(MAX_ALIASES)} aliases`);
    const named = node.resolve(budget.document);
    return named === undefined
      ? without(budget, `*${node.source} names nothing`)
      : toJson(named, budget, depth + 1);
  }
  if (isSeq(node)) return node.items.slice(0, MAX_VALUES).map((item) => toJson(item, budget, depth + 1));
  if (!isMap(node)) return null;
  const pairs = node.items.slice(0, MAX_VALUES).flatMap(({ key, value }): [string, Json][] => {
    const name = isScalar(key) ? scalar(key.value) : null;
    return name === null ? [] : [[String(name), toJson(value, budget, depth + 1)]];
  });
  // Defines own fields even for a key such as `__proto__`.
  return Object.fromEntries(pairs);
}

function without(budget: Budget, problem: string): null {
  budget.problems.add(problem);
  return null;
}

function scalar(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return value.slice(0, MAX_STRING).toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' ? value : null;
}
