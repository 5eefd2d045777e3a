import type { Operation } from '../operation.ts';
import { inputFields, type FieldSchema } from './input.ts';

interface Synonym {
  readonly field: string;
  readonly valueOf: (value: unknown) => unknown;
}

/** Other names of fields, which requests may use. */
const SYNONYMS: ReadonlyMap<string, Synonym> = new Map([
  ['path', { field: 'citation', valueOf: (value) => value }],
  ['budget_tokens', { field: 'budget', valueOf: (value) => value }],
  ['ttl_seconds', { field: 'expires', valueOf: (value) => (isAbsent(value) ? value : `${String(value)}s`) }],
]);

/**
 * Accepts the other names of fields, such as `path` for `citation`. If only one of the two has a value, that one counts; if both have
 * the same, it counts once. A name stays where the operation has a field of that name, or where the two values differ.
 */
export function withSynonyms(operation: Pick<Operation, 'input'>, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  let input = raw as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(raw)) {
    const synonym = SYNONYMS.get(name);
    if (synonym !== undefined) input = withoutSynonym(operation, input, name, synonym);
  }
  return input;
}

function withoutSynonym(
  operation: Pick<Operation, 'input'>,
  input: Readonly<Record<string, unknown>>,
  name: string,
  { field, valueOf }: Synonym,
): Readonly<Record<string, unknown>> {
  const names = new Set(inputFields(operation).map((each) => each.name));
  if (names.has(name) || !names.has(field)) return input;
  const { [name]: value, ...rest } = input;
  const other = valueOf(value);
  if (isAbsent(rest[field])) return { ...rest, [field]: other };
  return isAbsent(other) || other === rest[field] ? rest : input;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Converts what models write for the fields of an operation into the types of the fields: `null` and `""` count as absent,
 * `"3"` as 3, `"true"` as true, and one value as a list of it; a list of tags may be one text with commas. What has no conversion
 * stays as it is, so that validation can name it. Accepts other names as `withSynonyms` does.
 */
export function lenientInput(operation: Pick<Operation, 'input'>, input: unknown): unknown {
  const raw = withSynonyms(operation, input);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const fields = new Map(inputFields(operation).map((field) => [field.name, field]));
  const entries = Object.entries(raw).flatMap(([name, value]: [string, unknown]) => {
    const field = fields.get(name);
    if (field === undefined) return [[name, value] as const];
    if (value === null || (value === '' && !field.required)) return [];
    const list = name === TAGS && typeof value === 'string' ? tagsOf(value) : value;
    return [[name, converted(list, field.schema)] as const];
  });
  return Object.fromEntries(entries);
}

const TAGS = 'tags';

/** `a, b` as two tags, since no tag has a comma. */
function tagsOf(text: string): unknown {
  const list = listOf(text);
  if (!Array.isArray(list) || list[0] !== text) return list;
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** A number in decimal notation, as JSON has it. */
const NUMBER = /^-?\d+(\.\d+)?$/;

function converted(value: unknown, schema: FieldSchema): unknown {
  if (schema.type === 'array') {
    const list = typeof value === 'string' ? listOf(value) : value;
    return Array.isArray(list) ? list.map((item) => converted(item, schema.items ?? {})) : list;
  }
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if ((schema.type === 'integer' || schema.type === 'number') && NUMBER.test(text)) return Number(text);
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return value;
}

/** Some clients send a list as its JSON. */
function listOf(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return [text];
  try {
    return JSON.parse(text);
  } catch {
    return [text];
  }
}
