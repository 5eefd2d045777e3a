import type { Json } from './types.ts';

/**
 * The same value with every text in it changed, names of fields too.
 * @param change is told what the text is the value of: the name of its field; empty for a name, and outside of an object
 */
export async function mapTexts(
  value: Json,
  change: (text: string, name: string) => Promise<string>,
  name = '',
): Promise<Json> {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await mapTexts(item, change, name));
    return items;
  }
  const fields: [string, Json][] = [];
  for (const [key, held] of Object.entries(value))
    fields.push([await change(key, ''), await mapTexts(held, change, key)]);
  return Object.fromEntries(fields);
}
