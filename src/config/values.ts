import { z } from 'zod';
import { parseDuration, parseSize } from './units.ts';

/** What a key holds beyond its JSON type; `keys.ts` reads it back from the schema. */
export type ValueKind = 'duration' | 'size' | 'path' | 'command' | 'id' | 'field' | 'variable';

type Quantity = z.ZodType<number, number | string>;

/** Milliseconds. The default is written as a user would write it, and parsed like it: hence not `default`. */
export function duration(written: string): z.ZodPrefault<Quantity> {
  return quantity('duration', parseDuration).prefault(written);
}

/** Bytes. */
export function size(written: string): z.ZodPrefault<Quantity> {
  return quantity('size', parseSize).prefault(written);
}

export function path(): z.ZodString {
  return z
    .string()
    .min(1)
    .meta({ kind: 'path' satisfies ValueKind });
}

export function label(): z.ZodString {
  return z.string().trim().min(1).max(128);
}

/** A program with its arguments: one line, or a list. */
export function command(): z.ZodType<string | string[]> {
  return z
    .union([z.string().trim().min(1).max(4096), z.array(z.string().max(4096)).min(1).max(256)])
    .refine((written) => typeof written === 'string' || written[0] !== '')
    .meta({ kind: 'command' satisfies ValueKind });
}

function quantity(kind: ValueKind, parse: (text: string) => number | undefined): Quantity {
  return z
    .union([z.number().int().nonnegative(), z.string()])
    .transform((written, context) => {
      const parsed = typeof written === 'number' ? written : parse(written);
      if (parsed === undefined) context.addIssue({ code: 'custom', message: `not a ${kind}` });
      return parsed ?? z.NEVER;
    })
    .meta({ kind });
}
