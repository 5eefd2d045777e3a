import { assertNotAborted } from '../../core/progress.ts';
import {
  type EdgeDraft,
  type GraphProgress,
  type GraphState,
  type RecordGraph,
  recordNode,
} from '../../store/graph-model.ts';
import type { SimilarRecord } from '../../store/search-model.ts';
import { rounded } from './record-graph.ts';
import { changePages, rulesOfText, writtenIn, type DerivationOptions } from './derive.ts';

/** Edges of a node at most: each of two similar records is among the nearest of the other. */
const MAX_NEAREST = 5;
/** Notes about the same thing are above, notes of the same kind below. */
const MIN_COSINE = 0.6;
const WEIGHT = 0.8;
/** Records of one store call, which holds up searches. Each takes about a millisecond among 30,000 passages. */
const BATCH = 8;
const CHANGES_PAGE = 64;
/** After so many changes, all of their records are compared, and not those near them: these change as well. */
const MAX_INCREMENTAL_CHANGES = 200;
/** A run stops after this time. The next one continues. */
const MAX_RUN_MS = 60_000;

/** Whether no record waits to be compared with the others. */
export function isSimilarCurrent({ similarUpTo, lastChange, rules }: GraphState): boolean {
  return similarUpTo === lastChange && rulesOfText(rules) === rules;
}

/**
 * Derives which records are similar: each is among the `MAX_NEAREST` nearest of the other. It follows the change feed, and
 * commits its progress with each batch. An edge that only the removal of a third record would allow waits until one of its
 * records changes, or for a rebuild.
 * @param generation of the vectors; `null` without any, and then nothing is similar
 * @throws LociError `aborted`, and the errors of the store
 */
export async function deriveSimilar(options: DerivationOptions, generation: number | null): Promise<void> {
  const { store, namespace } = options;
  const { similarUpTo, lastChange, rules } = await store.graph.state(namespace);
  const comparison = new Comparison(options, generation);
  const isIncremental = similarUpTo > 0 && lastChange - similarUpTo <= MAX_INCREMENTAL_CHANGES;
  const deadline = performance.now() + MAX_RUN_MS;
  for await (const changes of changePages(store, namespace, similarUpTo, CHANGES_PAGE)) {
    // The next run continues after the last page.
    if (performance.now() > deadline) return;
    const written = writtenIn(changes);
    const compared = isIncremental ? await comparison.withNeighbours(written) : written;
    await comparison.update(compared, changes.at(-1)!.sequence);
  }
  if (rulesOfText(rules) !== rules) await comparison.finish(rulesOfText(rules));
}

/** Compares records, and remembers the nearest ones of each while nothing changes. */
class Comparison {
  readonly #options: DerivationOptions;
  readonly #generation: number | null;
  readonly #nearest = new Map<number, readonly SimilarRecord[]>();

  constructor(options: DerivationOptions, generation: number | null) {
    this.#options = options;
    this.#generation = generation;
  }

