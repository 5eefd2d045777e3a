import {
  type ConceptMention,
  type ConceptName,
  MAX_MENTIONING_RECORDS,
  type Naming,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { StoreGraph } from '../../store/store.ts';
import { referencesIn } from './change-references.ts';
import { applyChanges, type Concept, effectiveChanges } from './concept-changes.ts';
import {
  type ConceptEdge,
  conceptEdges,
  ConceptLookup,
  isTag,
  noteOf,
  sameAsEdges,
} from './concept-edges.ts';
import { groupNames, isClaim, isSpoken } from './concept-groups.ts';

/** Keys of one call of the store, which holds up other calls. */
const KEYS_OF_CALL = 1000;
/** A record may both mention a name and have it as a phrase. */
const MAX_NAMINGS = 2 * (MAX_MENTIONING_RECORDS + 1);

/** A concept by its project and one of its names, or the id of its note. */
export interface ConceptRef {
  readonly project: string;
  readonly key: string;
}

/**
 * Reads the edges of concepts from the names and mentions of records and the changes of operators, as if hidden sources had no
 * records.
 */
export class ConceptReader {
  readonly #graph: StoreGraph;
  readonly #namespace: string;
  readonly #excludedSources: readonly string[];

  constructor(graph: StoreGraph, namespace: string, excludedSources: readonly string[]) {
    this.#graph = graph;
    this.#namespace = namespace;
    this.#excludedSources = excludedSources;
  }

  /** The edges from records to what their texts, tags and phrases name, and from concepts to their notes. */
  async from(records: readonly number[], refs: readonly ConceptRef[]): Promise<ConceptEdge[]> {
    const concepts = await this.#graph.recordConcepts(this.#namespace, records);
    const edges = (await this.#named(refs)).flatMap(sameAsEdges);
    for (const [project, own] of Map.groupBy(concepts, ([, each]) => each.project)) {
      const spoken = new Set(own.flatMap(([, each]) => spokenKeys(each)));
      const frequencies = await this.#frequencies(project, [...spoken]);
      const isCommon = (key: string): boolean => (frequencies.get(key) ?? 0) > MAX_MENTIONING_RECORDS;
      const lookup = await this.#lookup(
        project,
        [...spoken].filter((key) => !isCommon(key)),
      );
      for (const [record, each] of own) edges.push(...conceptEdges(record, each, lookup, isCommon));
    }
    return edges;
  }

  /** The edges to records, and to concepts that are not one note. */
  async to(records: readonly number[], refs: readonly ConceptRef[]): Promise<ConceptEdge[]> {
    const notes = [...(await this.#graph.recordConcepts(this.#namespace, records))];
    const projects = new Set([
      ...notes.map(([, { project }]) => project),
      ...refs.map(({ project }) => project),
    ]);
    const edges: ConceptEdge[] = [];
    for (const project of projects) {
      const own = notes.filter(([, each]) => each.project === project);
      const claims = own.flatMap(([, { names }]) => names.filter(isClaim).map(({ key }) => key));
      const keys = [...claims, ...refs.filter((ref) => ref.project === project).map(({ key }) => key)];
      const select = (lookup: ConceptLookup): Concept[] => [
        ...own.flatMap(([record]) => lookup.ofRecord(record) ?? []),
        ...keys.flatMap((key) => lookup.named(key) ?? []),
      ];
      // The other names of these concepts may be names of other notes too, which the second call reads.
      const first = select(await this.#lookup(project, keys));
      const all = [...new Set([...keys, ...first.flatMap(({ names }) => names.map(({ key }) => key))])];
      const lookup = await this.#lookup(project, all);
      const targets = new Map(select(lookup).map((concept) => [concept.id, concept]));
      const into = await this.#into(project, all, lookup);
      edges.push(
        ...into.filter(({ concept }) => targets.has(concept.id)),
        ...[...targets.values()].flatMap(sameAsEdges),
      );
    }
    return edges;
  }

  async #into(project: string, keys: readonly string[], lookup: ConceptLookup): Promise<ConceptEdge[]> {
    const namings = await this.#graph.namings(
      this.#namespace,
      project,
      keys,
      MAX_NAMINGS,
      this.#excludedSources,
    );
    const common = new Set(
      [...Map.groupBy(namings, ({ key }) => key)].flatMap(([key, rows]) =>
        new Set(rows.map(({ record }) => record)).size > MAX_MENTIONING_RECORDS ? [key] : [],
      ),
    );
    const byRecord = Map.groupBy(namings, ({ record }) => record);
    return [...byRecord].flatMap(([record, rows]) =>
      conceptEdges(record, namesOf(rows), lookup, (key) => common.has(key)),
    );
  }

  async #named(refs: readonly ConceptRef[]): Promise<Concept[]> {
    const found: Concept[] = [];
    for (const [project, own] of Map.groupBy(refs, (ref) => ref.project)) {
      const lookup = await this.#lookup(project, own.map(({ key }) => key)); // prettier-ignore
      found.push(...own.flatMap(({ key }) => lookup.named(key) ?? []));
    }
    return found;
  }

  /** The concepts with these names that have nodes of their own. */
  async withNodes(refs: readonly ConceptRef[]): Promise<Concept[]> {
    const concepts = await this.#named(refs);
    const ofProjects = [...Map.groupBy(concepts, ({ project }) => project)];
    const found = await Promise.all(ofProjects.map(([project, own]) => this.#thatHaveNodes(project, own)));
    return found.flat();
  }

  /** The concepts of a project that have nodes of their own. */
  async allWithNodes(project: string): Promise<Concept[]> {
    const selector = { project, excludedSources: this.#excludedSources };
    const names = groupNames(await this.#graph.conceptNames(this.#namespace, selector));
    const { state } = applyChanges(names, await this.#changes(project));
    return this.#thatHaveNodes(project, state.concepts(project));
  }

  /** A concept has a node if it is not one note, and if an edge leads to it or from it. */
  async #thatHaveNodes(project: string, concepts: readonly Concept[]): Promise<Concept[]> {
    const shared = concepts.filter((concept) => noteOf(concept) === null && !isTag(concept));
    const alone = shared.filter(({ records }) => records.length === 0);
    const keys = alone.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.#frequencies(project, [...new Set(keys)]);
    const isNamed = ({ names }: Concept): boolean =>
      names.some(({ key }) => {
        const frequency = frequencies.get(key) ?? 0;
        return frequency > 0 && frequency <= MAX_MENTIONING_RECORDS;
      });
    return shared.filter((concept) => concept.records.length > 0 || isNamed(concept));
  }

  async #frequencies(project: string, keys: readonly string[]): Promise<Map<string, number>> {
    const max = MAX_MENTIONING_RECORDS + 1;
    const found = new Map<string, number>();
    for (let i = 0; i < keys.length; i += KEYS_OF_CALL) {
      const some = keys.slice(i, i + KEYS_OF_CALL);
      const counts = await this.#graph.nameFrequencies(this.#namespace, project, some, this.#excludedSources, max); // prettier-ignore
      for (const [key, count] of counts) found.set(key, count);
    }
    return found;
  }

  async #changes(project: string): ReturnType<StoreGraph['conceptChanges']> {
    const changes = await this.#graph.conceptChanges(this.#namespace);
    return changes.filter((change) => change.project === project);
  }

  /** The concepts that have these names, or whose notes have these ids, and those that operators changed. */
  async #lookup(project: string, keys: readonly string[]): Promise<ConceptLookup> {
    const changes = await this.#changes(project);
    const all = [...new Set([...keys, ...referencesIn(effectiveChanges(changes))])];
    const selector = { project, only: { keys: all, notes: all }, excludedSources: this.#excludedSources };
    const rows = await this.#graph.conceptNames(this.#namespace, selector);
    return new ConceptLookup(applyChanges(groupNames(rows), changes).state, project);
  }
}

/** The names that a record mentions or has as a tag or phrase. */
function spokenKeys({ names, mentions }: RecordConcepts): string[] {
  return [...mentions, ...names.filter(isSpoken)].map(({ key }) => key);
}

function namesOf(rows: readonly Naming[]): { names: ConceptName[]; mentions: ConceptMention[] } {
  return {
    mentions: rows.flatMap(({ kind, key, line, count }) =>
      kind === 'mention' && line !== null ? [{ key, line, count }] : [],
    ),
    names: rows.flatMap(({ kind, key, text, line }) =>
      kind !== 'mention' && text !== null ? [{ key, text, kind, line }] : [],
    ),
  };
}
