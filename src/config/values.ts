import { z } from 'zod';

/** What a setting holds beyond its JSON type. It is metadata of the schema, which `keys.ts` reads back. */
export type ValueKind = 'duration' | 'path' | 'command' | 'id' | 'field' | 'variable';

/**
 * A duration in milliseconds.
 * @param defaultText the default, such as `30s`. It is parsed like a user's value, hence `prefault`.
 */
export function duration(defaultText: string) {
  const schema: z.ZodType<number, number | string> = z
    .union([z.number().int().nonnegative(), z.string()])
    .transform((given, context) => {
      const milliseconds = typeof given === 'number' ? given : parseDuration(given);
      if (milliseconds === undefined) context.addIssue({ code: 'custom', message: 'not a duration' });
      return milliseconds ?? z.NEVER;
    })
    .meta({ kind: 'duration' satisfies ValueKind });
  return schema.prefault(defaultText);
}

/** A path of a file or folder. `load.ts` makes it absolute. */
export function path() {
  return z
    .string()
    .min(1)
    .meta({ kind: 'path' satisfies ValueKind });
}

/** A short name, such as that of a project. */
export function label() {
  return z.string().trim().min(1).max(128);
}

/** A program with its arguments: one line, or a list. */
export function command() {
  return z
    .union([z.string().trim().min(1).max(4096), z.array(z.string().max(4096)).min(1).max(256)])
    .refine((value) => typeof value === 'string' || value[0] !== '')
    .meta({ kind: 'command' satisfies ValueKind });
}

/** Milliseconds in each unit of a duration. */
const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses `500ms`, `5s`, `2m`, `1h` or `1d` to milliseconds. Returns `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  const unit = match?.[2]?.toLowerCase() ?? '';
  const factor = Object.hasOwn(DURATION_UNITS, unit) ? DURATION_UNITS[unit] : undefined;
  if (match === null || factor === undefined) return undefined;
  const milliseconds = Math.round(Number(match[1]) * factor);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}
