import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { safeParse } from '../../core/json.ts';
import { abridge } from '../../core/text/abridge.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { Operation } from '../operation.ts';

/** Characters of a value that a message repeats. */
const MAX_SHOWN_LENGTH = 60;

/** How a surface refers to the input of an operation. */
export interface InputWording {
  /** The name of a field, or of an entry of one, for its users: `['origins', '0']` → `--origin`. */
  readonly nameOf: (path: readonly string[]) => string;
  /** The hint of the error about a missing field. */
  readonly missingHint: string;
}

/**
 * Validates the input of an operation.
 * @throws LociError `invalid_input` that names each wrong field and what it must be, and the closest name of unknown ones; the hint
 * then lists the known ones
 */
export function parseInput<Input extends z.ZodType>(
  operation: Pick<Operation<Input>, 'input'>,
  raw: unknown,
  wording?: InputWording,
): z.output<Input> {
  const parsed = safeParse(operation.input, raw);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const lines = issues.flatMap((issue) => explain(issue, raw, operation, wording?.nameOf));
  const missing = issues.some(({ path }) => path.length > 0 && valueAt(raw, path) === undefined);
  if (issues.some(({ code }) => code === 'unrecognized_keys'))
    throw new LociError('invalid_input', lines.join('\n'), { hint: knownFields(operation) });
  const hint = missing && wording !== undefined ? { hint: wording.missingHint } : {};
  throw new LociError('invalid_input', lines.join('\n'), hint);
}

/** The JSON Schema of a field. */
export interface FieldSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FieldSchema;
}

export interface InputField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: FieldSchema;
}

/** The fields of the input of an operation, in the order of their declaration. */
export function inputFields(operation: Pick<Operation, 'input'>): InputField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.input, {
    io: 'input',
    unrepresentable: 'any',
  });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    schema: schema as FieldSchema,
  }));
}

function explain(
  issue: z.core.$ZodIssue,
  raw: unknown,
  operation: Pick<Operation, 'input'>,
  nameOf: InputWording['nameOf'] = fieldPath,
): string[] {
  if (issue.code === 'unrecognized_keys') {
    const names = inputFields(operation).map(({ name }) => name);
    return issue.keys.map((key) => unknownField(key, names));
  }
  const found = valueAt(raw, issue.path);
  if (issue.path.length === 0) return [`the input must be an object of fields, not ${shown(raw)}`];
  const name = nameOf(issue.path.map(String));
  if (found === undefined) return [`${name} is missing`];
  // Messages of our schemas name other fields of the input in backticks.
  const fields = inputFields(operation).map((field) => field.name);
  const expected = expectation(issue).replaceAll(/`(\w+)`/g, (quoted, other: string) =>
    fields.includes(other) ? nameOf([other]) : quoted,
  );
  return [`${name} must be ${expected}, not ${shown(found)}`];
}

/** The name of a field in JSON: `origins.0`. */
export function fieldPath(path: readonly string[]): string {
  return path.join('.');
}

function unknownField(key: string, names: readonly string[]): string {
  const suggestion = closestWord(key, names);
  const question = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return `unknown field ${abridge(key, MAX_SHOWN_LENGTH)}${question}`;
}

function knownFields(operation: Pick<Operation, 'input'>): string {
  const names = inputFields(operation).map(({ name }) => name);
  return names.length === 0 ? 'It has no fields.' : `The fields are ${names.join(', ')}.`;
}

/** What the value must be; it follows "must be". */
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue.inclusive === false ? 'more than' : 'at least', issue.origin, Number(issue.minimum));
    case 'too_big':
      return bound(issue.inclusive === false ? 'less than' : 'at most', issue.origin, Number(issue.maximum));
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function bound(direction: string, origin: string, limit: number): string {
  const isOne = limit === 1;
  if (origin === 'string')
    return `text of ${direction} ${String(limit)} ${isOne ? 'character' : 'characters'}`;
  if (origin === 'array') return `a list of ${direction} ${String(limit)} ${isOne ? 'entry' : 'entries'}`;
  return `${direction} ${String(limit)}`;
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function shown(value: unknown): string {
  try {
    return abridge(value === undefined ? 'nothing' : JSON.stringify(value), MAX_SHOWN_LENGTH);
  } catch {
    // JSON.stringify recurses, so that very deep nesting exhausts the stack.
    return 'a value that is nested too deeply to show';
  }
}
