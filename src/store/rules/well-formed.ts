/**
 * Replaces lone surrogates with U+FFFD in every text. Stores keep UTF-8, which cannot represent lone surrogates;
 * replacing them at the start makes every store return, list and compare the same texts.
 */
export function wellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (repaired(value) as Value);
}

/** Nearly every value is well-formed, and the check costs a tenth of a copy. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  // Unlike assignment, this creates an own property even for a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), repaired(inner)]),
  );
}
