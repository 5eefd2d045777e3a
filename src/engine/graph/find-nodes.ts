import { LociError } from '../../core/errors.ts';
import type { GraphFilter, GraphNode } from '../../store/graph-model.ts';
import { NODE_ID, projectNodeId, tagNodeId } from '../../graph/model.ts';
import type { EngineContext } from '../context.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';

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
  readonly unknown: UnknownNode[];
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
  const tags = tagFinder(context, filter);
  for (const name of new Set(names.map((each) => each.trim()))) {
    const found = await findNode(context, name, filter, tags);
    if ('reason' in found) unknown.push(found);
    else nodes.set(found.id, found);
  }
  return { nodes: [...nodes.values()], unknown };
}

async function findNode(
  context: EngineContext,
  name: string,
  filter: GraphFilter,
  tagsCalled: FindTags,
): Promise<GraphNode | UnknownNode> {
  const { graph, namespace } = context;
  if (name === '') return { name, reason: 'the name is empty' };
  if (name.length > MAX_NAME_LENGTH)
    return { name: `${name.slice(0, MAX_SHOWN_LENGTH)}…`, reason: 'the name is too long' };
  if (NODE_ID.test(name)) {
    const [node] = await graph.nodes(namespace, { ids: [name] }, filter);
    return node ?? { name, reason: `no node has the id ${name}` };
  }
  if (name.startsWith('#')) {
    const [tag, ...others] = await tagsCalled(name.slice(1));
    if (tag !== undefined && others.length === 0) return tag;
    if (tag !== undefined) return { name, reason: severalProjects(name, [tag, ...others]) };
  }
  try {
    const { record, lines } = await resolveCitation(context, name, filter.excludedSources);
    const ofRecord = await graph.nodes(namespace, { records: [record.id] }, filter);
    const task = ofRecord.find(
      ({ provenance }) =>
        lines !== null && provenance?.lines?.first === lines.from && lines.from === lines.to,
    );
    return (
      task ??
      ofRecord[0] ?? {
        name,
        reason: `${name} is in the memory, but not in the graph yet: ask again in a minute, or read it by its citation`,
      }
    );
  } catch (error) {
    if (!(error instanceof LociError) || (error.code !== 'not_found' && error.code !== 'ambiguous'))
      throw error;
    const [project] = await graph.nodes(namespace, { ids: [projectNodeId(name)] }, filter);
    if (project !== undefined) return project;
    const isTag = error.code === 'not_found' && (await tagsCalled(name)).length > 0;
    const advice = isTag ? `Did you mean the tag #${name}?` : error.hint;
    return { name, reason: advice.startsWith('Did') ? `${error.message}. ${advice}` : error.message };
  }
}

type FindTags = (tag: string) => Promise<GraphNode[]>;

/** Finds the tag with a name in each project that has it. It reads the names of the projects once, because this reads every record. */
function tagFinder({ store, namespace, now }: EngineContext, filter: GraphFilter): FindTags {
  const { project, excludedSources } = filter;
  const readProjects = async (): Promise<readonly string[]> => {
    if (project !== undefined) return [project];
    const visible = { now: now(), ...(excludedSources !== undefined && { excludedSources }) };
    return (await store.records.facet(namespace, 'project', visible)).map(({ value }) => value).sort();
  };
  let projects: Promise<readonly string[]> | undefined;
  return async (tag) => {
    const ids = (await (projects ??= readProjects())).map((each) => tagNodeId(each, tag));
    return store.graph.nodes(namespace, { ids });
  };
}

function severalProjects(name: string, tags: readonly GraphNode[]): string {
  const ids = tags.map(({ id, project }) => `${id} in ${project}`).join(', ');
  return `${name} is a tag of several projects: ${ids}; give the project, or the id of one`;
}
