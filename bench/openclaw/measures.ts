import type { Measure } from '../report.ts';
import { quantile, sum } from '../timing.ts';
import { recallAt, type NoteQuery } from './notes.ts';
import type { ProcessMemory } from './process-figures.ts';
import type { Asked } from './searches.ts';
import type { Memory, Start } from './variants.ts';

type ByMemory<Figures> = ReadonlyMap<Memory, Figures>;
type Searches = ByMemory<readonly Asked[]>;

/** Loci, and the configuration of memory-core that it is compared with. */
const PAIRS: readonly { readonly name: string; readonly loci: Memory; readonly core: Memory }[] = [
  { name: 'text', loci: 'loci text', core: 'core text' },
  { name: 'hybrid', loci: 'loci hybrid', core: 'core hybrid' },
];

const MAX_SEARCH_RATIO = 0.5;
const MAX_ADDED_MB = 250;
const MAX_ADDED_READY_MS = 100;
const MAX_FOUND_MS = 100;
const MAX_TOKENS = 1200;
/** Characters of a token of English text. */
const TOKEN_LENGTH = 4;
/** A vector that was computed in a batch may order two results with equal scores differently. */
const LEAST_EQUAL = 0.99;
const COMPARED_RESULTS = 5;
const SHARES = [0.5, 0.95];

/** @param host times of calls that the host refuses */
export function searchMeasures(asked: Searches, byEngine: Searches, host: readonly number[]): Measure[] {
  const ms = (searches: readonly Asked[]): number[] => searches.map((each) => each.ms);
  const ofHost: Measure = {
    what: 'a call that the host refuses, p50',
    unit: 'ms',
    ours: quantile(host, 0.5),
  };
  const ofMemories = PAIRS.flatMap(({ name, loci, core }): Measure[] => [
    ...SHARES.map((share): Measure => ({
      what: `Loci, ${name}, p${String(share * 100)}`,
      unit: 'ms',
      ours: quantile(ms(of(asked, loci)), share),
      baseline: { name: 'memory-core', value: quantile(ms(of(asked, core)), share) },
      target: { of: 'ratio', most: MAX_SEARCH_RATIO, checked: false },
    })),
    {
      what: `of which the engine takes, ${name}, p50`,
      unit: 'ms',
      ours: quantile(ms(of(byEngine, loci)), 0.5),
    },
    ...answerMeasures(name, of(asked, loci), of(asked, core)),
  ]);
  return [ofHost, ...ofMemories];
}

function answerMeasures(name: string, loci: readonly Asked[], core: readonly Asked[]): Measure[] {
  const tokens = (searches: readonly Asked[]): number[] =>
    searches.map(({ length }) => length / TOKEN_LENGTH);
  return [
    { what: 'median', share: 0.5 },
    { what: 'longest', share: 1 },
  ].map(({ what, share }) => ({
    what: `answer, ${name}, ${what} (characters / ${String(TOKEN_LENGTH)})`,
    unit: 'tokens',
    ours: quantile(tokens(loci), share),
    baseline: { name: 'memory-core', value: quantile(tokens(core), share) },
    target: { of: 'ours', most: MAX_TOKENS, checked: true },
  }));
}

export function writeMeasures(written: ByMemory<readonly number[]>): Measure[] {
  return PAIRS.flatMap(({ name, loci, core }) =>
    SHARES.map((share): Measure => ({
      what: `Loci, ${name}, p${String(share * 100)}`,
      unit: 'ms',
      ours: quantile(of(written, loci), share),
      baseline: { name: 'a file for memory-core', value: quantile(of(written, core), share) },
      target: { of: 'ours', most: MAX_FOUND_MS, checked: false },
    })),
  );
}

/** The memory of the gateway and its child processes, above that of one without memory. */
export function memoryMeasures(memory: ByMemory<ProcessMemory>): Measure[] {
  const kinds = [
    { kind: 'PSS', added: (each: Memory) => of(memory, each).pssMb - of(memory, 'none').pssMb },
    { kind: 'RSS', added: (each: Memory) => of(memory, each).rssMb - of(memory, 'none').rssMb },
  ];
  return PAIRS.flatMap(({ name, loci, core }) =>
    kinds.map(({ kind, added }): Measure => ({
      what: `Loci adds, ${name}, ${kind}`,
      unit: 'MB',
      ours: added(loci),
      baseline: { name: 'memory-core adds', value: added(core) },
      target: { of: 'ours', most: MAX_ADDED_MB, checked: false },
    })),
  );
}

export function readyMeasures(starts: ByMemory<Start>): Measure[] {
  const [none, loci] = [of(starts, 'none'), of(starts, 'loci hybrid')];
  return [
    {
      what: 'Loci adds to the time until the gateway is ready',
      unit: 'ms',
      ours: loci.readyMs - none.readyMs,
      baseline: { name: 'a gateway without memory', value: none.readyMs },
      target: { of: 'ours', most: MAX_ADDED_READY_MS, checked: false },
    },
    {
      what: 'Loci adds to the CPU time until then',
      unit: 'ms',
      ours: loci.cpuMs - none.cpuMs,
      baseline: { name: 'a gateway without memory', value: none.cpuMs },
    },
  ];
}

/**
 * Recall through the gateways. Queries that were made from a sentence of a note are apart: Loci reads the sentences around links,
 * so that it finds the removed link again, which `npm run eval` prevents.
 */
export function retrievalMeasures(
  queries: readonly NoteQuery[],
  asked: Searches,
  byEngine: Searches,
): Measure[] {
  const groups = [
    { group: '', isIn: () => true },
    { group: ', queries of no note', isIn: ({ madeFrom }: NoteQuery) => madeFrom === null },
  ];
  return PAIRS.flatMap(({ name, loci, core }) => [
    {
      what: `first ${String(COMPARED_RESULTS)} results equal those of the engine, ${name}`,
      unit: 'share',
      ours: shareEqual(of(asked, loci), of(byEngine, loci)),
      target: { of: 'ours', least: LEAST_EQUAL, checked: true },
    },
    ...groups.flatMap(({ group, isIn }) =>
      [1, COMPARED_RESULTS].flatMap((count): Measure[] => {
        const recall = (searches: readonly Asked[]): number => {
          const shares = queries.flatMap((query, i) =>
            isIn(query) ? [recallAt(count, query, searches[i]?.paths ?? [])] : [],
          );
          return sum(shares) / shares.length;
        };
        const what = `R@${String(count)}, ${name}${group}`;
        const ours = recall(of(asked, loci));
        return [
          { what, unit: 'share', ours, baseline: { name: 'memory-core', value: recall(of(asked, core)) } },
          { what, unit: 'share', ours, baseline: { name: 'the engine', value: recall(of(byEngine, loci)) } },
        ];
      }),
    ),
  ]);
}

function shareEqual(some: readonly Asked[], others: readonly Asked[]): number {
  const first = ({ paths }: Asked): string => paths.slice(0, COMPARED_RESULTS).join('\n');
  return sum(some.map((each, i) => (first(each) === first(others[i]!) ? 1 : 0))) / some.length;
}

/** @throws Error if that memory was not measured */
function of<Figures>(figures: ByMemory<Figures>, memory: Memory): Figures {
  const found = figures.get(memory);
  if (found === undefined) throw new Error(`there are no figures of ${memory}`);
  return found;
}
