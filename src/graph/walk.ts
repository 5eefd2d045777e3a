import type { EdgeType } from '../core/graph-types.ts';
import type {
  GraphEdge,
  GraphFilter,
  GraphNode,
  NeighbourRequest,
  NodeDegree,
  TagCount,
} from '../store/graph-model.ts';
import type { Store } from '../store/store.ts';
import { projectNodeId } from './model.ts';

/** What a walk over the graph may see. */
export interface WalkOptions {
  readonly graph: Pick<Store['graph'], 'neighbours'>;
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
  maxDegree?: number,
): Promise<Map<string, NodeSteps>> {
  const request = { limit, countsHidden: true, ...(maxDegree !== undefined && { maxDegree }) };
  const { steps: all, degrees, common } = await readSteps(options, nodes, request);
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

/** All steps from some nodes that the options allow, also those that no walk follows. */
export interface Steps {
  readonly steps: readonly Step[];
  readonly degrees: readonly NodeDegree[];
  /** The tags along whose edges the steps lead that are too common, by id. */
  readonly common: ReadonlyMap<string, CommonTag>;
}

export async function readSteps(
  { graph, namespace, filter, crossProjectTypes }: WalkOptions,
  nodes: readonly GraphNode[],
  request: Pick<NeighbourRequest, 'limit' | 'maxDegree' | 'countsHidden'>,
): Promise<Steps> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const projects = projectsOf(nodes);
  const found = await graph.neighbours(namespace, {
    ...{ ...request, of: [...byId.keys()], filter, crossProjectTypes, projects },
  });
  const others = new Map(found.nodes.map((node) => [node.id, node]));
  const stepsAlong = (edges: readonly GraphEdge[], forwards: boolean): Step[] =>
    edges.flatMap((edge) => {
      const from = byId.get(forwards ? edge.src : edge.dst);
      const to = others.get(forwards ? edge.dst : edge.src);
      return from === undefined || to === undefined || from.id === to.id
        ? []
        : [{ edge, from, to, forwards }];
    });
  return {
    steps: [...stepsAlong(found.out, true), ...stepsAlong(found.in, false)],
    degrees: found.degrees,
    common: tooCommon(found.tags),
  };
}

function projectsOf(nodes: readonly GraphNode[]): NonNullable<NeighbourRequest['projects']> {
  return [...new Set(nodes.map(({ project }) => project))].map((project) => ({
    project,
    node: projectNodeId(project),
  }));
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

/** How many records have the tag, and how many the project has. */
export type CommonTag = Omit<TagCount, 'id'>;

/** Those of the tags that so many records of their project have that no walk follows them, by id. */
export async function commonTags(
  { graph, namespace }: Pick<WalkOptions, 'graph' | 'namespace'>,
  tags: readonly GraphNode[],
): Promise<Map<string, CommonTag>> {
  if (tags.length === 0) return new Map();
  const request = { of: tags.map(({ id }) => id), limit: 0, crossProjectTypes: [], filter: {} };
  return tooCommon((await graph.neighbours(namespace, { ...request, projects: projectsOf(tags) })).tags);
}

function tooCommon(tags: readonly TagCount[]): Map<string, CommonTag> {
  const common = tags.filter(
    ({ tagged, records }) => tagged > Math.max(MAX_RARE_NOTES, records * MAX_TAG_SHARE),
  );
  return new Map(common.map(({ id, tagged, records }) => [id, { tagged, records }]));
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
