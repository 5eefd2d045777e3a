import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';
import { MAX_PASSAGE_TOKENS } from '../src/ingest/passages.ts';
import { LociError, messageOf } from '../src/core/errors.ts';
import { closestWord } from '../src/core/text/closest-word.ts';
import {
  DEFAULT_RANKING,
  type Ranking,
  SOURCE_POLICY,
  type SourcePolicy,
} from '../src/search/rank/ranking.ts';

/** The configuration to measure: the engine's defaults, overridden by `--config`. */
export interface EvalConfiguration {
  readonly provider: string;
  /** The longest passage, in the model's tokens. */
  readonly passageTokens: number;
  /** Results of a lower confidence are left out. */
  readonly minScore: number;
  /** Policies of single sources by name; the others have the defaults. */
  readonly sources: Readonly<Record<string, SourcePolicy>>;
  readonly ranking: Ranking;
}

type Tree = Readonly<Record<string, unknown>>;

const SETTINGS = ['provider', 'passageTokens', 'minScore'] as const;
const policies: z.ZodType<Readonly<Record<string, SourcePolicy>>> = z.record(
  z.string(),
  z.strictObject({
    weight: z.number().min(0).default(SOURCE_POLICY.weight),
    minScore: z.number().min(0).max(1).default(SOURCE_POLICY.minScore),
    allWordsSuffice: z.boolean().default(SOURCE_POLICY.allWordsSuffice),
    recency: z
      .strictObject({ weight: z.number().min(0).max(1).nullable(), halfLifeDays: z.number().positive() })
      .nullable()
      .default(SOURCE_POLICY.recency),
  }),
);
/** The range of passages that the local model can embed. */
const tokens = z.object({ passageTokens: z.number().int().min(32).max(256) });
/** The values of keys that are enumerations. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  fusion: ['minmax', 'rrf'] satisfies Ranking['fusion'][],
  'recency.kind': ['tie-break', 'rank'] satisfies Ranking['recency']['kind'][],
};

export function defaultConfiguration(): EvalConfiguration {
  const { embedding, search } = configSchema.parse({});
  return {
    provider: embedding.provider,
    passageTokens: MAX_PASSAGE_TOKENS,
    minScore: search.minScore,
    sources: {},
    ranking: DEFAULT_RANKING,
  };
}

/**
 * The defaults, overridden by a JSON or YAML file.
 * @throws LociError `invalid_input` for a file that cannot be read, an unknown key (naming the nearest), a wrong value
 */
export function readConfiguration(file: string): EvalConfiguration {
  try {
    // YAML 1.2 is a superset of JSON.
    const overrides: unknown = parse(readFileSync(file, 'utf8'));
    return withOverrides(defaultConfiguration(), overrides ?? {});
  } catch (error) {
    throw new LociError('invalid_input', `cannot use the configuration ${file}: ${messageOf(error)}`, {
      hint: `Keys are ${[...SETTINGS, 'sources', ...Object.keys(DEFAULT_RANKING)].join(', ')}.`,
    });
  }
}

/** @throws Error that names the key */
export function withOverrides(base: EvalConfiguration, overrides: unknown): EvalConfiguration {
  const { ranking, sources, ...settings } = base;
  const { policies: overridden, others } = separateSources(overrides);
  const merged = merge({ ...settings, ...ranking }, others, '') as unknown as Ranking &
    Omit<EvalConfiguration, 'ranking' | 'sources'>;
  const { provider, passageTokens, minScore, ...changed } = merged;
  const checked = configSchema.safeParse({
    embedding: { provider },
    search: { minScore },
  });
  const issue = checked.error?.issues[0] ?? tokens.safeParse({ passageTokens }).error?.issues[0];
  if (issue !== undefined) throw new Error(`${String(issue.path.at(-1))}: ${issue.message}`);
  return { provider, passageTokens, minScore, sources: { ...sources, ...overridden }, ranking: changed };
}

/** Takes out `sources`: its keys are names, which the defaults cannot have. */
function separateSources(overrides: unknown): {
  readonly policies: EvalConfiguration['sources'];
  readonly others: unknown;
} {
  if (!isTree(overrides)) return { policies: {}, others: overrides };
  const { sources = {}, ...others } = overrides;
  const read = policies.safeParse(sources);
  const issue = read.error?.issues[0];
  if (issue !== undefined) throw new Error(`${['sources', ...issue.path].join('.')}: ${issue.message}`);
  return { policies: read.data ?? {}, others };
}

/** Accepts the keys and types of values that the defaults have. */
function merge(defaults: Tree, overrides: unknown, section: string): Tree {
  if (!isTree(overrides))
    throw new Error(`expected keys and values${section === '' ? '' : ` in ${section}`}`);
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(overrides)) {
    const name = section + key;
    if (!Object.hasOwn(defaults, key)) throw new Error(unknownKey(name, key, Object.keys(defaults)));
    merged[key] = replaced(defaults[key], value, name);
  }
  return merged;
}

function replaced(before: unknown, value: unknown, name: string): unknown {
  if (isTree(before)) return value === null ? assertNullable(name) : merge(before, value, `${name}.`);
  if (typeof before === 'number') {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw new Error(`${name}: expected a number of at least 0, got ${JSON.stringify(value)}`);
  }
  const choices = CHOICES[name];
  if (choices !== undefined && !choices.some((choice) => choice === value)) {
    throw new Error(`${name}: expected ${choices.join(' or ')}, got ${JSON.stringify(value)}`);
  }
  if (typeof value !== typeof before)
    throw new Error(`${name}: expected ${typeof before}, got ${JSON.stringify(value)}`);
  return value;
}

/** Sections that may be null. */
const NULLABLE: readonly string[] = [
  'smoothing',
  'anchorText',
  'bridging',
  'shortTurns',
  'coverageFloor',
  'confidenceOrder',
  'newest',
] satisfies readonly (keyof Ranking)[];

function assertNullable(name: string): null {
  if (NULLABLE.includes(name)) return null;
  throw new Error(`${name}: expected keys and values, got null`);
}

function unknownKey(name: string, key: string, existing: readonly string[]): string {
  const similar = closestWord(key, existing);
  const section = name.slice(0, name.length - key.length);
  const suggestion =
    similar === undefined ? `known are ${existing.join(', ')}` : `did you mean ${section}${similar}?`;
  return `unknown key ${name}; ${suggestion}`;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
