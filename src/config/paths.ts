import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';

/** Replaces a leading `~` by the home folder of the user. */
export function expandHome(path: string): string {
  if (path === '~') return homedir();
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : path;
}

/**
 * Makes the paths in a tree of settings absolute, in place. Relative ones start at `base`.
 * @param keys the settings that hold paths, such as `store.path` and `vaults[].path`. Their values may be invalid.
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
