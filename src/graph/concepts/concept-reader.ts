import { inTurns } from '../../core/threads/slices.ts';
import {
  type ConceptChange,
  type ConceptMention,
  type ConceptName,
  MAX_MENTIONING_RECORDS,
  type Naming,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { Store, StoreGraph } from '../../store/store.ts';
import { conceptChanges } from '../../store/items/kinds.ts';
import { referencesIn } from './change-references.ts';
import {
  applyChanges,
  changeSlices,
  type Concept,
  type ConceptState,
  effectiveChanges,
} from './concept-changes.ts';
import {
  type ConceptEdge,
  conceptEdges,
  ConceptLookup,
  isTag,
  noteOf,
  sameAsEdges,
} from './concept-edges.ts';
import { groupingSlices, groupNames, isClaim, isSpoken } from './concept-groups.ts';

/** Keys of one call of the store, which holds up other calls. */
const KEYS_OF_CALL = 1000;
const CONCEPTS_OF_CALL = 64;
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
  readonly #records: Store['records'];
  readonly #namespace: string;
  readonly #excludedSources: readonly string[];

  constructor(
    { graph, records }: Pick<Store, 'graph' | 'records'>,
    namespace: string,
    excludedSources: readonly string[],
  ) {
    this.#graph = graph;
    this.#records = records;
    this.#namespace = namespace;
    this.#excludedSources = excludedSources;
  }

  /** The edges from records to what their texts, tags and phrases name, and from concepts to their notes. */
  async from(records: readonly number[], refs: readonly ConceptRef[]): Promise<ConceptEdge[]> {
    const concepts = await this.#graph.recordConcepts(this.#namespace, records);
    const edges = (await this.#merged(refs)).flatMap(sameAsEdges);
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

  /** The concepts of several notes, which only changes can make. */
  async #merged(refs: readonly ConceptRef[]): Promise<Concept[]> {
    const changes = await conceptChanges(this.#records, this.#namespace);
    const changed = new Set(changes.map(({ project }) => project));
    return this.#named(refs.filter(({ project }) => changed.has(project)));
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
    const state = await this.#state(project);
    return this.#thatHaveNodes(project, await inTurns(state.conceptSlices(project)));
  }

  /** How many edges the concepts of a project have, by type. */
  async count(project: string): Promise<Record<ConceptEdge['type'], number>> {
    const state = await this.#state(project);
    const concepts = (await inTurns(state.conceptSlices(project))).filter((concept) => !isTag(concept));
    const keys = concepts.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.#frequencies(project, [...new Set(keys)]);
    const disputed = new Set(state.conflicts().flatMap(({ notes }) => notes));
    const count = { mentions: 0, same_as: concepts.flatMap(sameAsEdges).length };
    const several: Concept[] = [];
    for (const concept of concepts) {
      const used = concept.names.filter(({ key }) => isUsed(frequencies.get(key)));
      // A record that has several of the names has one edge, and a note has none to itself.
      const isSimple = used.length < 2 && isOnlyNamed(concept) && !disputed.has(concept.names[0]!.key);
      if (isSimple) count.mentions += used.length === 0 ? 0 : frequencies.get(used[0]!.key)!;
      else several.push(concept);
    }
    for (let i = 0; i < several.length; i += CONCEPTS_OF_CALL) {
      const some = several.slice(i, i + CONCEPTS_OF_CALL);
      const ids = new Set(some.map(({ id }) => id));
      const edges = await this.to(some.flatMap(({ records }) => records), some.map(({ names }) => ({ project, key: names[0]!.key }))); // prettier-ignore
      count.mentions += edges.filter(
        ({ type, concept }) => type === 'mentions' && ids.has(concept.id),
      ).length;
    }
    return count;
  }

  async #state(project: string): Promise<ConceptState> {
    const selector = { project, excludedSources: this.#excludedSources };
    const rows = await this.#graph.conceptNames(this.#namespace, selector);
    const names = await inTurns(groupingSlices(rows));
    return (await inTurns(changeSlices(names, await this.#changes(project)))).state;
  }

  /** A concept has a node if it is not one note, and if an edge leads to it or from it. */
  async #thatHaveNodes(project: string, concepts: readonly Concept[]): Promise<Concept[]> {
    const shared = concepts.filter((concept) => noteOf(concept) === null && !isTag(concept));
    const alone = shared.filter(({ records }) => records.length === 0);
    const keys = alone.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.#frequencies(project, [...new Set(keys)]);
    const isNamed = ({ names }: Concept): boolean => names.some(({ key }) => isUsed(frequencies.get(key)));
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

  async #changes(project: string): Promise<ConceptChange[]> {
    const changes = await conceptChanges(this.#records, this.#namespace);
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

/** Whether some records have a name, and not too many. */
function isUsed(frequency = 0): boolean {
  return frequency > 0 && frequency <= MAX_MENTIONING_RECORDS;
}

/** Whether no note of a concept can have one of its names as a tag or phrase. */
function isOnlyNamed({ records, names }: Concept): boolean {
  const isOwn = names.every(({ kind }) => kind === 'note' || kind === 'title' || kind === 'alias');
  return records.length === 0 || (records.length === 1 && isOwn);
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
