import type { Json } from '../core/types.ts';

export type JsonMap = { [key: string]: Json };

/** A step of a path: a key of a map, or the place in a list, from 0. */
export type PathStep = string | number;

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(tree: JsonMap, path: readonly PathStep[]): Json | undefined {
  let value: Json | undefined = tree;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Makes the maps on the way. Where a plain value stands in the way it stays, and nothing is set below it. */
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
export function formatPath(path: readonly PathStep[]): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
