/**
 * Half a surrogate pair is no character, and stores keep UTF-8: U+FFFD stands for it from the beginning, in every text
 * that is given to a store, so that all of them are given back, listed and compared alike.
 */
export function wellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (mended(value) as Value);
}

/** Of nearly all: to look costs a tenth of a copy. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  // Defines own fields even for a key such as `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key.toWellFormed(), mended(held)]));
}
