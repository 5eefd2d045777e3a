import { inTurns, withoutPauses } from '../../core/threads/slices.ts';
import { MAX_MENTIONING_RECORDS, type Naming, type RecordConcepts } from '../../store/concept-model.ts';
import type { Store } from '../../store/store.ts';
import {
  type ConceptEdge,
  conceptEdges,
  type Concepts,
  groupNames,
  isOwnName,
  isSpoken,
} from './concepts.ts';

/** Keys of one call of the store, which holds up other calls. */
const KEYS_OF_CALL = 1000;
const CONCEPTS_OF_CALL = 64;
/** A record may both mention a name and have it as a phrase. */
const MAX_NAMINGS = 2 * (MAX_MENTIONING_RECORDS + 1);

/** Where edges of concepts begin and end. */
export interface ConceptEnds {
  /** Records, for the edges that lead away from them. */
  readonly from?: readonly number[];
  /** Records, for the edges that lead to them. */
  readonly to?: readonly number[];
  /** Tags and phrases, for the edges that lead to their concepts. */
  readonly toNames?: readonly { readonly project: string; readonly key: string }[];
}

export interface ConceptEdges {
  readonly out: readonly ConceptEdge[];
  readonly in: readonly ConceptEdge[];
}

type RecordNamings = readonly Omit<Naming, 'record'>[];

/** Reads the concepts and their edges from the names and mentions of records, as if hidden sources had no records. */
export class ConceptReader {
  readonly #graph: Store['graph'];
  readonly #namespace: string;
  readonly #visible: { readonly excludedSources: readonly string[] };

  constructor(graph: Store['graph'], namespace: string, excludedSources: readonly string[] = []) {
    this.#graph = graph;
    this.#namespace = namespace;
    this.#visible = { excludedSources };
  }

  /** The concepts of a project. */
  async concepts(project: string): Promise<Concepts> {
    const rows = await this.#graph.conceptNames(this.#namespace, { project, ...this.#visible });
    return inTurns(groupNames(rows, project));
  }

  async edges({ from = [], to = [], toNames = [] }: ConceptEnds): Promise<ConceptEdges> {
    const records = [...new Set([...from, ...to])];
    const concepts = await this.#graph.recordConcepts(this.#namespace, records);
    const projects = new Set([...concepts.values(), ...toNames].map(({ project }) => project));
    const edgesIn = (project: string): Promise<ConceptEdges> => {
      const own = (ids: readonly number[]): [number, RecordConcepts][] =>
        ids.flatMap((id) => (concepts.get(id)?.project === project ? [[id, concepts.get(id)!]] : []));
      const keys = toNames.flatMap((each) => (each.project === project ? [each.key] : []));
      return this.#edgesIn(project, own(from), own(to), keys);
    };
    const found = await Promise.all(Array.from(projects, edgesIn));
    return { out: found.flatMap((each) => each.out), in: found.flatMap((each) => each.in) };
  }

  async #edgesIn(
    project: string,
    from: readonly (readonly [number, RecordConcepts])[],
    to: readonly (readonly [number, RecordConcepts])[],
    toKeys: readonly string[],
  ): Promise<ConceptEdges> {
    const leaving = from.map(([record, own]) => [record, namingsOf(own)] as const);
    const counted = leaving.flatMap(([, own]) => own.map(({ key }) => key));
    // The names of a note are its titles and aliases.
    const claims = to.flatMap(([, { names }]) => names.filter(isOwnName).map(({ key }) => key));
    const keys = [...new Set([...claims, ...toKeys])];
    const limits = { limit: MAX_NAMINGS, max: MAX_MENTIONING_RECORDS + 1 };
    const request = { project, keys, counted, ...limits, ...this.#visible };
    const namings = await this.#graph.namings(this.#namespace, request);
    const isCommon = (key: string): boolean => (namings.get(key)?.records ?? 0) > MAX_MENTIONING_RECORDS;
    const only = { keys: [...new Set([...keys, ...counted.filter((key) => !isCommon(key))])] };
    const rows = await this.#graph.conceptNames(this.#namespace, { project, only, ...this.#visible });
    const concepts = withoutPauses(groupNames(rows, project));
    const [records, wanted] = [new Set(to.map(([record]) => record)), new Set(toKeys)];
    const isWanted = ({ concept: { record, names } }: ConceptEdge): boolean =>
      record === null ? wanted.has(names[0]!.key) : records.has(record);
    const places = [...namings.values()].flatMap((each) => each.places);
    const arriving = [...Map.groupBy(places, ({ record }) => record)];
    const edgesOf = ([record, own]: readonly [number, RecordNamings]): ConceptEdge[] =>
      conceptEdges(record, own, concepts, isCommon);
    return { out: leaving.flatMap(edgesOf), in: arriving.flatMap(edgesOf).filter(isWanted) };
  }

  /** How many edges lead to the concepts of a project. */
  async count(project: string): Promise<number> {
    const all = await this.concepts(project);
    const concepts = all.all.filter(({ isTag }) => !isTag);
    const keys = concepts.flatMap(({ names }) => names.map(({ key }) => key));
    const frequencies = await this.frequencies(project, keys, MAX_MENTIONING_RECORDS + 1);
    const disputed = new Set(all.conflicts().flatMap(({ records }) => records));
    let count = 0;
    const several: number[] = [];
    for (const { names, record } of concepts) {
      const used = names
        .map(({ key }) => frequencies.get(key) ?? 0)
        .filter((frequency) => frequency > 0 && frequency <= MAX_MENTIONING_RECORDS);
      // A record that has several of the names has one edge.
      if (record === null || (used.length < 2 && !disputed.has(record))) count += used[0] ?? 0;
      else several.push(record);
    }
    for (let i = 0; i < several.length; i += CONCEPTS_OF_CALL)
      count += (await this.edges({ to: several.slice(i, i + CONCEPTS_OF_CALL) })).in.length;
    return count;
  }

  /** How many records mention each name or have it as a tag or phrase, counted up to `max`. */
  async frequencies(project: string, keys: readonly string[], max?: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const all = [...new Set(keys)];
    for (let i = 0; i < all.length; i += KEYS_OF_CALL) {
      const counted = all.slice(i, i + KEYS_OF_CALL);
      const limits = { ...this.#visible, ...(max !== undefined && { max }) };
      const namings = await this.#graph.namings(this.#namespace, { project, keys: [], counted, ...limits });
      for (const [key, { records }] of namings) found.set(key, records);
    }
    return found;
  }
}

/** What a record mentions, and its tags and phrases. */
function namingsOf({ names, mentions }: RecordConcepts): RecordNamings {
  return [
    ...mentions.map(({ key, line, count }) => ({ key, text: null, kind: 'mention' as const, line, count })),
    ...names.filter(isSpoken).map((name) => ({ ...name, count: 1 })),
  ];
}
