import { z } from 'zod';
import { sha256 } from '../../core/ids.ts';
import { analyze } from '../../core/text/analyze.ts';
import { findTerms } from '../../core/text/additional-terms.ts';
import type { Candidate } from '../../pack/candidate.ts';
import { type NodeCandidate, buildIndex } from '../../pack/node-pack.ts';
import type { Receipt } from '../../pack/receipt.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { answerGaps } from '../fields/record-fields.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';
import { allowCrossProject, projectField } from '../graph/graph-fields.ts';
import { graphGaps } from '../graph/graph-notices.ts';
import { NOTHING_FITS, countStrong } from '../records/results/search-messages.ts';
import { missingReceipt, ReceiptLog } from './receipt-log.ts';
import { receiptHead } from './receipts.ts';
import { assertGraphIsOn, graphFilter } from '../graph/graph-view.ts';
import { updateGraph } from '../graph/update-relations.ts';
import { searchOutcome } from '../records/search.ts';
import {
  candidatesOfSearch,
  foundHits,
  withCredentials,
  budgetField,
  formatNodeText,
  nodeCandidate,
  nodeTextFields,
  queryField,
  candidatesInReceipt,
  traceField,
} from './candidates.ts';
import { graphLane } from './graph-lane.ts';
import { runLanes, type Lane } from './lanes.ts';
import { baseLanes } from './memory-pack.ts';

const DEFAULT_BUDGET = 900;
const MAX_K = 50;
const DEFAULT_K = 10;

export const graphIndexInput = z.strictObject({
  query: queryField(),
  k: z
    .number()
    .int()
    .min(1)
    .max(MAX_K)
    .exactOptional()
    .describe(`How many candidates at most. The default is ${String(DEFAULT_K)}.`),
  budget: budgetField(DEFAULT_BUDGET),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
  trace: traceField(),
});

export const graphIndexOutput = z.strictObject({
  query: z.string(),
  ...nodeTextFields,
  ...answerGaps,
  took_ms: tookMs(),
});
export type GraphIndexOutput = z.infer<typeof graphIndexOutput>;

/**
 * An index of what is remembered about something: the best candidates with a reason each, and what to look at next. Where the graph
 * fails, it has the candidates alone, named by their citations.
 * @throws LociError `forbidden` while the graph is off, `invalid_input` for an empty query or a wrong budget
 */
export async function graphIndex(
  context: EngineContext,
  given: z.infer<typeof graphIndexInput>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<GraphIndexOutput & { readonly receipt: Receipt }> {
  const started = performance.now();
  assertGraphIsOn(context);
  const { query, project, allow_cross_project, k = DEFAULT_K, budget = DEFAULT_BUDGET } = given;
  const filter = project === undefined ? {} : { project };
  const asked = { query, ...filter, ...(signal !== undefined && { signal }) };
  const [count, outcome] = await Promise.all([
    loadTokenCounter(),
    searchOutcome(context, { ...asked, limit: k, related: 0, minScore: 0, audience: 'context' }),
  ]);
  const found = foundHits(outcome, context.config.search.minScore);
  const searched = Math.round(performance.now() - started);
  const base = await withCredentials(context, await candidatesOfSearch(context, outcome, found));
  const terms = outcome.run.queryTerms;
  const scope = { ...filter, ...(allow_cross_project !== undefined && { allow_cross_project }) };
  const neighbours = graphLane(context, {
    ...{ isOn: true, terms, minScore: context.config.search.minScore },
    ...scope,
  });
  /** By record. Empty where the lane fails or is late. */
  let nodes: ReadonlyMap<number, GraphNode> = new Map();
  const expand: Lane['expand'] = async (known, deadline) => {
    // Servers derive the graph of their own namespace only. A derivation that takes too long continues after the deadline.
    await updateGraph(context);
    const added = await withCredentials(context, await neighbours.expand(known, deadline));
    const records = [...known, ...added].map(({ record }) => record.id);
    const visible = await graphFilter(context, { audience: 'context' });
    const read = await context.graph.nodes(context.namespace, { records }, visible);
    deadline.throwIfAborted();
    // The node of a record precedes those of its tasks.
    nodes = new Map(read.toReversed().map((node) => [node.record!, node]));
    return added;
  };
  const { candidates: all, lanes } = await runLanes(base, [{ ...neighbours, expand }]);
  const candidates = all.map((each): NodeCandidate => {
    const node = nodes.get(each.record.id) ?? null;
    return nodeCandidate(each, node, each.via ?? matchOf(each, query, terms));
  });
  const nothing = 'nothing that is remembered is likely to be about the query';
  const index = buildIndex({ candidates, budget, count, nothing });
  const receipt: Receipt = {
    ...receiptHead(context, 'graph_index', project ?? null),
    query_hash: sha256(query),
    lanes: [...baseLanes(outcome, searched), ...lanes],
    ...index.receipt,
  };
  const shown = candidatesInReceipt(receipt, candidates);
  const direct = shown.filter(({ path }) => path === null);
  const receipt_id = await context.shared(ReceiptLog).write(context.namespace, receipt);
  const took_ms = millisecondsSince(started);
  return {
    query,
    ...formatNodeText(index, shown, receipt, receipt_id),
    missing: [...outcome.retrieved.missing],
    notices: [
      ...outcome.notices,
      ...(direct.length > 0 && countStrong(direct) === 0 ? [NOTHING_FITS] : []),
      ...(await graphGaps(context, receipt.lanes, scope)),
      ...missingReceipt(context),
    ],
    took_ms,
  };
}

/** Words of the query that a reason names at most. */
const MAX_WORDS = 6;

/** Which words of the query a candidate has. */
function matchOf({ record, passage }: Candidate, query: string, terms: ReadonlySet<string>): string {
  const found = new Set(findTerms(`${record.title}\n${passage.text}`, terms).map(({ term }) => term));
  const words = analyze(query, MAX_ANALYZED).flatMap(({ term, surface, kind }) =>
    kind !== 'tail' && found.has(term) ? [surface] : [],
  );
  const named = [...new Set(words)].slice(0, MAX_WORDS).map((word) => `‘${word.slice(0, MAX_WORD)}’`);
  return named.length === 0 ? 'similar in meaning' : `has ${named.join(', ')}`;
}

/** Words of a query that are compared. */
const MAX_ANALYZED = 200;
/** UTF-16 code units. */
const MAX_WORD = 30;
