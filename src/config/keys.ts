import { z } from 'zod';
import type { Json } from '../core/types.ts';
import { configSchema } from './schema.ts';
import { DOCUMENT_FIELDS } from './sources-schema.ts';
import type { KeyPath } from '../core/json-path.ts';
import type { ValueKind } from './values.ts';

/** A key of `loci.yaml`, or (with `[]` in its path) of the entries of a list in it. */
export interface ConfigKey {
  /** `search.weights.text`, `vaults[].path`. */
  readonly path: string;
  /** The environment variable that overrides it; `null` for sections and for the keys of list entries. */
  readonly env: string | null;
  /** A description of valid values, which messages print after "expected". */
  readonly expects: string;
  readonly description: string;
  /** As a user would write it; `undefined` if the key has no default. */
  readonly default: Json | undefined;
  /** `section` contains further keys and has no value. */
  readonly type: 'section' | 'text' | 'number' | 'boolean' | 'duration' | 'list' | 'map';
}

/** The part of JSON Schema that `z.toJSONSchema` generates for `schema.ts`. */
interface SchemaNode {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly kind?: ValueKind;
  readonly description?: string;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly items?: SchemaNode;
}

const EXPECTED_BY_KIND: Readonly<Record<ValueKind, string>> = {
  duration: 'a duration such as 500ms, 5s or 2m (a bare number is milliseconds)',
  path: 'a path',
  id: 'a name of lowercase letters, digits, dots, dashes and underscores, such as my-tasks',
  field: `one of ${DOCUMENT_FIELDS.join(', ')}, or one entry of the metadata such as metadata.sender`,
  variable: 'the name of a variable such as TODO_TOKEN, without $ and without a value',
  command: 'a command line, or a list of a program and its arguments',
};

function expectation(node: SchemaNode): string {
  if (node.kind !== undefined) return EXPECTED_BY_KIND[node.kind];
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  switch (node.type) {
    case 'integer':
      return `a whole number from ${node.minimum} to ${node.maximum}`;
    case 'number':
      return `a number from ${node.minimum} to ${node.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return node.items?.properties === undefined
        ? `a list${node.items?.enum === undefined ? '' : `, each one of ${node.items.enum.join(', ')}`}`
        : `a list of entries with ${keyNames(node.items)}`;
    case 'object':
      return node.properties === undefined ? 'a map of text to text' : `a map with ${keyNames(node)}`;
    default:
      return `text of ${node.minLength ?? 0} to ${node.maxLength} characters`;
  }
}

function keyNames(node: SchemaNode): string {
  return `the keys ${Object.keys(node.properties ?? {}).join(', ')}`;
}

function typeOf(node: SchemaNode): ConfigKey['type'] {
  if (node.kind === 'duration') return 'duration';
  switch (node.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return 'list';
    case 'object':
      return node.properties === undefined ? 'map' : 'section';
    default:
      return 'text';
  }
}

/** `search.minScore` → `LOCI_SEARCH_MIN_SCORE`. */
function environmentName(path: string): string {
  const snake = path.replaceAll('.', '_').replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
  return `LOCI_${snake.toUpperCase()}`;
}

function* walk(node: SchemaNode, path: string): Generator<ConfigKey> {
  const type = typeOf(node);
  if (path !== '') {
    yield {
      path,
      env: type === 'section' || path.includes('[') ? null : environmentName(path),
      expects: expectation(node),
      description: node.description ?? '',
      default: type === 'section' ? undefined : node.default,
      type,
    };
  }
  const inner = type === 'list' ? node.items : node;
  const prefix = type === 'list' ? `${path}[].` : path === '' ? '' : `${path}.`;
  for (const [name, child] of Object.entries(inner?.properties ?? {})) yield* walk(child, prefix + name);
}

const SCHEMA_OPTIONS = { io: 'input' } as const;
/** The schema of the settings. The bundle has the result in the place of this expression: see `scripts/bundle.ts`. */
export const settingsSchema = z.toJSONSchema(configSchema, SCHEMA_OPTIONS) as SchemaNode;

/** Every key, including sections and the keys of list entries, in the order of the documentation. */
export const CONFIG_KEYS: readonly ConfigKey[] = [...walk(settingsSchema, '')];

/** The keys that `config set` and the environment can set. */
export const SETTINGS: readonly ConfigKey[] = CONFIG_KEYS.filter(({ env }) => env !== null);

/** The description of valid values at a path, also inside lists and maps; `undefined` for an unknown path. */
export function expectedAt(path: KeyPath): string | undefined {
  let node: SchemaNode | undefined = settingsSchema;
  for (const step of path) {
    if (typeof step === 'number') node = node.items;
    else node = node.properties?.[step] ?? (node.additionalProperties || undefined);
    if (node === undefined) return undefined;
  }
  return expectation(node);
}

/** The keys whose values are paths of files or folders, including those of list entries. */
export const PATH_KEYS: readonly string[] = CONFIG_KEYS.filter(
  ({ expects }) => expects === EXPECTED_BY_KIND.path,
).map(({ path }) => path);
