import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { findNodes } from '../graph/find-nodes.ts';
import { GraphMask } from '../graph/edge-places.ts';
import { graphNotices } from '../graph/graph-notices.ts';
import { assertGraphIsOn, crossProjectTypes, graphFilter } from '../graph/graph-view.ts';
import { updateGraph } from '../graph/update-relations.ts';
import { expire } from '../shared/retention.ts';
import { type GraphMapInput, DEFAULT_NODES, type GraphMapOutput, MAX_EDGES } from './map-fields.ts';
import { countFacets, edgeColumns, edgesBetween, nodeColumns, selectNodes } from './map-answer.ts';
import { type MapGraph, readMapGraph } from './read-graph.ts';

const OUTLINE =
  'this graph is large: mentions, and concepts that only texts name, are neither shown nor counted unless they are next to a node of `around`';

/**
 * Nodes with positions, and the edges between them, for a viewer. Credentials are masked, as in an export.
 * @throws LociError `forbidden` while the graph is off
 */
export async function graphMap(
  context: EngineContext,
  given: GraphMapInput = {},
  options: ProgressOptions = {},
): Promise<GraphMapOutput> {
  assertGraphIsOn(context);
  await expire(context);
  await updateGraph(context, options);
  const { around = [] } = given;
  const filter = await graphFilter(context, {});
  const { nodes: centres, unknown } = await findNodes(context, around, filter);
  const graph = await readMapGraph(context, filter, crossProjectTypes(context, given), centres, options);
  const starts = around.length === 0 ? null : indexesOf(graph, centres);
  const found = await selectNodes(graph, given, starts);
  const mask = new GraphMask(context.thread);
  const facets = await countFacets(graph, (texts) => mask.texts.texts(texts));
  const first = { ...found, nodes: found.nodes.slice(0, given.nodes ?? DEFAULT_NODES) };
  const { shown, dropped, ...columns } = await nodeColumns(graph, mask, first, given.search);
  const edges = edgesBetween(graph, shown, given.edge_types);
  const totals = {
    nodes: found.nodes.length - dropped,
    edges: edges.length,
    graph_nodes: graph.ids.length,
    graph_edges: graph.src.length,
    across_projects: graph.acrossProjects,
  };
  const notices = [
    ...leftOut(totals.nodes, shown.size, starts !== null),
    ...(graph.isOutline ? [OUTLINE] : []),
    ...(await graphNotices(context, { ...given, names: around })),
  ];
  return {
    version: graph.version,
    ...columns,
    edges: await edgeColumns(graph, mask, edges.slice(0, given.edges ?? MAX_EDGES), shown),
    node_types: [...NODE_TYPES],
    edge_types: [...EDGE_TYPES],
    facets,
    totals,
    notices,
    unknown,
  };
}

function indexesOf({ ids }: MapGraph, nodes: readonly GraphNode[]): number[] {
  const wanted = new Set(nodes.map(({ id }) => id));
  return ids.flatMap((id, i) => (wanted.has(id) ? [i] : []));
}

function leftOut(all: number, shown: number, isNear: boolean): string[] {
  if (shown >= all) return [];
  const which = isNear ? 'nearest' : 'most connected';
  return [
    `these are the ${which} ${String(shown)} of ${String(all)} nodes: name one of them in \`around\` to see what is near it, ` +
      'ask for more `nodes`, or narrow the graph by project, type, tag or title',
  ];
}
