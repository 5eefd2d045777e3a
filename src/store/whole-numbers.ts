import { LociError } from '../core/errors.ts';

/**
 * Times are counted in whole milliseconds, and counts are whole.
 * @throws LociError `invalid_input` that names the first that is not, or is too large to be exact
 */
export function assertSafeIntegers(numbers: Readonly<Record<string, number | null>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === null || Number.isSafeInteger(value)) continue;
    throw new LociError('invalid_input', `${name} is ${String(value)}, which is no whole number`);
  }
}
