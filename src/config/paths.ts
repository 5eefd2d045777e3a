import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap } from './tree.ts';

/** `~` and `~/…` in the home folder of the user; any other path as it is. */
export function expandHome(path: string): string {
  if (path === '~') return homedir();
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : path;
}

/**
 * Makes the paths of a tree of settings absolute, in place: relative ones start at `base`.
 * `keys` are paths of settings such as `store.path` and `vaults[].path`. What is no text is left to the schema.
 */
export function resolvePaths(tree: JsonMap, keys: readonly string[], base: string): void {
  for (const key of keys) resolveAt(tree, key.split(/\.|(?=\[\])/), base);
}

function resolveAt(node: Json | undefined, steps: readonly string[], base: string): void {
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (step === '[]') {
    if (Array.isArray(node)) for (const entry of node) resolveAt(entry, rest, base);
    return;
  }
  if (!isJsonMap(node) || !Object.hasOwn(node, step)) return;
  const value = node[step];
  if (rest.length > 0) resolveAt(value, rest, base);
  else if (typeof value === 'string' && value !== '') node[step] = resolve(base, expandHome(value));
}
