import { isJsonMap, type JsonMap } from './json.ts';
import type { Json } from './types.ts';

/** The path of a value in a tree: keys of maps and zero-based indexes of lists. */
export type KeyPath = readonly (string | number)[];

export function valueAt(tree: JsonMap, path: KeyPath): Json | undefined {
  let value: Json | undefined = tree;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Sets a value and creates missing parent maps. Does nothing if a parent exists and is not a map. */
export function setAt(tree: JsonMap, path: readonly string[], value: Json): void {
  const [step, ...rest] = path;
  if (step === undefined) return;
  if (rest.length === 0) {
    tree[step] = value;
    return;
  }
  if (!Object.hasOwn(tree, step)) tree[step] = {};
  const section = tree[step];
  if (isJsonMap(section)) setAt(section, rest, value);
}

/** `['vaults', 0, 'path']` → `vaults[0].path`. */
export function formatPath(path: KeyPath): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
