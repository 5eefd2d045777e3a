import type { EdgeType } from '../core/graph-types.ts';
import type {
  GraphEdge,
  GraphFilter,
  GraphNode,
  NeighbourRequest,
  NodeDegree,
} from '../store/graph-model.ts';
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

/**
 * The steps from each of the nodes, both ways along their edges. None leads to a project, which connects everything, and none
 * along the edge of a tag that many notes have.
 * @param limit edges of a node to look at in each direction
 * @param maxDegree nodes with more edges have no steps
 */
export async function stepsFrom(
  options: WalkOptions,
  nodes: readonly GraphNode[],
  limit: number,
  maxDegree = Infinity,
): Promise<Map<string, NodeSteps>> {
  const degrees = await degreesOf(options, nodes);
  const small = new Set(degrees.flatMap((each) => (each.in + each.out > maxDegree ? [] : [each.id])));
  const all = await readSteps(
    options,
    nodes.filter(({ id }) => small.has(id)),
    limit,
  );
  const common = await commonTagsOf(options, all);
  const steps = Map.groupBy(
    all.filter((step) => !isProjectNode(step.to) && !common.has(tagOf(step)?.id ?? '')),
    ({ from }) => from.id,
  );
  return new Map(
    degrees.map(({ id, out: outgoing, in: incoming }) => [
      id,
      { steps: (steps.get(id) ?? []).sort(heaviestFirst), degree: outgoing + incoming },
    ]),
  );
}

/** What a concept is called, and so which edges it has, may depend on sources that are hidden. */
async function degreesOf(
  { graph, namespace, filter: { excludedSources } }: WalkOptions,
  nodes: readonly GraphNode[],
): Promise<NodeDegree[]> {
  const idsOf = (some: readonly GraphNode[]): string[] => some.map(({ id }) => id);
  if (excludedSources === undefined) return graph.degrees(namespace, idsOf(nodes));
  const [concepts, others] = [true, false].map((wanted) =>
    nodes.filter(({ type, record }) => (type === 'concept' && record === null) === wanted),
  );
  const read = [
    graph.degrees(namespace, idsOf(concepts!), undefined, excludedSources),
    graph.degrees(namespace, idsOf(others!)),
  ];
  return (await Promise.all(read)).flat();
}

/** All steps from the nodes that the options allow, also those that no walk follows. */
export async function readSteps(
  { graph, namespace, filter, crossProjectTypes }: WalkOptions,
  nodes: readonly GraphNode[],
  limit: number,
): Promise<Step[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const request = { of: [...byId.keys()], limit, filter, crossProjectTypes };
  const read = async (direction: NeighbourRequest['direction']): Promise<Step[]> => {
    const found = await graph.neighbours(namespace, { ...request, direction });
    const others = new Map(found.nodes.map((node) => [node.id, node]));
    return found.edges.flatMap((edge) => {
      const forwards = direction === 'out';
      const from = byId.get(forwards ? edge.src : edge.dst);
      const to = others.get(forwards ? edge.dst : edge.src);
      return from === undefined || to === undefined || from.id === to.id
        ? []
        : [{ edge, from, to, forwards }];
    });
  };
  return (await Promise.all([read('out'), read('in')])).flat();
}

export function isProjectNode({ type, record }: GraphNode): boolean {
  return type === 'project' && record === null;
}

/** The tag at one of the ends of a step. */
export function tagOf({ edge, from, to, forwards }: Step): GraphNode | undefined {
  return edge.type === 'tagged' ? (forwards ? to : from) : undefined;
}

/** A tag that more of the notes of a project have says nothing about them. */
const MAX_TAG_SHARE = 1 / 20;
/** A tag that no more notes have is never too common, because this share of a small project is less than one note. */
const MAX_RARE_NOTES = 10;

export interface CommonTag {
  /** How many records have the tag. */
  readonly tagged: number;
  /** How many records the project has. */
  readonly records: number;
}

/** Those of the tags that so many records of their project have that no walk follows them, by id. */
export async function commonTags(
  { graph, namespace }: Pick<WalkOptions, 'graph' | 'namespace'>,
  tags: readonly GraphNode[],
): Promise<Map<string, CommonTag>> {
  const projects = new Map(tags.map(({ id, project }) => [id, projectNodeId(project)]));
  if (projects.size === 0) return new Map();
  const ids = [...new Set([...projects.keys(), ...projects.values()])];
  // Every record has one edge to its project.
  const degrees = await graph.degrees(namespace, ids, ['tagged', 'part_of']);
  const incoming = new Map(degrees.map(({ id, in: edges }) => [id, edges]));
  return new Map(
    [...projects].flatMap(([tag, project]): [string, CommonTag][] => {
      const [tagged, records] = [incoming.get(tag) ?? 0, incoming.get(project) ?? 0];
      return tagged > Math.max(MAX_RARE_NOTES, records * MAX_TAG_SHARE) ? [[tag, { tagged, records }]] : [];
    }),
  );
}

/** The tags along whose edges the steps lead that are too common. */
export function commonTagsOf(options: WalkOptions, steps: readonly Step[]): Promise<Map<string, CommonTag>> {
  return commonTags(
    options,
    steps.flatMap((step) => tagOf(step) ?? []),
  );
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
