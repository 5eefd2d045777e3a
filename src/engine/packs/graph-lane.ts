import { findTerms } from '../../core/text/additional-terms.ts';
import type { LociRecord, Passage } from '../../core/types.ts';
import type { ExpandedNode } from '../../graph/expand.ts';
import { pathWords, type Step } from '../../graph/walk.ts';
import type { Candidate } from '../../pack/candidate.ts';
import { FLOOR } from '../../pack/pack.ts';
import type { ReceiptCandidate } from '../../pack/receipt.ts';
import { admits } from '../../store/rules/filter.ts';
import type { EngineContext } from '../context.ts';
import { edgePlaces, recordsOfEdges } from '../graph/edge-places.ts';
import { crossProjectTypes, nodesNear } from '../graph/graph-view.ts';
import { wholeCitations } from '../shared/citations.ts';
import { candidatesOf, type CitedRecords, isBelowThreshold, type FoundHit } from './candidates.ts';
import type { Lane } from './lanes.ts';

/** The lane of the graph, as receipts name it. */
export const GRAPH_LANE = 'graph';

export interface GraphLaneRequest {
  readonly isOn: boolean;
  /** The index terms of the query. */
  readonly terms: ReadonlySet<string>;
  /** The project of the records of the pack; every one unless given. */
  readonly project?: string;
  readonly allow_cross_project?: boolean;
  /** The minimum score of a search. */
  readonly minScore: number;
}

/** Candidates from which the graph is followed. */
const MAX_ANCHORS = 5;
/** Two steps, since the notes that share a tag, or that one index links to, are two steps apart. */
const DEPTH = 2;
/** Candidates that the graph adds at most. */
const MAX_ADDED = 10;
/** The share of its score that a neighbour keeps without a term of the query. */
const SCORE_WITHOUT_TERMS = 0.5;

/** Adds the records near the best candidates, each with the path that leads to it. */
export function graphLane(context: EngineContext, request: GraphLaneRequest): Lane {
  const { enabled, deadline } = context.config.graph;
  return {
    name: GRAPH_LANE,
    deadlineMs: deadline,
    isOff: !enabled || !request.isOn,
    expand: async (base, signal) => {
      const near = await nearCandidates(context, request, base);
      signal.throwIfAborted();
      return foundNeighbours(context, request, base, near);
    },
  };
}

/** @throws LociError where the graph does not answer */
async function nearCandidates(
  context: EngineContext,
  { project, allow_cross_project = false }: GraphLaneRequest,
  base: readonly Candidate[],
): Promise<ExpandedNode[]> {
  const anchors = base.flatMap(({ record: { id }, score, excluded }) =>
    excluded === null ? [{ record: id, score }] : [],
  );
  const scope = { allow_cross_project, audience: 'context' } as const;
  const near = await nodesNear(context, {
    anchors: anchors.slice(0, MAX_ANCHORS),
    depth: DEPTH,
    // Tasks share the record of their note.
    limit: 2 * MAX_ADDED + anchors.length,
    ...scope,
    // The anchors are of the project already, so that only the allowed edges lead out of it.
    ...(project !== undefined && crossProjectTypes(context, scope).length === 0 && { project }),
  });
  return firstOfRecords(near, base.map(({ record }) => record.id)).slice(0, MAX_ADDED); // prettier-ignore
}

/** The first node of each record, without those of known records. */
export function firstOfRecords(
  near: readonly ExpandedNode[],
  known: readonly (number | null)[],
): ExpandedNode[] {
  const records = new Set(known);
  return near.filter(({ node: { record } }) => !records.has(record) && records.add(record));
}