  /** These records, those that they were similar to, and those that may be similar to them now. */
  async withNeighbours(records: readonly number[]): Promise<number[]> {
    const all = new Set(records);
    await this.#load(records);
    for (const record of records) for (const near of this.#nearest.get(record) ?? []) all.add(near.record);
    for (const edges of (await this.#edgesOf(records)).values())
      for (const edge of edges) all.add(recordOfTarget(edge));
    return [...all];
  }

  /** Replaces the edges of these records. */
  async update(records: readonly number[], similarUpTo: number): Promise<void> {
    await this.#load(records);
    await this.#load(records.flatMap((record) => this.#near(record).map((near) => near.record)));
    await this.#commit(await this.#contributions(records), { similarUpTo });
  }

  /** Notes that all records were compared since the last full build. */
  finish(rules: string): Promise<void> {
    return this.#commit(new Map(), { rules });
  }

  async #commit(records: ReadonlyMap<number, RecordGraph>, progress: Partial<GraphProgress>): Promise<void> {
    const { store, namespace, fence } = this.#options;
    await store.records.commit(namespace, {
      graph: { lane: 'similar', records, shared: [], progress },
      ...(fence !== undefined && { fence }),
    });
  }

  /** Every edge is there in both directions, and each belongs to the record where it begins. */
  async #contributions(records: readonly number[]): Promise<Map<number, RecordGraph>> {
    const compared = new Set(records);
    const mutual = new Map(records.map((record) => [record, this.#mutual(record)]));
    const before = await this.#edgesOf(records);
    const others = new Set([
      ...[...before.values()].flat().map(recordOfTarget),
      ...[...mutual.values()].flatMap((cosines) => [...cosines.keys()]),
    ]);
    for (const record of records) others.delete(record);
    const kept = await this.#edgesOf([...others]);
    const hashes = await this.#hashes([...records, ...others]);
    const edge = (from: number, to: number, cosine: number): EdgeDraft[] =>
      hashes.has(from) && hashes.has(to) ? [similarEdge(from, to, cosine, hashes.get(from)!)] : [];
    const contributions = new Map<number, RecordGraph>();
    for (const [record, cosines] of mutual) {
      const edges = [...cosines].flatMap(([other, cosine]) => edge(record, other, cosine));
      contributions.set(record, { nodes: [], edges });
    }
    for (const other of others) {
      const stay = (kept.get(other) ?? []).filter((each) => !compared.has(recordOfTarget(each)));
      const added = records.flatMap((record) => {
        const cosine = mutual.get(record)?.get(other);
        return cosine === undefined ? [] : edge(other, record, cosine);
      });
      contributions.set(other, { nodes: [], edges: [...stay, ...added] });
    }
    return contributions;
  }

  /** The records that are among the nearest of this one, and this one among theirs, with the larger of both cosines. */
  #mutual(record: number): Map<number, number> {
    const pairs = this.#near(record).flatMap(({ record: other, cosine }): [number, number][] => {
      const back = this.#near(other).find((each) => each.record === record);
      return back === undefined ? [] : [[other, Math.max(cosine, back.cosine)]];
    });
    return new Map(pairs);
  }

  #near(record: number): readonly SimilarRecord[] {
    const nearest = this.#nearest.get(record) ?? [];
    return nearest.slice(0, MAX_NEAREST).filter(({ cosine }) => cosine >= MIN_COSINE);
  }

  async #load(records: readonly number[]): Promise<void> {
    if (this.#generation === null) return;
    const { store, namespace, now } = this.#options;
    const missing = [...new Set(records)].filter((record) => !this.#nearest.has(record));
    const limit = 4 * MAX_NEAREST;
    for (let from = 0; from < missing.length; from += BATCH) {
      assertNotAborted(this.#options);
      const batch = missing.slice(from, from + BATCH);
      const found = await store.search.similar(namespace, this.#generation, batch, { now, limit });
      for (const record of batch) this.#nearest.set(record, found.get(record) ?? []);
    }
  }

  async #edgesOf(records: readonly number[]): Promise<Map<number, readonly EdgeDraft[]>> {
    const { store, namespace } = this.#options;
    if (records.length === 0) return new Map();
    const found = await store.graph.contributions(namespace, 'similar', records);
    return new Map([...found].map(([record, { edges }]) => [record, edges]));
  }

  /** The hashes of the contents of those records that have a node. */
  async #hashes(records: readonly number[]): Promise<Map<number, string>> {
    if (records.length === 0) return new Map();
    const nodes = await this.#options.store.graph.nodes(this.#options.namespace, { records });
    // The node of a record precedes those of its tasks.
    return new Map(
      nodes
        .toReversed()
        .flatMap(({ record, provenance }) =>
          record === null || provenance === null ? [] : [[record, provenance.hash]],
        ),
    );
  }
}

/** The record to which an edge of this lane leads. */
export function recordOfTarget({ dst }: EdgeDraft): number {
  return Number(dst.slice(recordNode(0).length - 1));
}

function similarEdge(from: number, to: number, cosine: number, hash: string): EdgeDraft {
  return {
    src: recordNode(from),
    dst: recordNode(to),
    type: 'similar_to',
    weight: rounded(WEIGHT * Math.min(1, cosine)),
    reason: `their texts are similar (${cosine.toFixed(2)})`,
    provenance: { record: from, passage: 0, lines: null, hash },
  };
}
