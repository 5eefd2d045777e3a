import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Alias, Document, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { exactNumber } from '../../core/json.ts';
import type { Json, Metadata } from '../../core/types.ts';

interface FrontMatter {
  /** The fields as plain JSON; only those that could be read if the YAML is invalid. */
  readonly fields: Metadata;
  /** What is wrong and what follows from it, for the owner of the note. */
  readonly problem: string | null;
}

/** Notes need fewer values. The limit bounds the cost of aliases that multiply each other. */
const MAX_VALUES = 2000;
const MAX_ALIASES = 100;
const MAX_DEPTH = 8;
/** The parser needs the stack for each, and overflows it for each property again. It is more than `MAX_DEPTH`, because text has brackets too. */
const MAX_OPEN_BRACKETS = 50;
/** In UTF-16 units. */
const MAX_STRING = 2000;

interface Budget {
  readonly document: Document;
  /** What each alias stands for, once one is read. */
  targets: ReadonlyMap<Alias, Node | undefined> | null;
  values: number;
  aliases: number;
  readonly problems: Set<string>;
}

interface Options {
  /** The line of the file on which the YAML begins. */
  readonly firstLine?: number;
  readonly isToml?: boolean;
  /** Whether the values of a property are names. `1.10` and `true` are then texts. */
  readonly isName?: (property: string) => boolean;
}

/**
 * Parses YAML 1.2; dates stay strings. Never throws. A field that is no YAML is read as text, and the others as if it were not there.
 * Values beyond the limits (2,000 values, 100 aliases, 8 levels) are left out and mentioned in `problem`. Strings are truncated to 2,000
 * UTF-16 units. Text with more than 50 open or unopened brackets is not parsed, and faults of more than 500 properties are not corrected.
 */
export function parseFrontMatter(text: string, options: Options = {}): FrontMatter {
  const { firstLine = 2, isToml = false, isName = () => false } = options;
  if (hasManyUnpaired(text)) {
    const problem = `more than ${String(MAX_OPEN_BRACKETS)} brackets are open at once, or closed without an opening one`;
    return { fields: {}, problem: describeProblem({}, problem) };
  }
  const yaml = isToml ? yamlOfToml(text) : text;
  const given = parse(yaml);
  const corrected = given.errors.length === 0 ? null : correctFields(yaml, firstLine);
  const document = corrected?.document ?? given;
  const syntaxError = corrected?.error ?? describeSyntaxError(document, yaml, firstLine);
  if (document.contents === null) return { fields: {}, problem: describeProblem({}, syntaxError) };
  if (!isMap(document.contents))
    return { fields: {}, problem: describeProblem({}, syntaxError ?? 'it is not a list of fields') };
  const budget = budgetOf(document);
  const fields = mapToJson(document.contents, budget, 0, isName);
  const [first] = budget.problems;
  return { fields, problem: describeProblem(fields, syntaxError ?? first ?? null) };
}

/** TOML as YAML, line by line, which is right for all but texts of several lines and lists of tables. */
function yamlOfToml(toml: string): string {
  let indent = '';
  return toml
    .split(/\r?\n/)
    .map((line) => {
      const [, table] = /^\s*\[+([^[\]]+)\]+\s*$/.exec(line) ?? [];
      if (table !== undefined) indent = '  ';
      const [, key, value] = /^\s*("[^"]*"|'[^']*'|[\w.-]+)[ \t]*=[ \t]*(\S.*)$/.exec(line) ?? [];
      if (key !== undefined) return `${indent}${key}: ${value!}`;
      return table === undefined ? `${indent}  ${line}` : `${table.trim()}:`;
    })
    .join('\n');
}

/** Brackets within texts and comments count too: people do not leave so many open. */
function hasManyUnpaired(yaml: string): boolean {
  let open = 0;
  for (const [bracket] of yaml.matchAll(/[[\]{}]/g)) {
    open += '[{'.includes(bracket) ? 1 : -1;
    if (Math.abs(open) > MAX_OPEN_BRACKETS) return true;
  }
  return false;
}

