import { parse } from 'yaml';
import { closestWord } from '../core/text/closest-word.ts';
import type { Json } from '../core/types.ts';
import { plainCopy } from './document.ts';
import { type ConfigKey, SETTINGS } from './keys.ts';

/**
 * Variables of Loci that are not settings: the home folder, whether to use the command socket, the settings of a host program,
 * for whom it runs a command and how people type it there, the data folder of `npm run eval`, and what the tests use: a server of
 * PostgreSQL, and folders with what they install.
 */
const OTHER_VARIABLES = [
  'LOCI_HOME',
  'LOCI_COMMAND_SOCKET',
  'LOCI_HOST_SETTINGS',
  'LOCI_HOST_READER',
  'LOCI_HOST_COMMAND',
  'LOCI_EVAL_DATA',
  'LOCI_TEST_POSTGRES_URL',
  'LOCI_POSTGRES_CACHE',
  'LOCI_OPENCLAW_CACHE',
];

export interface Override {
  readonly key: ConfigKey;
  readonly variable: string;
  readonly value: Json;
}

interface EnvironmentSettings {
  readonly overrides: readonly Override[];
  /** A sentence for each variable that begins with `LOCI_` but is not a setting. */
  readonly warnings: readonly string[];
}

/** Reads the settings in the environment. An empty variable counts as unset. */
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
  const suggested = closestWord(variable, names);
  const suggestion = suggested === undefined ? '' : `; did you mean ${suggested}?`;
  return `${variable} is not a setting of Loci and is ignored${suggestion}`;
}

/**
 * Converts text from the command line or the environment to the type of a key. Returns the text unchanged if that is
 * impossible, so that the schema rejects it with an error that quotes it.
 */
export function parseSetting(key: ConfigKey, text: string): Json {
  switch (key.type) {
    case 'number':
    case 'duration':
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

/** Parses a list or a map in YAML or JSON, which is a subset of YAML. */
function parseStructure(text: string): Json {
  try {
    return plainCopy(parse(text, { logLevel: 'error' })) ?? text;
  } catch {
    return text;
  }
}
