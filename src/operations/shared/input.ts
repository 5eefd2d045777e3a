import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { Operation } from '../operation.ts';

/** How a surface speaks of a verb's input. */
export interface InputWording {
  /** What its user calls a field, or an entry of one: `['origins', '0']` → `--origin`. */
  readonly nameOf: (path: readonly string[]) => string;
  /** What to do when a field is missing. */
  readonly hintOfMissing: string;
}

/**
 * What a verb's caller gave, checked. Fields are called by their own names unless the surface has others.
 * @throws LociError `invalid_input` that names each wrong field, what it must be and, of an unknown one, the nearest
 */
export function parseInput<Input>(
  operation: Pick<Operation<Input>, 'input'>,
  raw: unknown,
  wording?: InputWording,
): Input {
  const parsed = operation.input.safeParse(raw);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const lines = issues.flatMap((issue) => explain(issue, raw, operation, wording?.nameOf));
  const missing = issues.some(({ path }) => path.length > 0 && valueAt(raw, path) === undefined);
  const hint = missing && wording !== undefined ? { hint: wording.hintOfMissing } : {};
  throw new LociError('invalid_input', lines.join('\n'), hint);
}

/** One field of an input, as JSON Schema tells it. */
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

/** The fields of a verb's input, in the order in which they are declared. */
export function inputFields(operation: Pick<Operation, 'input'>): InputField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.input, { io: 'input' });
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
  // Messages of our own name other fields in backticks.
  const expected = expectation(issue).replaceAll(/`(\w+)`/g, (_, other: string) => nameOf([other]));
  return [`${name} must be ${expected}, not ${shown(found)}`];
}

/** `origins.0`, as those know a field who give JSON. */
export function fieldPath(path: readonly string[]): string {
  return path.join('.');
}

function unknownField(key: string, names: readonly string[]): string {
  const meant = closestWord(key, names);
  return `unknown field ${abridged(key)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** To follow "must be". */
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
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

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function bound(direction: string, origin: string, limit: number): string {
  const one = limit === 1;
  if (origin === 'string') return `text of ${direction} ${String(limit)} ${one ? 'character' : 'characters'}`;
  if (origin === 'array') return `a list of ${direction} ${String(limit)} ${one ? 'entry' : 'entries'}`;
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
    return abridged(value === undefined ? 'nothing' : JSON.stringify(value));
  } catch {
    // Writing it takes a call a level: what is nested a hundred thousand times ends the stack.
    return 'something nested too deeply to be shown';
  }
}

const SHOWN = 60;

function abridged(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
