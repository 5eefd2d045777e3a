import { inTurns, withoutPauses } from '../../core/threads/slices.ts';
import {
  type ConceptMention,
  type ConceptName,
  MAX_MENTIONING_RECORDS,
  type Naming,
  type NamingsOfKey,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { Store } from '../../store/store.ts';
import {
  type ConceptEdge,
  conceptEdges,
  type Concept,
  type Concepts,
  groupNames,
  identityOf,
  isClaim,
  isSpoken,
  isTag,
} from './concepts.ts';

/** Keys of one call of the store, which holds up other calls. */
const KEYS_OF_CALL = 1000;
const CONCEPTS_OF_CALL = 64;
/** A record may both mention a name and have it as a phrase. */
const MAX_NAMINGS = 2 * (MAX_MENTIONING_RECORDS + 1);

export type Direction = 'out' | 'in';

/** The concept of a tag or phrase by its project and name. */
export interface ConceptRef {
  readonly project: string;
  readonly key: string;
}

/** Reads the edges of concepts from the names and mentions of records, as if hidden sources had no records. */
export class ConceptReader {
  readonly #graph: Store['graph'];
  readonly #namespace: string;
  readonly #excludedSources: readonly string[];

  constructor(graph: Store['graph'], namespace: string, excludedSources: readonly string[] = []) {
    this.#graph = graph;
    this.#namespace = namespace;
    this.#excludedSources = excludedSources;
  }

  /**
   * The edges from records to what their texts, tags and phrases name; and those that lead to records, and to concepts that are no
   * note.
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
        names.flatMap(({ key }) => (named.has(key) ? [] : [key])),
      );
      if (others.some((key) => !asked.has(key))) lookup = await this.#lookup(project, [...asked, ...others]);
      for (const [key, each] of await this.#namings(project, others, [])) namings.set(key, each);
    }
    const wanted = new Set(targets().map(identityOf));
    const places = [...namings.values()].flatMap((each) => each.places);
    const into = [...Map.groupBy(places, ({ record }) => record)].flatMap(([record, rows]) =>
      conceptEdges(record, namesOf(rows), lookup, isCommon),
    );
    return {
      out: isOut ? own.flatMap(([record, each]) => conceptEdges(record, each, lookup, isCommon)) : [],
      in: isIn ? into.filter(({ concept }) => wanted.has(identityOf(concept))) : [],
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

  /** The concepts with these names that have nodes of their own. */
  async withNodes(refs: readonly ConceptRef[]): Promise<Concept[]> {
    const found = [...Map.groupBy(refs, (ref) => ref.project)].map(async ([project, own]) => {
      const keys = own.map(({ key }) => key);
      const lookup = await this.#lookup(project, keys);
      return this.#thatHaveNodes(project, keys.flatMap((key) => lookup.named(key) ?? [])); // prettier-ignore
    });
    return (await Promise.all(found)).flat();
  }

  /** The concepts of a project that have nodes of their own. */
  async allWithNodes(project: string): Promise<Concept[]> {
    return this.#thatHaveNodes(project, (await this.concepts(project)).all);
  }

  /** How many edges lead to the concepts of a project. */
  async count(project: string): Promise<number> {
    const all = await this.concepts(project);
    const concepts = all.all.filter((concept) => !isTag(concept));
    const keys = concepts.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.frequencies(project, keys, MAX_MENTIONING_RECORDS + 1);
    const disputed = new Set(all.conflicts().flatMap(({ records }) => records));
    let count = 0;
    const several: Concept[] = [];
    for (const concept of concepts) {
      const used = concept.names.filter(({ key }) => isUsed(frequencies.get(key)));
      // A record that has several of the names has one edge.
      const isSimple = used.length < 2 && (concept.record === null || !disputed.has(concept.record));
      if (isSimple) count += used.length === 0 ? 0 : frequencies.get(used[0]!.key)!;
      else several.push(concept);
    }
    for (let i = 0; i < several.length; i += CONCEPTS_OF_CALL) {
      const some = several.slice(i, i + CONCEPTS_OF_CALL);
      const edges = await this.around(some.flatMap(({ record }) => record ?? []), [], ['in']); // prettier-ignore
      count += edges.in.length;
    }
    return count;
  }

  /** The concepts of a project. */
  async concepts(project: string): Promise<Concepts> {
    const selector = { project, excludedSources: this.#excludedSources };
    const rows = await this.#graph.conceptNames(this.#namespace, selector);
    return inTurns(groupNames(rows, project));
  }

  /** A concept has a node of its own if it is no note, and if an edge leads to it. */
  async #thatHaveNodes(project: string, concepts: readonly Concept[]): Promise<Concept[]> {
    const shared = concepts.filter((concept) => concept.record === null && !isTag(concept));
    const keys = shared.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.frequencies(project, keys, MAX_MENTIONING_RECORDS + 1);
    return shared.filter(({ names }) => names.some(({ key }) => isUsed(frequencies.get(key))));
  }

  /** How many records mention each name or have it as a tag or phrase, counted up to `max`. */
  async frequencies(project: string, keys: readonly string[], max?: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const all = [...new Set(keys)];
    for (let i = 0; i < all.length; i += KEYS_OF_CALL) {
      const counted = all.slice(i, i + KEYS_OF_CALL);
      const limits = { excludedSources: this.#excludedSources, ...(max !== undefined && { max }) };
      const namings = await this.#graph.namings(this.#namespace, { project, keys: [], counted, ...limits });
      for (const [key, { records }] of namings) found.set(key, records);
    }
    return found;
  }

  /** The concepts that have these names. */
  async #lookup(project: string, keys: readonly string[]): Promise<Concepts> {
    const selector = { project, only: { keys: [...new Set(keys)] }, excludedSources: this.#excludedSources };
    return withoutPauses(groupNames(await this.#graph.conceptNames(this.#namespace, selector), project));
  }
}

/** Whether some records have a name, and not too many. */
function isUsed(frequency = 0): boolean {
  return frequency > 0 && frequency <= MAX_MENTIONING_RECORDS;
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
