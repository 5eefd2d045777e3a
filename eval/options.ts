import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LociError, messageOf } from '../src/core/errors.ts';
import { closestWord } from '../src/core/text/closest-word.ts';
import type { AdapterId } from '../src/adapters/create-adapter.ts';
import { ADAPTERS } from './adapter-system.ts';
import type { Question } from './answers/question-set.ts';

export const HELP = `Measures the retrieval quality of Loci, and of plain full text, grep, vectors alone and the preset classic.

  npm run eval [-- OPTIONS]

  --set FILE       run this set (.json or .json.gz) instead of all; may be repeated
  --quick          run the household set, then other indexed sets as far as they fit into a minute
  --limit N        run at most N queries of each collection
  --config FILE    JSON or YAML: keys of the ranking, passageTokens, provider, minScore, sources
  --typos          run every query once more with two words misspelt
  --ablate         disable every stage and signal in turn
  --packs          measure how many relevant documents packs of 500 to 4,000 tokens hold, and full texts of the same search
  --answers        measure only this: how many of the statements that answer questions are in packs of 500 to 4,000 tokens
  --half HALF      only the questions of this half (dev or test), with --answers
  --rerank         measure a reranker by word overlap over HTTP as the last stage: its gain and its cost
  --marks PATH     score the ranking on the marks in a store or in an export, and on the multi-hop sets
  --partly         run every query while only a part of the passages is embedded
  --adapter NAMES  measure retrieval adapters too, on the documents as notes of pools: filesystem, lancedb, loci, or all
  --postgres       measure a copy of each set in PostgreSQL too: in LOCI_TEST_POSTGRES_URL, else as npm test finds a server
  --no-baselines   measure the default only
  --json FILE      write the result, with the scores of every query
  --compare FILE   print the changes since the run that wrote FILE with --json
  --help

Besides the sets of this repository it runs those in $LOCI_EVAL_DATA, or in ../shared/eval/dev if that exists. Indexed
sets are cached in .cache/eval. After Ctrl-C, the same command continues.

  npm run eval -- --quick
  npm run eval -- --adapter all --set my-notes.json
  npm run eval -- --answers --half dev
  npm run eval -- --set my-notes.json --json before.json
  echo '{"weights": {"text": 0.6}, "smoothing": null}' > try.json
  npm run eval -- --set my-notes.json --config try.json --compare before.json
  npm run eval -- --marks ~/.loci/store.db
`;

export interface EvalOptions {
  readonly help: boolean;
  /** Empty for all. */
  readonly sets: readonly string[];
  readonly quick: boolean;
  readonly limit: number | null;
  readonly config: string | null;
  readonly compare: string | null;
  /** A store, or an export of one. */
  readonly marks: string | null;
  readonly json: string | null;
  readonly typos: boolean;
  readonly ablate: boolean;
  readonly partly: boolean;
  readonly rerank: boolean;
  readonly packs: boolean;
  readonly answers: boolean;
  /** Of the questions; `null` for both. */
  readonly half: Question['half'] | null;
  /** The adapters to measure. */
  readonly adapters: readonly AdapterId[];
  readonly postgres: boolean;
  readonly baselines: boolean;
}

const FLAGS = {
  set: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  limit: { type: 'string' },
  config: { type: 'string' },
  compare: { type: 'string' },
  marks: { type: 'string' },
  json: { type: 'string' },
  typos: { type: 'boolean' },
  ablate: { type: 'boolean' },
  partly: { type: 'boolean' },
  rerank: { type: 'boolean' },
  packs: { type: 'boolean' },
  answers: { type: 'boolean' },
  half: { type: 'string' },
  adapter: { type: 'string', multiple: true },
  postgres: { type: 'boolean' },
  'no-baselines': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws LociError `invalid_input` that names the option */
export function parseOptions(args: readonly string[]): EvalOptions {
  assertKnownOptions(args);
  const values = parseFlags(args);
  if (values.quick === true && values.set !== undefined) {
    throw new LociError('invalid_input', '--quick chooses the sets itself; leave out --set');
  }
  if (values.answers === true && (values.set !== undefined || values.quick === true)) {
    throw new LociError('invalid_input', '--answers has questions of its own; leave out --set and --quick');
  }
  if (values.json !== undefined) assertFolderExists(values.json);
  return {
    help: values.help ?? false,
    sets: values.set ?? [],
    quick: values.quick ?? false,
    limit: values.limit === undefined ? null : parseCount(values.limit),
    config: values.config ?? null,
    compare: values.compare ?? null,
    marks: values.marks ?? null,
    json: values.json ?? null,
    typos: values.typos ?? false,
    ablate: values.ablate ?? false,
    partly: values.partly ?? false,
    rerank: values.rerank ?? false,
    adapters: parseAdapters(values.adapter ?? []),
    postgres: values.postgres ?? false,
    packs: values.packs ?? false,
    answers: values.answers ?? false,
    half: values.half === undefined ? null : parseHalf(values.half, values.answers ?? false),
    baselines: !(values['no-baselines'] ?? false),
  };
}

function assertKnownOptions(args: readonly string[]): void {
  const known = Object.keys(FLAGS);
  for (const argument of args) {
    const name = /^--([^=]+)/.exec(argument)?.[1];
    if (name === undefined || known.includes(name)) continue;
    const similar = closestWord(name, known);
    const suggestion = similar === undefined ? '' : `; did you mean --${similar}?`;
    throw new LociError('invalid_input', `unknown option --${name}${suggestion}`, { hint: 'See --help.' });
  }
}

const parseFlags = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    throw new LociError('invalid_input', messageOf(error), { hint: 'See --help.' });
  }
};

function parseCount(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new LociError('invalid_input', `--limit: expected a number of queries, got ${text}`);
}

function parseAdapters(given: readonly string[]): readonly AdapterId[] {
  const names = new Set(given.flatMap((list) => list.split(',')));
  const unknown = [...names].find((name) => name !== 'all' && !ADAPTERS.some((id) => id === name));
  if (unknown !== undefined)
    throw new LociError('invalid_input', `--adapter: expected ${ADAPTERS.join(', ')} or all, got ${unknown}`);
  return ADAPTERS.filter((id) => names.has('all') || names.has(id));
}

function parseHalf(text: string, isUsed: boolean): Question['half'] {
  if (!isUsed) throw new LociError('invalid_input', '--half belongs to --answers');
  if (text === 'dev' || text === 'test') return text;
  throw new LociError('invalid_input', `--half: expected dev or test, got ${text}`);
}

/** Checked before the run, which may take an hour. */
function assertFolderExists(file: string): void {
  const folder = dirname(resolve(file));
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new LociError('invalid_input', `--json: there is no folder ${folder}`);
  }
}
