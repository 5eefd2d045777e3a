import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';

/**
 * Parses JSON of the store.
 * @param what names it in an error: `the list of tags of record/12`
 * @throws LociError `store_corrupt` for text that a fault of the disk has changed
 */
export function storedJson(text: unknown, what: () => string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw damaged(what(), error);
  }
}

/** @throws LociError `store_corrupt` for anything but a list of texts */
export function storedTexts(text: unknown, what: () => string): string[] {
  const list = storedJson(text, what);
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw damaged(what());
}

/** @throws LociError `store_corrupt` for anything but an object */
export function storedObject(text: unknown, what: () => string): Record<string, Json> {
  const value = storedJson(text, what);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, Json>;
  throw damaged(what());
}

/** The result of reading what is stored; `null` if that is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LociError && error.code === 'store_corrupt') return null;
    throw error;
  }
}

/** Whether `storedObject` reads a text. */
export function isObjectText(text: unknown): boolean {
  return unlessDamaged(() => storedObject(text, () => 'it')) !== null;
}

function damaged(what: string, cause?: unknown): LociError {
  return new LociError('store_corrupt', `${what} cannot be read: the store is damaged`, { cause });
}