/** The parser makes an error for each fault, up to one a character. Their stack traces would take nine tenths of the time. */
function parse(yaml: string): Document {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return parseDocument(yaml, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

function budgetOf(document: Document): Budget {
  return { document, targets: null, values: MAX_VALUES, aliases: MAX_ALIASES, problems: new Set() };
}

/** Describes the first syntax error, with its line in the file. */
function describeSyntaxError({ errors: [error] }: Document, yaml: string, firstLine: number): string | null {
  if (error === undefined) return null;
  const line = yaml.slice(0, error.pos[0]).split('\n').length + firstLine - 1;
  return `line ${String(line)} of the file: ${error.message}`;
}

/** Says what an error means for the note, and then what it is. */
function describeProblem(fields: Metadata, error: string | null): string | null {
  if (error === null) return null;
  return Object.keys(fields).length === 0
    ? `read without its front matter, and so without the tags and properties there; ${error}`
    : `read with a part of its front matter as text, so tags and properties may be wrong; ${error}`;
}

/** A property with the lines of its value; without a name for a line that belongs to none. */
interface Field {
  readonly name: string | null;
  readonly lines: string[];
  /** The line of the file. */
  readonly line: number;
}

const FIELD = /^((?:"[^"]*"|'[^']*')[ \t]*|[^\s#\-"'[\]{}|>].*?):(?=\s|$)/;
/** Lines that continue the value of the property above: indented, empty, a comment, an item of a list, or the end of a list. */
const CONTINUATION = /^(?:\s|$|#|-(?:\s|$)|[\]}])/;
/** The property whose values are the lines that belong to no property. */
const UNREAD = 'unread lines';
/** Each is parsed by itself. */
const MAX_CORRECTED_FIELDS = 500;
/** Errors of a list whose end is missing, or whose lines are not indented. The parsed part is right. */
const MISSING_END: ReadonlySet<string> = new Set(['MISSING_CHAR', 'BAD_INDENT']);
const MAX_NAMED_LINES = 5;

/** Parses each property by itself, then all together, those that are no YAML as text. `null` if there are no properties. */
function correctFields(yaml: string, firstLine: number): { document: Document; error: string } | null {
  const fields = splitFields(yaml, firstLine);
  if (fields.length > MAX_CORRECTED_FIELDS || !fields.some(({ name }) => name !== null)) return null;
  const [unread, faulty, kept]: [string[], Field[], string[]] = [[], [], []];
  let message = 'it belongs to no property';
  for (const field of fields) {
    const alone = field.name === null ? null : parse(field.lines.join('\n'));
    const error = alone?.errors[0];
    if (error !== undefined && faulty.length === 0) message = error.message;
    if (error !== undefined || alone === null) faulty.push(field);
    if (alone === null) unread.push(...field.lines);
    else if (error === undefined) kept.push(...field.lines);
    else kept.push(`${field.name!}: ${correctedValue(field, alone)}`);
  }
  if (unread.length > 0) kept.push(`${UNREAD}: ${JSON.stringify(unread)}`);
  const lines = faulty.map(({ line }) => String(line));
  const named =
    lines.slice(0, MAX_NAMED_LINES).join(', ') + (lines.length > MAX_NAMED_LINES ? ' and others' : '');
  const document = parse(kept.join('\n'));
  const error = `${lines.length === 1 ? 'line' : 'lines'} ${named} of the file: ${message}`;
  return faulty.length === 0 || document.errors.length > 0 ? null : { document, error };
}

function splitFields(yaml: string, firstLine: number): Field[] {
  const fields: Field[] = [];
  const lines = yaml.split(/\r?\n/);
  const indent = /^[ \t]*/.exec(lines.find((line) => FIELD.test(line.trimStart())) ?? '')![0];
  for (const [index, raw] of lines.entries()) {
    const line = raw.startsWith(indent) ? raw.slice(indent.length) : raw.trimStart();
    const name = FIELD.exec(line)?.[1] ?? null;
    const last = fields.at(-1);
    if (name === null && last !== undefined && (CONTINUATION.test(line) || isOpenList(last)))
      last.lines.push(line);
    else if (name !== null || !/^(?:\s*$|#)/.test(line))
      fields.push({ name, lines: [line], line: index + firstLine });
  }
  return fields;
}

function isOpenList({ lines }: Field): boolean {
  return /^[^:]*:\s*\[/.test(lines[0]!) && !lines.at(-1)!.includes(']');
}

/** The value of a property that is no YAML, as JSON: a list with tabs or without its end, or else text. */
function correctedValue({ name, lines }: Field, faulty: Document): string {
  const yaml = lines.join('\n');
  const spaced = yaml.replaceAll(/^[ \t]+/gm, (space) => space.replaceAll('\t', '  '));
  const document = spaced === yaml ? faulty : parse(spaced);
  if (isMap(document.contents) && document.errors.every(({ code }) => MISSING_END.has(code))) {
    const [value] = Object.values(mapToJson(document.contents, budgetOf(document), 0, () => true));
    if (typeof value === 'object' && !yaml.includes('#')) return JSON.stringify(value);
  }
  const line = yaml
    .slice(name!.length + 1)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return JSON.stringify(/^(?:"[^"]*|'[^']*)$/.test(line) ? line.slice(1) : line);
}

/** Walks the parsed nodes instead of calling `toJS`, because nested keys and aliases can multiply the cost of that without limit. */
function toJson(node: unknown, budget: Budget, depth: number, asText: boolean): Json {
  if (budget.values-- <= 0) return omit(budget, `it holds more than ${String(MAX_VALUES)} values`);
  if (depth > MAX_DEPTH) return omit(budget, `it is nested deeper than ${String(MAX_DEPTH)} levels`);
  if (isScalar(node)) return (asText ? emptyAsText(node, false) : null) ?? scalar(node, asText);
  if (isAlias(node)) {
    if (budget.aliases-- <= 0) return omit(budget, `it holds more than ${String(MAX_ALIASES)} aliases`);
    budget.targets ??= aliasTargets(budget.document);
    const target = budget.targets.get(node);
    if (target !== undefined) return toJson(target, budget, depth + 1, asText);
    omit(budget, `*${node.source} refers to nothing`);
    return `*${node.source}`;
  }
  if (isSeq(node))
    return (
      unquotedLink(node) ??
      node.items
        .slice(0, MAX_VALUES)
        .map((item) => (asText ? emptyAsText(item, true) : null) ?? toJson(item, budget, depth + 1, asText))
    );
  return isMap(node) ? mapToJson(node, budget, depth, () => asText) : null;
}

/** The last node before each alias that has its anchor. `resolve` of an alias walks through the whole document. */
function aliasTargets(document: Document): Map<Alias, Node | undefined> {
  const [anchors, targets] = [new Map<string, Node>(), new Map<Alias, Node | undefined>()];
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function mapToJson(
  { items }: YAMLMap,
  budget: Budget,
  depth: number,
  isName: (property: string) => boolean,
): Metadata {
  const pairs = items.slice(0, MAX_VALUES + 1).flatMap(({ key, value }): [string, Json][] => {
    const name = isScalar(key) ? scalar(key, true) : null;
    return name === null ? [] : [[String(name), toJson(value, budget, depth + 1, isName(String(name)))]];
  });
  // Makes an own property even for a key such as `__proto__`.
  return Object.fromEntries(pairs);
}

function omit(budget: Budget, problem: string): null {
  budget.problems.add(problem);
  return null;
}

/** The link `[[Kitchen]]` without quotes, which YAML reads as a list in a list; `null` for another list. */
function unquotedLink({ items: [inner, ...others] }: YAMLSeq): string | null {
  if (others.length > 0 || !isSeq(inner) || inner.flow !== true || inner.items.length !== 1) return null;
  const [target] = inner.items;
  return isScalar(target) && target.type === 'PLAIN' ? `[[${target.source ?? ''}]]` : null;
}

/**
 * The text of a name that YAML reads as null: `#kitchen`, a comment in YAML, and `null` and `~` in a list. As the value of a
 * property, `null` and `~` mean that there is none.
 */
function emptyAsText(node: unknown, isInList: boolean): string | null {
  if (!isScalar(node) || node.value !== null) return null;
  const { comment, source = '' } = node;
  if (/^\S/.test(comment ?? '')) return `#${comment!}`.slice(0, MAX_STRING);
  return isInList && source !== '' ? source : null;
}

function scalar({ value, source, tag }: Scalar, asText: boolean): string | number | boolean | null {
  if (typeof value === 'number') {
    const text = (source ?? String(value)).slice(0, MAX_STRING);
    return asText ? text : exactNumber(text);
  }
  if (typeof value === 'boolean') return asText ? (source ?? String(value)) : value;
  if (typeof value !== 'string') return null;
  // `!important` is no tag of YAML.
  const text = tag?.startsWith('!') === true ? `${tag} ${value}`.trim() : value;
  return text.slice(0, MAX_STRING).toWellFormed();
}
