import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LociError, messageOf } from '../src/core/errors.ts';
import { nearest } from '../src/core/text/nearest.ts';

export const HELP = `Measures how well Loci finds things, beside plain full text, grep, vectors alone and the preset classic.

  npm run eval [-- OPTIONS]

  --set FILE       this set (.json or .json.gz) and not all; may be repeated
  --quick          the household set, then of the others those that are indexed already and fit into a minute
  --limit N        at most N queries of each collection, for a first look
  --config FILE    JSON or YAML: keys of the ranking, passageTokens, provider, minScore, sources
  --typos          every query once more with two words misspelt
  --ablate         every stage and signal switched off in turn
  --no-baselines   the default alone
  --json FILE      writes the result, the scores of every query included
  --compare FILE   what has changed since the run that wrote FILE with --json
  --help

Sets are read from $LOCI_EVAL_DATA, else from ../shared/eval/dev where that is, besides our own. Indexed sets are kept
in .cache/eval; stopped with Ctrl-C, the same command goes on.

  npm run eval -- --quick
  npm run eval -- --set my-notes.json --json before.json
  echo '{"weights": {"text": 0.6}, "smoothing": null}' > try.json
  npm run eval -- --set my-notes.json --config try.json --compare before.json
`;

export interface EvalOptions {
  readonly help: boolean;
  /** Empty: all there are. */
  readonly sets: readonly string[];
  readonly quick: boolean;
  readonly limit: number | null;
  readonly config: string | null;
  readonly compare: string | null;
  readonly json: string | null;
  readonly typos: boolean;
  readonly ablate: boolean;
  readonly baselines: boolean;
}

const FLAGS = {
  set: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  limit: { type: 'string' },
  config: { type: 'string' },
  compare: { type: 'string' },
  json: { type: 'string' },
  typos: { type: 'boolean' },
  ablate: { type: 'boolean' },
  'no-baselines': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws LociError `invalid_input` that names the option */
export function parseOptions(args: readonly string[]): EvalOptions {
  refuseUnknown(args);
  const values = valuesOf(args);
  if (values.quick === true && values.set !== undefined) {
    throw new LociError('invalid_input', '--quick chooses the sets itself: leave out --set');
  }
  if (values.json !== undefined) refuseUnwritable(values.json);
  return {
    help: values.help ?? false,
    sets: values.set ?? [],
    quick: values.quick ?? false,
    limit: values.limit === undefined ? null : countOf(values.limit),
    config: values.config ?? null,
    compare: values.compare ?? null,
    json: values.json ?? null,
    typos: values.typos ?? false,
    ablate: values.ablate ?? false,
    baselines: !(values['no-baselines'] ?? false),
  };
}

function refuseUnknown(args: readonly string[]): void {
  const known = Object.keys(FLAGS);
  for (const argument of args) {
    const name = /^--([^=]+)/.exec(argument)?.[1];
    if (name === undefined || known.includes(name)) continue;
    const meant = nearest(name, known);
    const suggestion = meant === undefined ? '' : `; did you mean --${meant}?`;
    throw new LociError('invalid_input', `unknown option --${name}${suggestion}`, { hint: 'See --help.' });
  }
}

const valuesOf = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    throw new LociError('invalid_input', messageOf(error), { hint: 'See --help.' });
  }
};

function countOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new LociError('invalid_input', `--limit: expected a number of queries, got ${text}`);
}

/** Said before an hour's work, not after it. */
function refuseUnwritable(file: string): void {
  const folder = dirname(resolve(file));
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new LociError('invalid_input', `--json: there is no folder ${folder}`);
  }
}
