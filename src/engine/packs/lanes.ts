import { LociError } from '../../core/errors.ts';
import { within } from '../../core/time/deadline.ts';
import type { Candidate } from '../../pack/candidate.ts';
import type { ReceiptLane } from '../../pack/receipt.ts';
import type { Embed } from '../../pack/sections/cut.ts';
import { linkSpans } from '../../sources/markdown/scan-links.ts';
import { admits } from '../../store/rules/filter.ts';
import type { SearchFilter } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../shared/citations.ts';

/**
 * A further way to find candidates for a pack, such as the graph: it starts from what the search has found. A lane that fails or is late
 * changes nothing but its entry in the receipt.
 */
export interface Lane {
  readonly name: string;
  /** Later results of the lane are not used. Milliseconds; 0 means no deadline. */
  readonly deadlineMs: number;
  /** Whether it is off by a setting or by the request. */
  readonly isOff: boolean;
  /** @param signal aborts at the deadline */
  expand(base: readonly Candidate[], signal: AbortSignal): Promise<readonly Candidate[]>;
}

interface Expanded {
  /** The base, then what lanes added, each record once. */
  readonly candidates: readonly Candidate[];
  readonly lanes: readonly ReceiptLane[];
}

/** Runs all lanes at once and adds what they find, in the order of the lanes. */
export async function runLanes(base: readonly Candidate[], lanes: readonly Lane[]): Promise<Expanded> {
  const results = await Promise.all(lanes.map((lane) => runLane(lane, base)));
  const candidates = [...base];
  const known = new Set(base.map(({ record }) => record.id));
  const receipts = results.map(({ found, receipt }): ReceiptLane => {
    const added = found.filter(({ record: { id } }) => !known.has(id));
    for (const candidate of added) {
      known.add(candidate.record.id);
      candidates.push(candidate);
    }
    return { ...receipt, candidates: added.length };
  });
  return { candidates, lanes: receipts };
}

interface LaneResult {
  readonly found: readonly Candidate[];
  readonly receipt: Omit<ReceiptLane, 'candidates'>;
}

async function runLane(lane: Lane, base: readonly Candidate[]): Promise<LaneResult> {
  const { name, deadlineMs, isOff } = lane;
  if (isOff) return { found: [], receipt: { name, status: 'off', took_ms: 0, failure: null } };
  const started = performance.now();
  const receiptOf = (status: ReceiptLane['status'], failure: string | null): LaneResult['receipt'] => ({
    name,
    status,
    took_ms: Math.round(performance.now() - started),
    failure,
  });
  const controller = new AbortController();
  try {
    const found = await within<readonly Candidate[] | null>(
      lane.expand(base, controller.signal),
      deadlineMs,
      () => null,
    );
    if (found === null) {
      controller.abort();
      return { found: [], receipt: receiptOf('late', null) };
    }
    return { found, receipt: receiptOf('answered', null) };
  } catch (error) {
    const failure = error instanceof LociError ? error.code : 'internal';
    if (failure === 'timed_out') return { found: [], receipt: receiptOf('late', null) };
    return { found: [], receipt: receiptOf('failed', failure) };
  }
}

/** Candidates whose embeds are followed: the best ones, since a section of others is rarely shown. */
const MAX_HOSTS = 20;
/** Embeds that are followed. */
const MAX_EMBEDS = 100;
/** Without an answer within this time, a pack shows the embeds as they are written. Milliseconds. */
const DEADLINE_MS = 500;
/** Stands for the passage of a record that no search has found, or that has none, such as an empty note. */
export const NO_PASSAGE = { ordinal: 0, text: '', startLine: 1, endLine: 1 };

/**
 * Finds the notes that candidates embed, so that a section is shown together with what it embeds.
 * @param filter what the records of the pack must meet
 * @param onFound receives the embeds, unless the lane fails or is late
 */
export function embedLane(
  context: EngineContext,
  filter: SearchFilter,
  citationPrefix: string,
  onFound: (embeds: readonly Embed[]) => void,
): Lane {
  const expand: Lane['expand'] = async (base, signal) => {
    const written = base
      .filter(({ record, excluded }) => excluded === null && record.origin === 'vault')
      .slice(0, MAX_HOSTS)
      .flatMap(embedsIn)
      .slice(0, MAX_EMBEDS);
    if (written.length === 0) return [];
    const { store, namespace, now } = context;
    const selector = {
      from: [...new Set(written.map(({ host }) => host))],
      targets: [...new Set(written.map(({ target }) => target))],
    };
    const links = await store.records.links(namespace, selector, { after: null, limit: MAX_EMBEDS * 4 });
    const targets = new Map(
      links.flatMap(({ record, target, type, targetRecord }) =>
        type === 'embed' && targetRecord !== null ? [[`${String(record)} ${target}`, targetRecord]] : [],
      ),
    );
    const embeds = written.flatMap(({ target, ...embed }): Embed[] => {
      const record = targets.get(`${String(embed.host)} ${target}`);
      return record === undefined || record === embed.host ? [] : [{ ...embed, record }];
    });
    const hosts = new Map(base.map((candidate) => [candidate.record.id, candidate]));
    const missing = [...new Set(embeds.map(({ record }) => record))].filter((id) => !hosts.has(id));
    const found = await store.records.get(namespace, missing, { liveAt: now() });
    const records = found.filter((record) => admits(record, filter));
    const citations = await wholeCitations(context, records);
    signal.throwIfAborted();
    onFound(embeds);
    // They have no relevance of their own: they are here because a candidate embeds them.
    return records.map((record, i): Candidate => {
      const host = hosts.get(embeds.find((embed) => embed.record === record.id)!.host)!;
      const via = `embedded in ${citationPrefix}${host.citation}`;
      return {
        ...{ record, passage: NO_PASSAGE, passages: [], secrets: [], score: host.score, relevance: 0 },
        ...{ lane: 'embeds', path: null, via, excluded: null, citation: citations[i]! },
      };
    });
  };
  return { name: 'embeds', deadlineMs: DEADLINE_MS, isOff: false, expand };
}

type WrittenEmbed = Omit<Embed, 'record'> & { readonly target: string };

function embedsIn({ record: { id, content } }: Candidate): WrittenEmbed[] {
  if (!content.includes('![')) return [];
  return linkSpans(content).flatMap(({ link: { target, heading, block, embed }, start }) =>
    embed === true && target !== ''
      ? [
          {
            ...{ host: id, offset: start, target },
            ...(heading !== undefined && { heading }),
            ...(block !== undefined && { block }),
          },
        ]
      : [],
  );
}
