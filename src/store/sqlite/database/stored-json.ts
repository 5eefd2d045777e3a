import { LociError } from '../../../core/errors.ts';

/**
 * Parses JSON of the store.
 * @param what names it in an error: `the list of tags of record/12`
 * @throws LociError `store_corrupt` for text that a fault of the disk has changed
 */
export function storedJson(text: unknown, what: () => string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw new LociError('store_corrupt', `${what()} cannot be read: the store is damaged`, { cause: error });
  }
}
