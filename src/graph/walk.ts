import type { EdgeType } from '../core/graph-types.ts';
import type { GraphEdge, GraphFilter, GraphNode, NeighbourRequest } from '../store/graph-model.ts';
import type { StoreGraph } from '../store/store.ts';
import { projectNodeId } from './model.ts';

/** What a walk over the graph may see. */
export interface WalkOptions {
  readonly graph: Pick<StoreGraph, 'neighbours' | 'degrees'>;
  readonly namespace: string;
  readonly filter: GraphFilter;
  /** The types of edges that may lead to another project; none by default. */
  readonly crossProjectTypes: readonly EdgeType[];
}

/** A step from a node along one of its edges. */
export interface Step {
  readonly edge: GraphEdge;
  readonly from: GraphNode;
  readonly to: GraphNode;
  /** Whether the edge leads this way; else the step goes against it. */
  readonly forwards: boolean;
}

export interface NodeSteps {
  /** The steps with the highest weight first, ties by the id of the other node. */
  readonly steps: readonly Step[];
  /** All edges of the node, also those that no step follows. */
  readonly degree: number;
}

/** A tag that this share of the notes has, or more, says nothing about them. */
const MAX_TAG_SHARE = 1 / 20;

/**
 * The steps from each of the nodes, both ways along their edges. None leads to a project, which connects everything, or to a
 * tag that many notes have.
 * @param limit edges of a node to look at in each direction
 * @param maxDegree nodes with more edges have no steps
 */
export async function stepsFrom(
  options: WalkOptions,
  nodes: readonly GraphNode[],
  limit: number,
  maxDegree = Infinity,
): Promise<Map<string, NodeSteps>> {
  const { graph, namespace, filter, crossProjectTypes } = options;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const degrees = await graph.degrees(namespace, [...byId.keys()]);
  const of = degrees.flatMap((each) => (each.in + each.out > maxDegree ? [] : [each.id]));
  const request = { of, limit, filter, crossProjectTypes };
  const read = async (direction: NeighbourRequest['direction']): Promise<Step[]> => {
    const found = await graph.neighbours(namespace, { ...request, direction });
    const others = new Map(found.nodes.map((node) => [node.id, node]));
    return found.edges.flatMap((edge) => {
      const forwards = direction === 'out';
      const from = byId.get(forwards ? edge.src : edge.dst);
      const to = others.get(forwards ? edge.dst : edge.src);
      const leads = from !== undefined && to !== undefined && from.id !== to.id && !isProjectNode(to);
      return leads ? [{ edge, from, to, forwards }] : [];
    });
  };
  const [out, into] = await Promise.all([read('out'), read('in')]);
  const common = await commonTags(options, [...out, ...into]);
  const steps = Map.groupBy(
    [...out, ...into].filter(({ to }) => !common.has(to.id)),
    ({ from }) => from.id,
  );
  return new Map(
    degrees.map(({ id, out: outgoing, in: incoming }) => [
      id,
      { steps: (steps.get(id) ?? []).sort(heaviestFirst), degree: outgoing + incoming },
    ]),
  );
}

function isProjectNode({ type, record }: GraphNode): boolean {
  return type === 'project' && record === null;
}

/** The tags among the ends of steps that too many notes have. */
async function commonTags(options: WalkOptions, steps: readonly Step[]): Promise<Set<string>> {
  const tags = steps.flatMap(({ edge, to }) => (edge.type === 'tagged' ? [to] : []));
  const rare = await rareTags(options, tags);
  return new Set(tags.map(({ id }) => id).filter((id) => !rare.has(id)));
}

/** The ids of those of the tags that so few notes of their project have that they say something about them. */
export async function rareTags(
  { graph, namespace }: Pick<WalkOptions, 'graph' | 'namespace'>,
  tags: readonly GraphNode[],
): Promise<Set<string>> {
  const projects = new Map(tags.map(({ id, project }) => [id, projectNodeId(project)]));
  if (projects.size === 0) return new Set();
  // Every record has one edge to its project.
  const degrees = await graph.degrees(namespace, [...new Set([...projects.keys(), ...projects.values()])]);
  const incoming = new Map(degrees.map(({ id, in: edges }) => [id, edges]));
  const isRare = (tag: string, project: string): boolean =>
    (incoming.get(tag) ?? 0) < (incoming.get(project) ?? 0) * MAX_TAG_SHARE;
  return new Set([...projects].filter(([tag, project]) => isRare(tag, project)).map(([tag]) => tag));
}

function heaviestFirst(a: Step, b: Step): number {
  return (
    b.edge.weight - a.edge.weight ||
    compare(a.to.id, b.to.id) ||
    compare(a.edge.type, b.edge.type) ||
    Number(b.forwards) - Number(a.forwards)
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How a path leads to its end, for a person: `via [[Quotes]] → linked under ‘Oven’, line 31`. */
export function describePath(path: readonly Step[]): string {
  const parts = path.map(({ edge, from, to, forwards }) => {
    const crossing = from.project === to.project ? '' : ` (to the project ‘${to.project}’)`;
    return `[[${from.title}]] ${forwards ? '→' : '←'} ${edge.reason}${crossing}`;
  });
  return `via ${parts.join(' → ')}`;
}