async function foundNeighbours(
  context: EngineContext,
  request: GraphLaneRequest,
  base: readonly Candidate[],
  near: readonly ExpandedNode[],
): Promise<Candidate[]> {
  if (near.length === 0) return [];
  const { store, namespace, now } = context;
  const ids = near.map(({ node }) => node.record!);
  const [passages, { explain, ...cited }] = await Promise.all([
    store.records.passagesOf(namespace, ids),
    pathExplainer(
      context,
      near.map(({ path }) => path),
      ids,
    ),
  ]);
  // A path that the request lets out of its project may lead to records of others.
  const project = request.allow_cross_project === true ? undefined : request.project;
  const filter = { now: now(), ...(project !== undefined && { project }) };
  const best = base[0]?.score ?? 0;
  const found = near.flatMap((each): FoundHit[] => {
    const record = cited.records.get(each.node.record!);
    if (record === undefined || !admits(record, filter)) return [];
    const chosen = bestPassage(record, passages.get(record.id) ?? [], each, request.terms);
    if (chosen === null) return [];
    const score = each.score * (SCORE_WITHOUT_TERMS + (1 - SCORE_WITHOUT_TERMS) * chosen.share);
    return [
      {
        hit: { passage: { ...chosen.passage, record }, confidence: score },
        lane: GRAPH_LANE,
        // Whoever asks for the graph wants to see what is near, even if its own words match less.
        relevance: FLOOR + (1 - FLOOR) * Math.min(1, best === 0 ? 0 : score / best),
        isBelowThreshold: isBelowThreshold(score, best, request.minScore),
        ...explain(each.path),
      },
    ];
  });
  return candidatesOf(found, cited);
}

/** The passage with the most terms of the query, the first of equals; for a task, the one that has it. */
function bestPassage(
  { title }: LociRecord,
  passages: readonly Passage[],
  { node }: ExpandedNode,
  terms: ReadonlySet<string>,
): { readonly passage: Passage; readonly share: number } | null {
  const line = node.type === 'task' ? node.provenance?.lines?.first : undefined;
  const own = passages.filter(
    ({ startLine, endLine }) => line !== undefined && startLine <= line && line <= endLine,
  );
  let best: { readonly passage: Passage; readonly share: number } | null = null;
  for (const passage of own.length > 0 ? own : passages) {
    const found = new Set(findTerms(`${title}\n${passage.text}`, terms).map(({ term }) => term));
    const share = terms.size === 0 ? 0 : found.size / terms.size;
    if (best === null || share > best.share) best = { passage, share };
  }
  return best;
}

/** A path as a receipt has it, and in words. */
export type PathExplanation = Pick<Candidate, 'via'> & {
  readonly path: NonNullable<ReceiptCandidate['path']>;
};

/** Explains paths. Returns the records that justify their steps and some others, which it reads for this, with citations. */
export async function pathExplainer(
  context: EngineContext,
  paths: readonly (readonly Step[])[],
  others: readonly number[],
): Promise<CitedRecords & { readonly explain: (path: readonly Step[]) => PathExplanation }> {
  const steps = paths.flat();
  const edges = steps.map(({ edge }) => edge);
  const ids = [...new Set(steps.flatMap(({ from }) => from.record ?? []))];
  const records = await recordsOfEdges(context, edges, [...ids, ...others]);
  const cited = [...new Set([...ids, ...others])].flatMap((id) => records.get(id) ?? []);
  const [places, whole] = await Promise.all([
    edgePlaces(context, edges, records),
    wholeCitations(context, cited),
  ]);
  const citations = new Map(cited.map(({ id }, i) => [id, whole[i]!]));
  const nameOf = ({ edge, from, forwards }: Step): string | null => {
    if (from.record === null) return null;
    const place = places.get(edge);
    // The lines of an edge are in the record where it begins.
    const isThere = forwards && place?.record.id === from.record;
    return (isThere ? place.citation : citations.get(from.record)) ?? null;
  };
  const explain = (path: readonly Step[]): PathExplanation => ({
    via: pathWords(path, nameOf),
    path: path.map(({ edge, from, to }) => {
      const { lines, hash } = edge.provenance;
      return {
        from: from.id,
        to: to.id,
        type: edge.type,
        record: places.get(edge)?.record.uuid ?? null,
        lines: lines === null ? null : { from: lines.first, to: lines.last },
        hash,
      };
    }),
  });
  return { records, citations, explain };
}
