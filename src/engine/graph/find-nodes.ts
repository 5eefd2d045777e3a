import { LociError } from '../../core/errors.ts';
import type { GraphFilter, GraphNode } from '../../store/graph-model.ts';
import { NODE_ID, projectNodeId, tagNodeId } from '../../graph/model.ts';
import type { EngineContext } from '../context.ts';
import { resolveCitation } from '../records/citations/citation.ts';

/** More than the paths and titles of notes have. */
const MAX_NAME_LENGTH = 512;
const MAX_SHOWN_LENGTH = 100;

/** A name for which there is no node. */
export interface UnknownNode {
  readonly name: string;
  readonly reason: string;
}

export interface FoundNodes {
  /** In the order of the names, each once. */
  readonly nodes: readonly GraphNode[];
  readonly unknown: readonly UnknownNode[];
}

/**
 * The nodes with these names: ids, citations, titles of notes, names of projects, and tags with `#`. A citation of the line of a
 * task names the task. Names without a node do not keep the others from being found.
 */
export async function findNodes(
  context: EngineContext,
  names: readonly string[],
  filter: GraphFilter,
): Promise<FoundNodes> {
  const nodes = new Map<string, GraphNode>();
  const unknown: UnknownNode[] = [];
  for (const name of new Set(names.map((each) => each.trim()))) {
    const found = await findNode(context, name, filter);
    if ('reason' in found) unknown.push(found);
    else nodes.set(found.id, found);
  }
  return { nodes: [...nodes.values()], unknown };
}

async function findNode(
  context: EngineContext,
  name: string,
  filter: GraphFilter,
): Promise<GraphNode | UnknownNode> {
  const { store, namespace, config } = context;
  if (name === '') return { name, reason: 'the name is empty' };
  if (name.length > MAX_NAME_LENGTH)
    return { name: `${name.slice(0, MAX_SHOWN_LENGTH)}…`, reason: 'the name is too long' };
  if (NODE_ID.test(name)) {
    const [node] = await store.graph.nodes(namespace, { ids: [name] }, filter);
    return node ?? { name, reason: `no node has the id ${name}` };
  }
  if (name.startsWith('#')) {
    const project = filter.project ?? config.project;
    const [node] = await store.graph.nodes(namespace, { ids: [tagNodeId(project, name.slice(1))] }, filter);
    if (node !== undefined) return node;
  }
  try {
    const { record, lines } = await resolveCitation(context, name);
    const ofRecord = await store.graph.nodes(namespace, { records: [record.id] }, filter);
    const task = ofRecord.find(
      ({ provenance }) =>
        lines !== null && provenance?.lines?.first === lines.from && lines.from === lines.to,
    );
    return task ?? ofRecord[0] ?? { name, reason: `${name} is in the memory, but not in the graph yet` };
  } catch (error) {
    if (!(error instanceof LociError) || (error.code !== 'not_found' && error.code !== 'ambiguous'))
      throw error;
    const [project] = await store.graph.nodes(namespace, { ids: [projectNodeId(name)] }, filter);
    return project ?? { name, reason: error.message };
  }
}
