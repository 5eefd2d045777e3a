import { z } from 'zod';
import type { Passage } from '../../core/types.ts';
import { expand, MAX_DEPTH, type ExpandedNode } from '../../graph/expand.ts';
import type { WalkOptions } from '../../graph/walk.ts';
import { type NodeCandidate, buildNodePack } from '../../pack/node-pack.ts';
import type { Receipt, ReceiptLane } from '../../pack/receipt.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';
import {
  allowCrossProject,
  NODE_NAMES,
  nodeName,
  noticesOutput,
  projectField,
  unknownOutput,
} from '../graph/graph-fields.ts';
import { graphGaps } from '../graph/graph-notices.ts';
import { expire } from '../shared/retention.ts';
import { missingReceipt, ReceiptLog } from './receipt-log.ts';
import { findNodes } from '../graph/find-nodes.ts';
import { assertGraphIsOn, walkOptions } from '../graph/graph-view.ts';
import { updateGraph } from '../graph/update-relations.ts';
import {
  candidatesOf,
  withCredentials,
  type FoundHit,
  budgetField,
  formatNodeText,
  nodeCandidate,
  nodeTextFields,
  candidatesInReceipt,
  traceField,
} from './candidates.ts';
import { receiptHead } from './receipts.ts';
import { firstOfRecords, GRAPH_LANE, pathExplainer } from './graph-lane.ts';
import { NO_PASSAGE, runLanes } from './lanes.ts';

/** `safe` has summaries and no raw text; `snippets` adds a part of the text of each node, within caps. */
const PACK_MODES = ['safe', 'snippets'] as const;

const DEFAULT_BUDGET = 2000;
const MAX_NODES = 20;
const DEFAULT_DEPTH = 1;

export const graphPackInput = z.strictObject({
  nodes: z.array(nodeName()).min(1).max(MAX_NODES).describe(`Nodes to pack: ${NODE_NAMES}.`),
  depth: z
    .number()
    .int()
    .min(0)
    .max(MAX_DEPTH)
    .exactOptional()
    .describe(
      `How many steps around the nodes; 0 for the nodes alone. The default is ${String(DEFAULT_DEPTH)}.`,
    ),
  budget: budgetField(DEFAULT_BUDGET),
  mode: z
    .enum(PACK_MODES)
    .exactOptional()
    .describe('`safe` (the default) has summaries and no raw text; `snippets` adds a part of each text.'),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
  trace: traceField(),
});

export const graphPackOutput = z.strictObject({
  ...nodeTextFields,
  mode: z.enum(PACK_MODES),
  notices: noticesOutput,
  unknown: unknownOutput.describe('The names without a node.'),
  took_ms: tookMs(),
});
export type GraphPackOutput = z.infer<typeof graphPackOutput>;

/** Neighbours at most, besides the nodes themselves. */
const MAX_NEIGHBOURS = 20;
/** The lane of what was asked for, as receipts name it. */
const NODES_LANE = 'nodes';

/**
 * Summaries of nodes and of what is around them, each with its citation and the reason why it is there. Names without a node do not keep
 * the others from being answered; where the neighbours cannot be read in time, the nodes are there without them.
 * @throws LociError `forbidden` while the graph is off, `invalid_input` for a wrong depth or budget
 */
