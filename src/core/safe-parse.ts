import type { z } from 'zod';

/**
 * `schema.safeParse(value)` for a value from JSON that somebody else wrote. The limits of zod compare the `length` of any value that has
 * one, also of an object in place of a text or a list, and throw a TypeError where that is an object without a primitive value:
 * `{"query": {"length": {"valueOf": 1, "toString": 1}}}`.
 */
export function safeParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return schema.safeParse(withoutObjectLengths(value));
  }
}

function withoutObjectLengths(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each: unknown) =>
    name === 'length' && typeof each === 'object' ? null : each,
  );
}
