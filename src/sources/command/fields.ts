/**
 * What of a printed document may be stored: its id, and the parts that `fields` names; `metadata.sender` keeps that entry
 * alone. All else is let go of before anybody looks at it: what is wrong with it is no problem, and nothing quotes it.
 */
export function restrictTo(printed: unknown, fields: readonly string[]): unknown {
  if (!isObject(printed)) return printed;
  const kept = Object.entries(printed).flatMap(([name, part]): [string, unknown][] => {
    if (name === 'id' || fields.includes(name)) return [[name, part]];
    return name === 'metadata' && isObject(part) ? [[name, entriesOf(part, fields)]] : [];
  });
  return Object.fromEntries(kept);
}

function entriesOf(metadata: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => fields.includes(`metadata.${name}`)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
