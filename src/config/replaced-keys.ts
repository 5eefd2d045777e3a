import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';
import { type KeyPath, setAt, valueAt } from '../core/json-path.ts';

/** A key that is not a setting but may be in a configuration: renamed, removed, or of another program. */
export interface ReplacedKey {
  readonly key: string;
  /**
   * The setting that takes its value, unless that is set too. The entries of a list are added to those of the setting. The value
   * of other keys is ignored.
   */
  readonly renamedTo?: string;
  /** What holds now. It follows a semicolon. */
  readonly instead?: string;
}

/** Every key that was replaced. Loading, `config set`, `config get` and `doctor` explain them. */
export const REPLACED_KEYS: readonly ReplacedKey[] = [
  { key: 'search.weights.trigram', renamedTo: 'search.weights.spelling' },
  { key: 'search.vectorWeight', renamedTo: 'search.weights.vector' },
  { key: 'search.textWeight', renamedTo: 'search.weights.text' },
  { key: 'search.recencyWeight', renamedTo: 'search.weights.recency' },
  { key: 'writes.retention.purgeAfterDays', renamedTo: 'retention.purgeAfterDays' },
  { key: 'memorySearch.readOnlySources', renamedTo: 'sources' },
  { key: 'readOnlySources', renamedTo: 'sources' },
  { key: 'writes.autoEmbed', instead: 'what is written is always embedded' },
  { key: 'connectionString', renamedTo: 'store.connectionString' },
  {
    key: 'table',
    instead:
      'Loci has tables of its own. `loci import postgres://… --table NAME` copies the memories of ShadowDB, and does not change them',
  },
];

/** Where a configuration holds a replaced key. */
export interface ReplacedKeyUse {
  readonly path: KeyPath;
  readonly replaced: ReplacedKey;
}

/** Takes the replaced keys out of a tree of settings, in place, and gives the values of renamed ones to their successors. */
export function takeReplacedKeys(tree: JsonMap): ReplacedKeyUse[] {
  return REPLACED_KEYS.flatMap((replaced) => {
    const path = replaced.key.split('.');
    const value = take(tree, path);
    if (value === undefined) return [];
    if (replaced.renamedTo !== undefined) give(tree, replaced.renamedTo.split('.'), value);
    return [{ path, replaced }];
  });
}

function give(tree: JsonMap, steps: readonly string[], value: Json): void {
  const existing = valueAt(tree, steps);
  if (existing === undefined) setAt(tree, steps, value);
  else if (Array.isArray(existing) && Array.isArray(value)) setAt(tree, steps, [...existing, ...value]);
}

/** Where the values of a setting are in a configuration: at its own path, then at those of the keys that were renamed to it. */
export function pathsOfSetting(path: string): readonly (readonly string[])[] {
  const renamed = REPLACED_KEYS.filter(({ renamedTo }) => renamedTo === path).map(({ key }) => key);
  return [path, ...renamed].map((key) => key.split('.'));
}

/** Takes a value out of a tree. A section that is empty after that goes too. */
function take(node: JsonMap, [step = '', ...rest]: readonly string[]): Json | undefined {
  const value = Object.hasOwn(node, step) ? node[step] : undefined;
  if (value === undefined) return undefined;
  const taken = rest.length === 0 ? value : isJsonMap(value) ? take(value, rest) : undefined;
  const isEmptied = isJsonMap(value) && Object.keys(value).length === 0;
  if (rest.length === 0 || (taken !== undefined && isEmptied)) Reflect.deleteProperty(node, step);
  return taken;
}

/** The replaced key of that path, or the replaced section that holds it. */
export function replacedKey(path: string): ReplacedKey | undefined {
  return REPLACED_KEYS.find(({ key }) => path === key || path.startsWith(`${key}.`));
}

/** Says in one sentence what to write instead of a replaced key. */
export function explainReplaced(name: string, { renamedTo, instead }: ReplacedKey): string {
  if (renamedTo !== undefined) return `${name} is called ${renamedTo} now`;
  return `${name} is not a setting and is ignored; ${instead ?? 'leave it out'}`;
}
