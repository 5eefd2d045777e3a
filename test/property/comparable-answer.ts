/**
 * An answer without what differs between two stores with the same history: times, paths and random values.
 * @param folders paths that the answer may name
 */
export function comparableAnswer(answer: unknown, ...folders: readonly string[]): unknown {
  const text = folders
    .reduce((replaced, folder) => replaced.replaceAll(folder, 'HOME'), JSON.stringify(answer))
    .replaceAll(/postgres:\/\/[\w.:/]*/g, 'DATABASE')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    // The node of a written record has an id made of its UUID. Digits and letters have different numbers of tokens.
    .replaceAll(/\b[nt]_[0-9a-f]{16}\b/g, 'NODE')
    .replaceAll(/(loci-pack id=\\*")[0-9a-f]{6}/g, '$1ID')
    .replaceAll(/(\\*"used\\*":)\d+/g, '$1N')
    .replaceAll(/(one item needs, )\d+/g, '$1N')
    .replaceAll(/\b\d{13}\/UUID/g, 'TIME/UUID')
    .replaceAll(/(\\*"(?:took_ms|bytes)\\*":)[\d.]+/g, '$1N')
    .replaceAll(/(\\*"docid\\*":\\*")[0-9a-f]{6}/g, '$1ID')
    .replaceAll(/\b[\d.]+ (?:[KMGT]i?B)\b/g, 'N')
    // The description of a run ends with its time and may be truncated there.
    .replaceAll(/At: [\d:T.-]*…/g, 'At: …')
    .replaceAll(/\(\d+(?: m?s?)?(?:\)|…)/g, '(N)')
    .replaceAll(/(?:just now|\d+(?:s|min| seconds?| minutes?) ago)/g, 'AGE')
    // The age of a record has a small effect on these.
    .replaceAll(/\b0\.\d+/g, (number) => Number(number).toFixed(2));
  return inStableOrder(
    JSON.parse(text.replaceAll(/":N([,}])/g, '":0$1').replaceAll(/\\":N([,}])/g, '\\":0$1')),
  );
}

/** Lists of the graph are in the order of the ids of nodes, which differ between two stores. */
const LISTS_BY_ID: ReadonlySet<string> = new Set(['nodes', 'edges']);

/** Sorts the lists of `LISTS_BY_ID` by their text, also those in a string that is JSON. */
function inStableOrder(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && /^\{"(?:nodes|edges)":/.test(value))
    return JSON.stringify(inStableOrder(JSON.parse(value)));
  if (Array.isArray(value)) {
    const items = value.map((item) => inStableOrder(item));
    if (!LISTS_BY_ID.has(key)) return items;
    return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inStableOrder(item, name)]));
}
