import type { EdgeType } from '../core/graph-types.ts';
import type { GraphEdge, GraphFilter, GraphNode, NeighbourRequest } from '../store/graph-model.ts';
import type { StoreGraph } from '../store/store.ts';

/** What a walk over the graph may see. */
export interface WalkOptions {
  readonly graph: Pick<StoreGraph, 'neighbours' | 'degrees'>;
  readonly namespace: string;
  readonly filter: GraphFilter;
  /** The types of edges that may lead to another project; none by default. */
  readonly crossProjectTypes: readonly EdgeType[];
  /** How many notes each project has. */
  readonly notes: ReadonlyMap<string, number>;
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
 */
export async function stepsFrom(
  options: WalkOptions,
  nodes: readonly GraphNode[],
  limit: number,
): Promise<Map<string, NodeSteps>> {
  const { graph, namespace, filter, crossProjectTypes } = options;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const request = { of: [...byId.keys()], limit, filter, crossProjectTypes };
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
  const [out, into, degrees] = await Promise.all([
    read('out'),
    read('in'),
    graph.degrees(namespace, request.of),
  ]);
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
async function commonTags(
  { graph, namespace, notes }: WalkOptions,
  steps: readonly Step[],
): Promise<Set<string>> {
  const tags = new Map(steps.flatMap(({ edge, to }) => (edge.type === 'tagged' ? [[to.id, to]] : [])));
  if (tags.size === 0) return new Set();
  const counted = await graph.degrees(namespace, [...tags.keys()], ['tagged']);
  return new Set(
    counted
      .filter(({ id, in: tagged }) => !isRareTag(tagged, notes.get(tags.get(id)!.project) ?? 0))
      .map(({ id }) => id),
  );
}

/** Whether so few notes of a project have a tag that it says something about them. */
export function isRareTag(tagged: number, notes: number): boolean {
  return tagged < notes * MAX_TAG_SHARE;
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
