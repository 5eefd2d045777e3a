import { LociError } from '../../core/errors.ts';
import { sha256, uuidv7 } from '../../core/ids.ts';
import { analyze } from '../../core/text/analyze.ts';
import { findTerms } from '../../core/text/additional-terms.ts';
import type { Candidate } from '../../pack/candidate.ts';
import type { NodeCandidate } from '../../pack/node-items.ts';
import { buildIndex } from '../../pack/node-pack.ts';
import { RECEIPT_VERSION, type Receipt } from '../../pack/receipt.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import type { MissingSignal } from '../../search/retrieve/signals.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { ReceiptLog } from './receipt-log.ts';
import { assertGraphIsOn, graphFilter } from '../graph/graph-view.ts';
import { updateGraph } from '../graph/update-relations.ts';
import { searchOutcome } from '../records/search.ts';
import { candidatesOf, foundHits, withCredentials } from './candidates.ts';
import { graphLane } from './graph-lane.ts';
import { runLanes, type Lane } from './lanes.ts';
import { baseLanes } from './memory-pack.ts';
import { nodeCandidate, shownIn, type ShownCandidate } from './node-candidates.ts';

export interface GraphIndexRequest {
  readonly query: string;
  readonly project?: string;
  /** Asks to follow edges into other projects. The settings decide whether it may, and which types. */
  readonly allowCrossProject?: boolean;
  /** Candidates at most. */
  readonly k: number;
  /** Tokens of o200k that the text may have. */
  readonly budget: number;
  readonly signal?: AbortSignal;
}

/** A text about nodes, and what is in it. */
export interface NodeTextResponse {
  /** A text for the context of a model; empty if the budget is too small or there is nothing to show. */
  readonly text: string;
  readonly tokens: number;
  /** Why the text is empty, in words; `null` unless it is. */
  readonly empty: string | null;
  /** In the order of the text. */
  readonly candidates: readonly ShownCandidate[];
  /** Nodes that the graph suggests beside them, with the reason. */
  readonly expansions: readonly ShownCandidate[];
  readonly receipt: Receipt;
  /** The id of the receipt in the store; `null` if it could not be stored. */
  readonly receiptId: string | null;
  readonly milliseconds: number;
}

export type GraphIndexResponse = NodeTextResponse & {
  /** Signals of the search that could not answer. */
  readonly missing: readonly MissingSignal[];
  readonly notices: readonly string[];
};

/**
 * An index of what is remembered about something: the best candidates with a reason each, and what to look at next. Where the graph
 * fails, it has the candidates alone, named by their citations.
 * @throws LociError `forbidden` while the graph is off, `invalid_input` for an empty query or a wrong budget
 */
export async function graphIndex(
  context: EngineContext,
  request: GraphIndexRequest,
): Promise<GraphIndexResponse> {
  const started = performance.now();
  assertGraphIsOn(context);
  assertBudget(request.budget);
  const { query, project, k, budget, signal } = request;
  const filter = project === undefined ? {} : { project };
  const asked = { query, ...filter, ...(signal !== undefined && { signal }) };
  const [count, outcome] = await Promise.all([
    loadTokenCounter(),
    searchOutcome(context, { ...asked, limit: k, related: 0, minScore: 0, audience: 'context' }),
  ]);
  const found = foundHits(outcome, context.config.search.minScore);
  const searched = Math.round(performance.now() - started);
  const base = await withCredentials(context, await candidatesOf(context, found));
  const terms = outcome.run.queryTerms;
  const lane = new IndexLane(context, {
    ...{ isOn: true, terms, filter, minScore: context.config.search.minScore },
    allowCrossProject: request.allowCrossProject ?? false,
  });
  const { candidates: all, lanes } = await runLanes(base, [lane]);
  const candidates = all.map((each): NodeCandidate => {
    const node = lane.nodes.get(each.record.id) ?? null;
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
  const shown = shownIn(receipt.pieces, candidates);
  return {
    ...{ text: index.text, tokens: index.tokens, empty: index.empty },
    candidates: shown.filter(({ isExpansion }) => !isExpansion),
    expansions: shown.filter(({ isExpansion }) => isExpansion),
    missing: outcome.retrieved.missing,
    notices: outcome.notices,
    receipt,
    receiptId: await context.shared(ReceiptLog).write(context.namespace, receipt),
    milliseconds: performance.now() - started,
  };
}

/** @throws LociError `invalid_input` */
export function assertBudget(budget: number): void {
  if (Number.isSafeInteger(budget) && budget >= 1) return;
  throw new LociError('invalid_input', 'the budget is a whole number of tokens, 1 or more');
}

export function receiptHead(
  { now }: EngineContext,
  kind: Receipt['kind'],
  project: string | null,
): Pick<Receipt, 'version' | 'id' | 'kind' | 'at' | 'project'> {
  return {
    version: RECEIPT_VERSION,
    id: uuidv7(now()),
    kind,
    at: new Date(now()).toISOString(),
    project,
  };
}

/** The lane of the graph, which also looks up the nodes of all candidates. */
class IndexLane implements Lane {
  readonly name: string;
  readonly deadlineMs: number;
  readonly isOff: boolean;
  /** By record. Empty where the lane fails or is late. */
  nodes: ReadonlyMap<number, GraphNode> = new Map();
  readonly #context: EngineContext;
  readonly #lane: Lane;

  constructor(context: EngineContext, request: Parameters<typeof graphLane>[1]) {
    this.#context = context;
    this.#lane = graphLane(context, request);
    this.name = this.#lane.name;
    this.deadlineMs = this.#lane.deadlineMs;
    this.isOff = this.#lane.isOff;
  }

  async expand(base: readonly Candidate[], signal: AbortSignal): Promise<readonly Candidate[]> {
    const { store, namespace } = this.#context;
    // Servers derive the graph of their own namespace only. A derivation that takes too long continues after the deadline.
    await updateGraph(this.#context);
    const added = await withCredentials(this.#context, await this.#lane.expand(base, signal));
    const records = [...base, ...added].map(({ record }) => record.id);
    const filter = await graphFilter(this.#context, { audience: 'context' });
    const nodes = await store.graph.nodes(namespace, { records }, filter);
    signal.throwIfAborted();
    // The node of a record precedes those of its tasks.
    this.nodes = new Map(nodes.toReversed().map((node) => [node.record!, node]));
    return added;
  }
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
