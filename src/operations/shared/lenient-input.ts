import type { Operation } from '../operation.ts';
import { inputFields, type FieldSchema } from './input.ts';

/**
 * Accepts `path` as another name of the field `citation`. If only one of the two has a value, that one counts; if both have the
 * same, it counts once.
 */
export function withCitation(operation: Pick<Operation, 'input'>, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !('path' in raw)) return raw;
  const names = new Set(inputFields(operation).map(({ name }) => name));
  if (names.has('path') || !names.has('citation')) return raw;
  const { path, ...rest } = raw;
  const citation = 'citation' in rest ? rest.citation : undefined;
  if (isAbsent(citation)) return { ...rest, citation: path };
  return isAbsent(path) || path === citation ? rest : raw;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Converts what models write for the fields of an operation into the types of the fields: `null` and `""` count as absent,
 * `"3"` as 3, `"true"` as true, and one value as a list of it; a list of tags may be one text with commas. What has no conversion stays as it is, so that validation can
 * name it. Accepts `path` as `withCitation` does.
 */
export function lenientInput(operation: Pick<Operation, 'input'>, input: unknown): unknown {
  const raw = withCitation(operation, input);
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
