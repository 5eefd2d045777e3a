import { LatestValue } from '../../core/latest-value.ts';
import type { GraphFilter, GraphNode } from '../../store/graph-model.ts';
import type { Store } from '../../store/store.ts';
import { conceptChanges } from '../../store/items/kinds.ts';
import { compare } from '../walk.ts';
import type { Concept } from './concept-changes.ts';
import { ConceptReader, type ConceptRef } from './concept-reader.ts';

/** Concepts of which it is remembered which name an id stands for. */
const MAX_KNOWN = 50_000;

interface AllNodes {
  readonly nodes: readonly GraphNode[];
  readonly byId: ReadonlyMap<string, GraphNode>;
}

/** The nodes of concepts that are not one note. */
export class ConceptNodes {
  readonly #store: Pick<Store, 'graph' | 'records'>;
  /** By the id of a concept, which is a hash of its project and first name. */
  readonly #known = new Map<string, ConceptRef>();
  readonly #refs = new WeakMap<GraphNode, ConceptRef>();
  /** The nodes of all concepts, as long as nothing has changed. */
  readonly #all = new LatestValue<AllNodes>();

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#store = store;
  }

  /** The concept of a node; `undefined` for any other node. */
  refOf(node: GraphNode): ConceptRef | undefined {
    return this.#refs.get(node);
  }

  /** Whether an id is known to be that of a concept. */
  has(id: string): boolean {
    return this.#known.has(id);
  }

  of({ id, project, label, names }: Concept): GraphNode {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const ref = { project, key: names[0]!.key };
    this.#known.set(id, ref);
    const own = { id, type: 'concept', title: label, project } as const;
    const node: GraphNode = { ...own, tags: [], record: null, source: null, task: null, provenance: null };
    this.#refs.set(node, ref);
    return node;
  }

  /** Those of the concepts with these ids that pass the filter. */
  async withIds(namespace: string, ids: readonly string[], filter: GraphFilter): Promise<GraphNode[]> {
    if (ids.length === 0) return [];
    const all = await this.#all.peek(await this.#stateOf(namespace, filter));
    if (all !== null) return ids.flatMap((id) => all.byId.get(id) ?? []);
    const wanted = new Set(ids);
    const isWanted = ({ id, project }: GraphNode): boolean =>
      wanted.has(id) && (filter.project === undefined || filter.project === project);
    if (!ids.every((id) => this.#known.has(id))) return (await this.all(namespace, filter)).filter(isWanted);
    const reader = new ConceptReader(this.#store, namespace, filter.excludedSources ?? []);
    const concepts = await reader.withNodes(ids.map((id) => this.#known.get(id)!));
    return concepts.map((concept) => this.of(concept)).filter(isWanted);
  }

  /** The nodes of all concepts that pass the filter, by id. */
  async all(namespace: string, filter: GraphFilter): Promise<readonly GraphNode[]> {
    return (
      await this.#all.get(await this.#stateOf(namespace, filter), () => this.#readAll(namespace, filter))
    ).nodes;
  }

  async #readAll(namespace: string, filter: GraphFilter): Promise<AllNodes> {
    const reader = new ConceptReader(this.#store, namespace, filter.excludedSources ?? []);
    const nodes: GraphNode[] = [];
    for (const project of await this.projects(namespace, filter))
      for (const concept of await reader.allWithNodes(project)) nodes.push(this.of(concept));
    nodes.sort((a, b) => compare(a.id, b.id));
    return { nodes, byId: new Map(nodes.map((node) => [node.id, node])) };
  }

  async #stateOf(namespace: string, { project, excludedSources = [] }: GraphFilter): Promise<string> {
    return `${await conceptVersion(this.#store, namespace)} ${JSON.stringify([project, excludedSources])}`;
  }

  /** The projects that pass the filter. */
  async projects(namespace: string, { project }: GraphFilter): Promise<readonly string[]> {
    if (project !== undefined) return [project];
    return (await this.#store.records.facet(namespace, 'project', { now: 0 })).map(({ value }) => value);
  }
}

/** Changes whenever nodes and edges of concepts may have changed. */
export async function conceptVersion(
  { graph, records }: Pick<Store, 'graph' | 'records'>,
  namespace: string,
): Promise<string> {
  const [{ lastChange, upTo: textUpTo, stale }, { upTo, changed }, changes] = await Promise.all([
    graph.state(namespace),
    graph.conceptState(namespace),
    conceptChanges(records, namespace),
  ]);
  return JSON.stringify([namespace, lastChange, textUpTo, stale, upTo, changed, changes.length]);
}
