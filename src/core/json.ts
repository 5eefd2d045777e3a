import type { Json } from './types.ts';

export type JsonMap = { [key: string]: Json };

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Replaces every string of a value, including the names of fields.
 * @param change gets the string and the name of its field. The name is empty for names of fields and outside of objects.
 */
export async function mapStrings(
  value: Json,
  change: (text: string, name: string) => Promise<string>,
  name = '',
): Promise<Json> {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await mapStrings(item, change, name));
    return items;
  }
  const fields: [string, Json][] = [];
  for (const [key, field] of Object.entries(value))
    fields.push([await change(key, ''), await mapStrings(field, change, key)]);
  return Object.fromEntries(fields);
}

/** Whether objects and lists are nested deeper than this. Checks level by level, so that deep nesting cannot exhaust the stack. */
export function exceedsDepth(maxDepth: number, value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const below = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values<Json>(each) : [],
    );
    // An object may be nested at several places; it is followed once.
    level = [...new Set(below)];
  }
  return false;
}
