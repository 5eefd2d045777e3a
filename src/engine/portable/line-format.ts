import { z } from 'zod';
import { exceedsDepth, isJsonMap, safeParse } from '../../core/json.ts';
import type { Json, Metadata, Timestamp } from '../../core/types.ts';
import { MAX_TIME, MIN_TIME } from '../../sources/files/read-file.ts';
import type { ItemType } from './item-type.ts';

export const time: z.ZodType<Timestamp> = z.union([z.string(), z.number()]).transform((given, context) => {
  const at = typeof given === 'number' ? given : Date.parse(given);
  // Every answer formats the times of its records: one time that cannot be formatted would make whole answers fail.
  if (Number.isSafeInteger(at) && at >= MIN_TIME && at <= MAX_TIME) return at;
  context.addIssue({ code: 'custom', message: 'expected a time in ISO 8601, of the years 1 to 9999' });
  return z.NEVER;
});
export const timeOrNull = time.nullable();

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'expected a UUID in lower case');

export const sha256Text = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256');

/** A custom check, so that the object passes through unchanged, a key such as `__proto__` included. */
export const jsonObject = z.custom<Metadata>(isJsonMap, 'expected an object');

/** ISO 8601, or the number of milliseconds for a time outside the range of `Date`. */
export function timeText(at: Timestamp): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}

type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;
type CamelCased<Line> = { readonly [Name in keyof Line as CamelCase<Name>]: Readonly<Line[Name]> };

/** The format of lines that have the fields of an item under the same names in `snake_case`, and its times in ISO 8601. */
export function lineFormat<Line extends object>(
  schema: z.ZodType<Line> & { readonly shape: Readonly<Record<string, z.ZodType>> },
): Pick<ItemType<CamelCased<Line>>, 'fields' | 'parse'> {
  const fields = Object.entries(schema.shape).map(([name, type]) => ({
    name,
    isTime: type === time || type === timeOrNull,
    camelName: name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  }));
  return {
    fields: (value) =>
      Object.fromEntries(
        fields.flatMap(({ name, isTime, camelName }) => {
          const field = (value as Readonly<Record<string, Json | undefined>>)[camelName];
          if (field === undefined) return [];
          return [[name, isTime && typeof field === 'number' ? timeText(field) : field]];
        }),
      ),
    parse(given) {
      const line = parseWith(schema, given);
      if (typeof line === 'string') return line;
      const values = line as Readonly<Record<string, unknown>>;
      const present = fields.filter(({ name }) => values[name] !== undefined);
      return Object.fromEntries(
        present.map(({ name, camelName }) => [camelName, values[name]]),
      ) as CamelCased<Line>;
    },
  };
}

/** Nesting of a line. Stores accept 100 levels of metadata. */
const MAX_DEPTH = 110;

/** Returns the validated value, or a message that says what is wrong with it. */
export function parseWith<Value>(schema: z.ZodType<Value>, value: unknown): Value | string {
  if (exceedsDepth(MAX_DEPTH, value as Json)) return `it is nested deeper than ${String(MAX_DEPTH)} levels`;
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  const message = issue?.message ?? 'it is not valid';
  return path === '' ? message : `${path}: ${message}`;
}
