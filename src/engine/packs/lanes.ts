import { LociError } from '../../core/errors.ts';
import { within } from '../../core/time/deadline.ts';
import type { Candidate } from '../../pack/candidate.ts';
import type { ReceiptLane } from '../../pack/receipt.ts';

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

export interface Expanded {
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
