import type { TimelineOutput } from '../../../engine/packs/timeline.ts';
import { citationPrefix, runInAll, splitCitation } from '../../shared/several-namespaces.ts';
import { runOperation } from '../../../operations/run.ts';
import { maxTokensOf } from './answers.ts';
import type { GatewayEngine } from './engine.ts';
import { requireReadable } from '../host/grant.ts';
import { type Call, operation, parsed } from './run-tool.ts';

type Entry = TimelineOutput['entries'][number];

export interface TimelineAnswer extends Pick<TimelineOutput, 'time' | 'more_before' | 'more_after'> {
  /** Oldest first. */
  readonly entries: readonly Pick<Entry, 'position' | 'when' | 'title' | 'citation' | 'source'>[];
}

/** What the input of the operation may be. */
interface TimelineRequest {
  readonly anchor?: string;
  readonly time?: number;
  readonly before?: number;
  readonly after?: number;
  readonly budget?: number;
}

const DEFAULT_SIDE = 10;
/** Notes without a date are before all times. */
const NO_DATE = '';

/** The timeline of all namespaces that the turn may read, around a record of one of them or a moment. @throws LociError */
export async function timelineOf(engine: GatewayEngine, input: unknown, call: Call): Promise<TimelineAnswer> {
  const { turn, signal } = call;
  const namespaces = await engine.searched(turn);
  const own = requireReadable(engine.grant(turn));
  const timeline = await operation<TimelineOutput>('timeline');
  const { anchor, ...request } = parsed(timeline.input, input) as TimelineRequest;
  const run = (namespace: string, given: TimelineRequest): Promise<TimelineOutput> =>
    runOperation(timeline, engine.contextOf(namespace, turn.agent, signal), given);
  const found = anchor === undefined ? null : splitCitation(anchor, own, namespaces);
  const first = found === null ? null : await run(found.namespace, { ...request, anchor: found.citation });
  const middle = first?.time ?? null;
  const around = middle === null ? request : { ...request, time: Date.parse(middle) };
  // Nothing of another namespace is near a note without a date.
  const asked = first !== null && middle === null ? [found!.namespace] : namespaces;
  const outputs = await runInAll(asked, (namespace) =>
    first !== null && namespace === found?.namespace ? Promise.resolve(first) : run(namespace, around),
  );
  const cited = outputs.map(({ namespace, output }) => ({
    ...output,
    entries: output.entries.map((entry) => ({
      ...entry,
      citation: citationPrefix(namespace, own) + entry.citation,
    })),
  }));
  return merged(cited, request, cited[0]!.time, engine.settings.maxTokens);
}

/** The entries of all outputs that are nearest to the middle. Where one output ends, farther entries of the others are left out. */
function merged(
  outputs: readonly TimelineOutput[],
  { before = DEFAULT_SIDE, after = DEFAULT_SIDE, budget }: TimelineRequest,
  time: string | null,
  maxTokens: number,
): TimelineAnswer {
  const completeFrom = outputs.flatMap(({ more_before, entries: [first] }) =>
    more_before ? [(first ?? { time }).time ?? NO_DATE] : [],
  );
  const completeUntil = outputs.flatMap(({ more_after, entries }) =>
    more_after ? [(entries.at(-1) ?? { time }).time ?? NO_DATE] : [],
  );
  const timeOf = (entry: Entry): string => entry.time ?? NO_DATE;
  const all = outputs.flatMap(({ entries }) => entries).sort((a, b) => compareTexts(timeOf(a), timeOf(b)));
  const inside = all.filter(
    (entry) =>
      entry.position === 'anchor' ||
      (completeFrom.every((limit) => timeOf(entry) >= limit) &&
        completeUntil.every((limit) => timeOf(entry) <= limit)),
  );
  const at = (position: Entry['position']): Entry[] => inside.filter((entry) => entry.position === position);
  const earlier = before === 0 ? [] : at('before').slice(-before);
  const later = at('after').slice(0, after);
  let left = budget ?? maxTokens;
  const fitting = [...at('anchor'), ...inTurn(earlier.toReversed(), later)].map(shown).filter((entry, i) => {
    left -= maxTokensOf(JSON.stringify(entry));
    return left >= 0 || i === 0;
  });
  const count = (position: Entry['position']): number =>
    fitting.filter((entry) => entry.position === position).length;
  return {
    time,
    entries: [
      ...fitting.filter(({ position }) => position === 'before').toReversed(),
      ...fitting.filter(({ position }) => position === 'anchor'),
      ...fitting.filter(({ position }) => position === 'after'),
    ],
    more_before:
      completeFrom.length > 0 || count('before') < all.filter(({ position }) => position === 'before').length,
    more_after:
      completeUntil.length > 0 || count('after') < all.filter(({ position }) => position === 'after').length,
  };
}

/** The items of two lists in turn. */
function inTurn<Item>(first: readonly Item[], second: readonly Item[]): Item[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, i) => [...first.slice(i, i + 1), ...second.slice(i, i + 1)]).flat();
}

function shown({ position, when, title, citation, source }: Entry): TimelineAnswer['entries'][number] {
  return { position, when, title, citation, source };
}

/** Times in ISO 8601 are in the order of their characters. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
