/** Milliseconds in each unit of a duration. */
const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Bytes in each unit of a size: KB, MB and GB are powers of 1000 (SI), KiB, MiB and GiB of 1024 (IEC). */
const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

function parseQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  const unit = match?.[2]?.toLowerCase() ?? '';
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (match === null || factor === undefined) return undefined;
  const quantity = Math.round(Number(match[1]) * factor);
  return Number.isSafeInteger(quantity) ? quantity : undefined;
}

/** `500ms`, `5s`, `2m`, `1h`, `1d` in milliseconds; `undefined` when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  return parseQuantity(text, DURATION_UNITS);
}

/** `500KB`, `5MB`, `1GiB` in bytes; `undefined` when the text is no size. */
export function parseSize(text: string): number | undefined {
  return parseQuantity(text, SIZE_UNITS);
}
