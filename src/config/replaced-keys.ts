import type { Json } from '../core/types.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';
import { type KeyPath, setAt, valueAt } from '../core/json-path.ts';

/** A key that is not a setting but may be in a configuration: removed, renamed, or of another program. */
export interface ReplacedKey {
  /** `search.beside`; `sources[].recency` in the entries of a list. Without `renamedTo` it may be a whole section. */
  readonly key: string;
  /**
   * The setting that takes its value, unless that is set too. The entries of a list are added to those of the setting. The value
   * of other keys is ignored.
   */
  readonly renamedTo?: string;
  /** What to write instead, or what holds now. It follows a semicolon. */
  readonly instead?: string;
  /** Refuses the configuration, because without the value less would be protected than the operator relies on. */
  readonly refused?: true;
  /** Accepts the key without a warning. */
  readonly silent?: true;
}

const RANKING = 'choose a ranking with `search.preset`';
const PROXY = 'put a reverse proxy in front of `loci serve` for another limit';

/** Every key that was replaced. Loading, `config set`, `config get` and `doctor` explain them. */
export const REPLACED_KEYS: readonly ReplacedKey[] = [
  { key: 'search.beside', renamedTo: 'search.related' },
  { key: 'search.weights.trigram', renamedTo: 'search.weights.spelling', silent: true },
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
  {
    key: 'search.fusion',
    instead: 'write `search.preset: classic` for Reciprocal Rank Fusion',
  },
  { key: 'search.stages', instead: RANKING },
  { key: 'sources[].recency', instead: 'recent documents always get the same small boost' },
  {
    key: 'sources[].allowEmpty',
    instead: 'an empty list removes all documents when it comes twice in a row',
  },
  { key: 'store.busyTimeout', instead: 'Loci waits 5 seconds for another process that writes' },
  { key: 'embedding.threads', instead: 'Loci chooses by the number of processors' },
  { key: 'index.maxFileSize', instead: 'notes of more than 5 MB are skipped' },
  { key: 'index.passageTokens', instead: 'passages have at most 200 tokens' },
  { key: 'server.maxBody', instead: 'a request body has at most 2 MB' },
  { key: 'server.headersTimeout', instead: PROXY },
  { key: 'server.requestTimeout', instead: PROXY },
  { key: 'server.shutdownTimeout', instead: 'requests have 8 seconds to end' },
  { key: 'server.maxConnections', instead: PROXY },
  { key: 'server.rateLimit', instead: PROXY },
  {
    key: 'server.metricsPublic',
    instead: 'use a token with the scope `admin` for `/metrics`: `loci serve token create`',
  },
  { key: 'auth.localhost', instead: 'use a token, also on this machine: `loci serve token create`' },
  {
    key: 'auth.jwt.clockTolerance',
    instead: 'the clocks of issuers may differ by 30 seconds; take the key out to accept that',
    refused: true,
  },
];

/** Where a configuration holds a replaced key. */
export interface ReplacedKeyUse {
  readonly path: KeyPath;
  readonly replaced: ReplacedKey;
}

/** Takes the replaced keys out of a tree of settings, in place, and gives the values of renamed ones to their successors. */
export function takeReplacedKeys(tree: JsonMap): ReplacedKeyUse[] {
  return REPLACED_KEYS.flatMap((replaced) =>
    take(tree, replaced).map(({ path, value }) => {
      if (replaced.renamedTo !== undefined) give(tree, replaced.renamedTo.split('.'), value);
      return { path, replaced };
    }),
  );
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

interface TakenValue {
  readonly path: KeyPath;
  readonly value: Json;
}

/** Takes the values of a replaced key out of a tree. */
function take(tree: JsonMap, { key }: ReplacedKey): TakenValue[] {
  return takeFrom(tree, key.split(/\.|(?=\[\])/), []);
}

/** A section that is empty after that goes too: it may have been replaced whole. */
function takeFrom(node: Json | undefined, steps: readonly string[], above: KeyPath): TakenValue[] {
  const [step = '', ...rest] = steps;
  if (step === '[]')
    return Array.isArray(node) ? node.flatMap((entry, i) => takeFrom(entry, rest, [...above, i])) : [];
  if (!isJsonMap(node) || !Object.hasOwn(node, step)) return [];
  const value = node[step] ?? null;
  const path = [...above, step];
  const taken = rest.length === 0 ? [{ path, value }] : takeFrom(value, rest, path);
  const isEmptied = isJsonMap(value) && Object.keys(value).length === 0;
  if (rest.length === 0 || (taken.length > 0 && isEmptied)) Reflect.deleteProperty(node, step);
  return taken;
}

/** The replaced key of that path, or the replaced section that holds it. */
export function replacedKey(path: string): ReplacedKey | undefined {
  return REPLACED_KEYS.find(({ key }) => path === key || path.startsWith(`${key}.`));
}

/** Says in one sentence what to write instead of a replaced key. */
export function explainReplaced(name: string, { renamedTo, instead, refused }: ReplacedKey): string {
  if (renamedTo !== undefined) return `${name} is called ${renamedTo} now`;
  const ignored = refused === true ? '' : ' and is ignored';
  return `${name} is not a setting${ignored}; ${instead ?? 'leave it out'}`;
}
