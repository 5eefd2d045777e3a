import { parse } from 'yaml';
import { nearest } from '../core/text/nearest.ts';
import type { Json } from '../core/types.ts';
import { plainCopy } from './document.ts';
import { type ConfigKey, SETTINGS } from './keys.ts';

/** Variables that are no settings: where the home folder is, and where `npm run eval` finds its data. */
const OTHER_VARIABLES = ['LOCI_HOME', 'LOCI_EVAL_DATA'];

export interface Override {
  readonly key: ConfigKey;
  readonly variable: string;
  readonly value: Json;
}

export interface EnvironmentSettings {
  readonly overrides: readonly Override[];
  /** One sentence for each variable that looks like ours and is not. */
  readonly warnings: readonly string[];
}

/** An empty variable counts as unset. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentSettings {
  const byName = new Map(SETTINGS.map((key) => [key.env, key]));
  const overrides: Override[] = [];
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!variable.startsWith('LOCI_') || OTHER_VARIABLES.includes(variable)) continue;
    if (text === undefined || text === '') continue;
    const key = byName.get(variable);
    if (key === undefined) warnings.push(unknownVariable(variable));
    else overrides.push({ key, variable, value: parseSetting(key, text) });
  }
  return { overrides, warnings };
}

function unknownVariable(variable: string): string {
  const names = [...SETTINGS.map(({ env }) => env ?? ''), ...OTHER_VARIABLES];
  const meant = nearest(variable, names);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${variable} is no setting of Loci and is ignored${suggestion}`;
}

/**
 * The value that a text means for a key, as the shell and the environment give it. A text that cannot be that kind of
 * value stays a text, for the schema to refuse by name.
 */
export function parseSetting(key: ConfigKey, text: string): Json {
  switch (key.type) {
    case 'number':
    case 'quantity':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case 'boolean':
      return ({ true: true, false: false } as Record<string, boolean>)[text.trim().toLowerCase()] ?? text;
    case 'list':
    case 'map':
      return parseStructure(text);
    default:
      return text;
  }
}

/** Lists and maps are written as YAML, of which JSON is a part. */
function parseStructure(text: string): Json {
  try {
    return plainCopy(parse(text, { logLevel: 'error' })) ?? text;
  } catch {
    return text;
  }
}