export async function graphPack(
  context: EngineContext,
  given: z.infer<typeof graphPackInput>,
): Promise<GraphPackOutput & { readonly receipt: Receipt }> {
  const started = performance.now();
  assertGraphIsOn(context);
  const { depth = DEFAULT_DEPTH, budget = DEFAULT_BUDGET, mode = 'safe', project } = given;
  const count = await loadTokenCounter();
  await expire(context);
  await updateGraph(context);
  const scope = { ...given, audience: 'context' } as const;
  const options = await walkOptions(context, scope);
  const { nodes, unknown } = await findNodes(context, given.nodes, options.filter);
  const asked = await nodeCandidates(
    context,
    nodes.map((node) => ({ node, score: 1, path: [] })),
  );
  const looked = Math.round(performance.now() - started);
  let near: readonly NodeCandidate[] = [];
  const { lanes } = await runLanes(asked, [
    {
      name: GRAPH_LANE,
      deadlineMs: context.config.graph.deadline,
      isOff: depth === 0,
      expand: async (_, signal) => {
        const found = await nodeCandidates(context, await neighbours(options, { nodes, depth }));
        signal.throwIfAborted();
        near = found;
        return found;
      },
    },
  ]);
  const candidates = [...asked, ...near];
  const nothing = nodes.length === 0 ? 'no node has any of these names' : 'no record is there';
  const withSnippets = mode === 'snippets';
  const pack = await buildNodePack({ candidates, budget, count, nothing, withSnippets });
  const own: ReceiptLane = {
    ...{ name: NODES_LANE, status: 'answered' as const, took_ms: looked },
    ...{ candidates: asked.length, failure: null },
  };
  const receipt: Receipt = {
    ...receiptHead(context, 'graph_pack', project ?? null),
    query_hash: null,
    lanes: [own, ...lanes],
    ...pack.receipt,
  };
  const receipt_id = await context.shared(ReceiptLog).write(context.namespace, receipt);
  const took_ms = millisecondsSince(started);
  return {
    ...formatNodeText(pack, candidatesInReceipt(receipt, candidates), receipt, receipt_id),
    mode,
    notices: [
      ...(await graphGaps(context, receipt.lanes, { ...scope, names: given.nodes })),
      ...missingReceipt(context),
    ],
    unknown,
    took_ms,
  };
}

/** The records that the graph leads to, without those that are there already. */
async function neighbours(
  options: WalkOptions,
  { nodes, depth }: { readonly nodes: readonly GraphNode[]; readonly depth: number },
): Promise<ExpandedNode[]> {
  const anchors = nodes.map((node) => ({ node, score: 1 }));
  // Tasks share the record of their note.
  const near = await expand({ ...options, depth, limit: 3 * MAX_NEIGHBOURS }, anchors);
  return firstOfRecords(near, nodes.map(({ record }) => record)).slice(0, MAX_NEIGHBOURS); // prettier-ignore
}

/** Candidates of nodes; those without a path were asked for. A tag and other nodes that records share have none. */
async function nodeCandidates(
  context: EngineContext,
  nodes: readonly ExpandedNode[],
): Promise<NodeCandidate[]> {
  const ids = [...new Set(nodes.flatMap(({ node }) => node.record ?? []))];
  const [passages, { explain, ...cited }] = await Promise.all([
    context.store.records.passagesOf(context.namespace, ids),
    pathExplainer(
      context,
      nodes.map(({ path }) => path),
      ids,
    ),
  ]);
  const found = nodes.flatMap((each): { readonly node: GraphNode; readonly hit: FoundHit }[] => {
    const record = cited.records.get(each.node.record ?? -1);
    if (record === undefined) return [];
    const passage = passageOf(each, passages.get(record.id) ?? []) ?? NO_PASSAGE;
    const isAsked = each.path.length === 0;
    const hit = {
      hit: { passage: { ...passage, record }, confidence: each.score },
      ...{ lane: isAsked ? NODES_LANE : GRAPH_LANE, relevance: each.score, isBelowThreshold: false },
      ...(isAsked ? { path: null, via: null } : explain(each.path)),
    };
    return [{ node: each.node, hit }];
  });
  const hits = found.map(({ hit }) => hit);
  const candidates = await withCredentials(context, candidatesOf(hits, cited));
  return candidates.map((each, i) => nodeCandidate(each, found[i]!.node, each.via ?? 'asked for'));
}

/** The passage that has the task, or the lines that led to the node; else the first one. */
function passageOf({ node, path }: ExpandedNode, passages: readonly Passage[]): Passage | undefined {
  const place = path.at(-1)?.edge.provenance;
  const isThere = place !== undefined && place.record === node.record;
  const own = node.type === 'task' ? node.provenance : isThere ? place : null;
  const line = own?.lines?.first;
  const there = passages.find(
    ({ startLine, endLine }) => line !== undefined && startLine <= line && line <= endLine,
  );
  return there ?? passages[0];
}
