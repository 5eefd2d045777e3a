import { LatestValue } from '../../core/latest-value.ts';
import type { GraphFilter, GraphNode, GraphState } from '../../store/graph-model.ts';
import type { Store } from '../../store/store.ts';
import { compare } from '../walk.ts';
import { ConceptReader, type ConceptRef } from './concept-reader.ts';
import type { Concept } from './concepts.ts';

/** Concepts of which it is remembered which name an id stands for. */
const MAX_KNOWN = 50_000;

interface AllNodes {
  readonly nodes: readonly GraphNode[];
  readonly byId: ReadonlyMap<string, GraphNode>;
}

/** The nodes of concepts that are no note. */
export class ConceptNodes {
  readonly #store: Pick<Store, 'graph' | 'records'>;
  /** By the id of a concept, which is a hash of its project and first name. */
  readonly #known = new Map<string, ConceptRef>();
  /** The nodes of all concepts, as long as nothing has changed. */
  readonly #all = new LatestValue<AllNodes>();

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#store = store;
  }

  /** The concept of a node that was read before; `undefined` for any other node. */
  refOf(id: string): ConceptRef | undefined {
    return this.#known.get(id);
  }

  of({ id, project, label, names }: Concept): GraphNode {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, { project, key: names[0]!.key });
    const own = { id, type: 'concept', title: label, project } as const;
    return { ...own, tags: [], record: null, source: null, task: null, provenance: null };
  }

  /** Those of the concepts with these ids that pass the filter. */
  async withIds(namespace: string, ids: readonly string[], filter: GraphFilter): Promise<GraphNode[]> {
    if (ids.length === 0) return [];
    const state = await this.#store.graph.state(namespace);
    const all = await this.#all.peek(keyOf(namespace, state, filter));
    if (all !== null) return ids.flatMap((id) => all.byId.get(id) ?? []);
    const wanted = new Set(ids);
    const isWanted = ({ id, project }: GraphNode): boolean =>
      wanted.has(id) && (filter.project === undefined || filter.project === project);
    if (!ids.every((id) => this.#known.has(id))) return (await this.all(namespace, filter)).filter(isWanted);
    const reader = new ConceptReader(this.#store.graph, namespace, filter.excludedSources);
    const concepts = await reader.withNodes(ids.map((id) => this.#known.get(id)!));
    return concepts.map((concept) => this.of(concept)).filter(isWanted);
  }

  /** The nodes of all concepts that pass the filter, by id. */
  async all(namespace: string, filter: GraphFilter): Promise<readonly GraphNode[]> {
    const state = await this.#store.graph.state(namespace);
    const key = keyOf(namespace, state, filter);
    return (await this.#all.get(key, () => this.#readAll(namespace, filter))).nodes;
  }

  async #readAll(namespace: string, filter: GraphFilter): Promise<AllNodes> {
    const reader = new ConceptReader(this.#store.graph, namespace, filter.excludedSources);
    const nodes: GraphNode[] = [];
    for (const project of await this.projects(namespace, filter))
      for (const concept of await reader.allWithNodes(project)) nodes.push(this.of(concept));
    nodes.sort((a, b) => compare(a.id, b.id));
    return { nodes, byId: new Map(nodes.map((node) => [node.id, node])) };
  }

  /** The projects that pass the filter. */
  async projects(namespace: string, { project }: GraphFilter): Promise<readonly string[]> {
    if (project !== undefined) return [project];
    return (await this.#store.records.facet(namespace, 'project', { now: 0 })).map(({ value }) => value);
  }
}

/** Changes whenever nodes and edges of concepts may have changed. */
export function conceptVersion(namespace: string, state: GraphState): string {
  const { lastChange, upTo, stale, conceptsUpTo, changedNames } = state;
  return JSON.stringify([namespace, lastChange, upTo, stale, conceptsUpTo, changedNames]);
}

function keyOf(namespace: string, state: GraphState, { project, excludedSources = [] }: GraphFilter): string {
  return `${conceptVersion(namespace, state)} ${JSON.stringify([project, excludedSources])}`;
}
