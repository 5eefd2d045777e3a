import { type EdgeType, EDGE_TYPES } from '../core/graph-types.ts';
import {
  type GraphEdge,
  type GraphFilter,
  type GraphNode,
  type NeighbourRequest,
  type NodeDegree,
  type TagCount,
  MAX_RANKED_EDGES,
} from '../store/graph-model.ts';
import type { Store } from '../store/store.ts';
import type { ConceptGraph } from './concepts/concept-graph.ts';
import { compare, projectNodeId } from './model.ts';

/** What a walk over the graph may see. */
export interface WalkOptions {
  readonly graph: Pick<ConceptGraph, 'neighbours'>;
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
interface Steps {
  readonly steps: readonly Step[];
  readonly degrees: readonly NodeDegree[];
  /** The tags along whose edges the steps lead that are too common, by id. */
  readonly common: ReadonlyMap<string, CommonTag>;
}

async function readSteps(
  { graph, namespace, filter, crossProjectTypes }: WalkOptions,
  nodes: readonly GraphNode[],
  request: Pick<NeighbourRequest, 'limit' | 'maxDegree' | 'countsHidden'>,
): Promise<Steps> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const projects = projectsOf(nodes);
  const found = await graph.neighbours(namespace, nodes, {
    ...{ ...request, filter, crossProjectTypes, projects },
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
function tagOf({ edge, from, to, forwards }: Step): GraphNode | undefined {
  return edge.type === 'tagged' ? (forwards ? to : from) : undefined;
}

/** A tag that more of the notes of a project have says nothing about them. */
const MAX_TAG_SHARE = 1 / 20;
/** A tag that no more notes have is never too common, because this share of a small project is less than one note. */
const MAX_RARE_NOTES = 10;

/** How many records have the tag, and how many the project has. */
type CommonTag = Omit<TagCount, 'id'>;

/** The tags among some nodes that so many records of their project have that no walk follows them, by id. */
export async function commonTags(
  { store, namespace }: { readonly store: Pick<Store, 'graph'>; readonly namespace: string },
  nodes: readonly GraphNode[],
): Promise<Map<string, CommonTag>> {
  // Other concepts have no edges of this type.
  const tags = nodes.filter(({ type, record }) => type === 'concept' && record === null);
  if (tags.length === 0) return new Map();
  const request = { of: tags.map(({ id }) => id), limit: 0, crossProjectTypes: [], filter: {} };
  const found = await store.graph.neighbours(namespace, { ...request, projects: projectsOf(tags) });
  return tooCommon(found.tags);
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

/** How a path leads to its end, for a person: `via [[Quotes]] → linked under ‘Oven’, line 31`. */
export function describePath(path: readonly Step[]): string {
  const parts = path.map(({ edge, from, to, forwards }) => {
    const crossing = from.project === to.project ? '' : ` (to the project ‘${to.project}’)`;
    return `[[${from.title}]] ${forwards ? '→' : '←'} ${edge.reason}${crossing}`;
  });
  return `via ${parts.join(' → ')}`;
}

/** The edges of a node by what a walk does with them. */
export interface EdgeCounts {
  /** All edges to nodes that the caller may see. Where there are more than `MAX_RANKED_EDGES` one way, all edges. */
  readonly degree: number;
  /** Edges into other projects that the options do not allow to follow. */
  readonly otherProjects: number;
  /** Edges of tags that too many records have. */
  readonly commonTags: number;
  /** The edge of a record to its project, which no walk follows. */
  readonly ownProject: number;
}

/** The edges of a node. */
interface NodeEdges extends EdgeCounts {
  /** Those that a walk follows, as `stepsFrom` has them. */
  readonly steps: readonly Step[];
}

/** All edges of each of the nodes, at most `MAX_RANKED_EDGES` one way. @throws the errors of the store */
export async function edgesOf(
  options: WalkOptions,
  nodes: readonly GraphNode[],
): Promise<Map<string, NodeEdges>> {
  const { project, ...filter } = options.filter;
  const all = { ...options, filter, crossProjectTypes: EDGE_TYPES };
  const { steps, degrees, common } = await readSteps(all, nodes, { limit: MAX_RANKED_EDGES });
  const mayFollow = ({ edge, from, to }: Step): boolean =>
    (from.project === to.project || options.crossProjectTypes.includes(edge.type)) &&
    (project === undefined || project === to.project);
  const byNode = Map.groupBy(steps, ({ from }) => from.id);
  return new Map(
    degrees.map((stored): [string, NodeEdges] => {
      const own = byNode.get(stored.id) ?? [];
      const {
        ownProject,
        otherProjects,
        commonTags: ofCommonTags,
        followed,
      } = Object.groupBy(own, (step) => {
        if (isProjectNode(step.to)) return 'ownProject';
        if (!mayFollow(step)) return 'otherProjects';
        return common.has(tagOf(step)?.id ?? '') ? 'commonTags' : 'followed';
      });
      const isComplete = stored.out <= MAX_RANKED_EDGES && stored.in <= MAX_RANKED_EDGES;
      const edges = {
        steps: (followed ?? []).sort(heaviestFirst),
        degree: isComplete ? own.length : stored.out + stored.in,
        otherProjects: otherProjects?.length ?? 0,
        commonTags: ofCommonTags?.length ?? 0,
        ownProject: ownProject?.length ?? 0,
      };
      return [stored.id, edges];
    }),
  );
}

/** How the end of a step belongs to its beginning: along the edge, and against it. */
const WORDS: Readonly<Record<EdgeType, readonly [along: string, against: string]>> = {
  links_to: ['linked from', 'links to'],
  embeds: ['embedded in', 'embeds'],
  mentions: ['mentioned in', 'mentions'],
  tagged: ['a tag of', 'tagged with'],
  part_of: ['has a part in', 'part of'],
  similar_to: ['similar to', 'similar to'],
  supersedes: ['superseded by', 'supersedes'],
  same_as: ['the same as', 'the same as'],
  derived_from: ['source of', 'derived from'],
};

/**
 * How a path leads to its end, without words of a record: `linked from Quotes.md#L3-L3`, or `similar to Oven.md, itself linked from
 * Quotes.md#L3-L3`. Unlike `describePath`, it can stand where titles and headings must be masked.
 * @param nameOf the citation of the beginning of a step; for a link, of the lines that have it. `null` for what is no record
 */
export function pathWords(path: readonly Step[], nameOf: (step: Step) => string | null): string {
  const parts: string[] = [];
  // From the end, because it is what the words are about.
  for (let i = path.length - 1; i >= 0; i--) {
    const step = path[i]!;
    const name = nameOf(step);
    const before = path[i - 1];
    const crossing = step.from.project === step.to.project ? '' : ' (in another project)';
    if (name === null && before !== undefined) {
      // Two records share a tag: one step leads to it, the next away from it.
      parts.push(`${sharedWord(step)} ${nameOf(before) ?? 'a node'}${crossing}`);
      i--;
      continue;
    }
    parts.push(`${WORDS[step.edge.type][step.forwards ? 0 : 1]} ${name ?? 'what was asked for'}${crossing}`);
  }
  return parts.join(', itself ');
}

function sharedWord({ edge: { type } }: Step): string {
  return type === 'tagged' ? 'has a tag of' : 'connected with';
}
