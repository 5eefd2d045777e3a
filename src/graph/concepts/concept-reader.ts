import { inTurns } from '../../core/threads/slices.ts';
import {
  type ConceptChange,
  type ConceptMention,
  type ConceptName,
  MAX_MENTIONING_RECORDS,
  type Naming,
  type NamingsOfKey,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { GraphState } from '../../store/graph-model.ts';
import { conceptChanges } from '../../store/items/kinds.ts';
import type { Store, StoreGraph } from '../../store/store.ts';
import { referencesOf } from './change-references.ts';
import {
  applyChanges,
  changeSlices,
  type Concept,
  type ConceptState,
  withoutUndone,
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

export type Direction = 'out' | 'in';

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
  #allChanges: Promise<ConceptChange[]> | undefined;

  constructor(
    { graph, records }: Pick<Store, 'graph' | 'records'>,
    namespace: string,
    excludedSources: readonly string[],
    { conceptChanges }: Pick<GraphState, 'conceptChanges'>,
  ) {
    this.#graph = graph;
    this.#records = records;
    this.#namespace = namespace;
    this.#excludedSources = excludedSources;
    this.#allChanges = conceptChanges === 0 ? Promise.resolve([]) : undefined;
  }

  /**
   * The edges of records and concepts: those from records to what their texts, tags and phrases name, and from concepts to their notes;
   * and those that lead to records, and to concepts that are not one note.
   */
  async around(
    records: readonly number[],
    refs: readonly ConceptRef[],
    directions: readonly Direction[],
  ): Promise<Record<Direction, ConceptEdge[]>> {
    const concepts = [...(await this.#graph.recordConcepts(this.#namespace, records))];
    const projects = new Set([...concepts.map(([, own]) => own.project), ...refs.map((ref) => ref.project)]);
    const edges: Record<Direction, ConceptEdge[]> = { out: [], in: [] };
    for (const project of projects) {
      const own = concepts.filter(([, each]) => each.project === project);
      const keys = refs.filter((ref) => ref.project === project).map(({ key }) => key);
      const found = await this.#aroundIn(project, own, keys, directions);
      edges.out.push(...found.out);
      edges.in.push(...found.in);
    }
    return edges;
  }

  async #aroundIn(
    project: string,
    own: readonly (readonly [number, RecordConcepts])[],
    refKeys: readonly string[],
    directions: readonly Direction[],
  ): Promise<Record<Direction, ConceptEdge[]>> {
    const [isOut, isIn] = [directions.includes('out'), directions.includes('in')];
    const spoken = isOut ? own.flatMap(([, each]) => spokenKeys(each)) : [];
    const claims = isIn ? own.flatMap(([, { names }]) => names.filter(isClaim).map(({ key }) => key)) : [];
    const keys = [...new Set([...claims, ...refKeys])];
    const named = new Set(keys);
    const namings = await this.#namings(project, isIn ? keys : [], spoken);
    const isCommon = (key: string): boolean => (namings.get(key)?.records ?? 0) > MAX_MENTIONING_RECORDS;
    const asked = new Set([...keys, ...spoken.filter((key) => !isCommon(key))]);
    let lookup = await this.#lookup(project, [...asked]);
    const targets = (): Concept[] => [
      ...own.flatMap(([record]) => lookup.ofRecord(record) ?? []),
      ...keys.flatMap((key) => lookup.named(key) ?? []),
    ];
    if (isIn) {
      // The other names of these concepts may be names of other notes too.
      const others = targets().flatMap(({ names }) =>
        names.flatMap(({ key, kind }) => (kind === 'note' || named.has(key) ? [] : [key])),
      );
      if (others.some((key) => !asked.has(key))) lookup = await this.#lookup(project, [...asked, ...others]);
      for (const [key, each] of await this.#namings(project, others, [])) namings.set(key, each);
    }
    const byId = new Map(isIn ? targets().map((concept) => [concept.id, concept]) : []);
    const places = [...namings.values()].flatMap((each) => each.places);
    const into = [...Map.groupBy(places, ({ record }) => record)].flatMap(([record, rows]) =>
      conceptEdges(record, namesOf(rows), lookup, isCommon),
    );
    return {
      out: isOut
        ? [
            ...own.flatMap(([record, each]) => conceptEdges(record, each, lookup, isCommon)),
            ...refKeys.flatMap((key) => lookup.named(key) ?? []).flatMap(sameAsEdges),
          ]
        : [],
      in: [...into.filter(({ concept }) => byId.has(concept.id)), ...[...byId.values()].flatMap(sameAsEdges)],
    };
  }

  async #namings(
    project: string,
    keys: readonly string[],
    counted: readonly string[],
  ): Promise<Map<string, NamingsOfKey>> {
    if (keys.length === 0 && counted.length === 0) return new Map();
    const limits = { limit: MAX_NAMINGS, max: MAX_MENTIONING_RECORDS + 1 };
    const request = { project, keys, counted, ...limits, excludedSources: this.#excludedSources };
    return this.#graph.namings(this.#namespace, request);
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
      const refs = some.map(({ names }) => ({ project, key: names[0]!.key }));
      const edges = await this.around(some.flatMap(({ records }) => records), refs, ['in']); // prettier-ignore
      count.mentions += edges.in.filter(
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
    const found = new Map<string, number>();
    for (let i = 0; i < keys.length; i += KEYS_OF_CALL) {
      const some = keys.slice(i, i + KEYS_OF_CALL);
      for (const [key, { records }] of await this.#namings(project, [], some)) found.set(key, records);
    }
    return found;
  }

  async #changes(project: string): Promise<ConceptChange[]> {
    const changes = await (this.#allChanges ??= conceptChanges(this.#records, this.#namespace));
    return changes.filter((change) => change.project === project);
  }

  /** The concepts that have these names, or whose notes have these ids, and those that operators changed. */
  async #lookup(project: string, keys: readonly string[]): Promise<ConceptLookup> {
    const changes = await this.#changes(project);
    const all = [...new Set([...keys, ...referencesOf(withoutUndone(changes))])];
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
