import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { shortHash } from '../../core/ids.ts';
import type { EngineContext } from '../../engine/context.ts';
import { vectorsOf } from '../../engine/embedding/models.ts';
import { snippetOf } from '../../engine/records/results/search-result.ts';
import { highlightedTerms, searchOutcome, shownOf } from '../../engine/records/search.ts';
import { type FoundHit, laterFirst } from '../../search/newest-first.ts';
import type { Hit } from '../../search/rank/confidence.ts';
import { CLASSIC_RANKING, type Ranking } from '../../search/rank/ranking.ts';
import { NOT_ALL_EMBEDDED, type SignalList } from '../../search/retrieve/signals.ts';
import type { SearchOutcome } from '../../search/search.ts';
import { isWithin, resolveWithin } from '../../sources/files/paths.ts';
import type { MemoryResult } from '../contract.ts';
import type { PoolQuery } from '../pool-adapter.ts';
import { matchesFilters, noteHead, type NoteHead, resultMetadata, uriOf } from '../pools/pool-files.ts';
import { type LocatedPool, type Pool, seersOf } from '../pools/pool-set.ts';

/** Passages that are ranked: more, as long as too few notes are found that pass the filters. */
const SIZES: readonly Pick<Ranking, 'pool' | 'depth'>[] = [
  { pool: 100, depth: 150 },
  { pool: 1000, depth: 1500 },
  { pool: 10_000, depth: 10_000 },
];

/** Nothing but vectors: no other signal, and no later stage. */
const SEMANTIC_RANKING: Partial<Ranking> = {
  ...CLASSIC_RANKING,
  fusion: 'minmax',
  weights: { vector: 1, text: 0, spelling: 0, recency: 0 },
};

/** Records whose text is read at once. */
const BATCH_SIZE = 20;
const MIN_SCORE = 0.0001;

interface PoolSearchResult {
  readonly results: readonly MemoryResult[];
  /** Why the answer may lack something. */
  readonly problems: readonly string[];
}

/** A result and its hit, whose confidence is comparable between namespaces. */
interface RatedResult extends FoundHit {
  readonly result: MemoryResult;
}

/**
 * Searches pools with the engine, each in its namespace, and merges what was found by its confidence. Nothing is recorded of it.
 * @param contextOf the engine in the namespace of a pool
 */
export async function searchPools(
  contextOf: (pool: LocatedPool) => EngineContext,
  query: PoolQuery,
): Promise<PoolSearchResult> {
  const groups = Map.groupBy(query.pools, (pool) => contextOf(pool).namespace);
  const found = await Promise.all(
    [...groups.values()].map((pools) => searchNamespace(contextOf(pools[0]!), { ...query, pools })),
  );
  return {
    results: await merged(found.map(({ results }) => results)),
    problems: [...new Set(found.flatMap(({ problems }) => problems))],
  };
}

/** Keeps the order of each list, but that later values stand first. A note of several lists is in the answer once. */
async function merged(lists: readonly (readonly RatedResult[])[]): Promise<MemoryResult[]> {
  if (lists.length === 1) return lists[0]!.map(({ result }) => result);
  const rated = lists.flatMap((list) => {
    let least = 1;
    return list.map((each) => {
      least = Math.max(MIN_SCORE, Math.min(least, Math.round(each.hit.confidence * 10_000) / 10_000));
      return { ...each, score: least };
    });
  });
  rated.sort((a, b) => b.score - a.score);
  const byId = new Map(rated.toReversed().map((each) => [each.result.id, each]));
  const best = rated.filter((each) => byId.get(each.result.id) === each);
  const ordered = (await laterFirst(best))?.map(({ found }) => found) ?? best;
  return ordered.map(({ result }, place) => ({ ...result, score: best[place]!.score }));
}

async function searchNamespace(
  engine: EngineContext,
  query: PoolQuery,
): Promise<{ readonly results: readonly RatedResult[]; readonly problems: readonly string[] }> {
  const vectors = query.mode === 'keyword' ? null : await vectorsOf(engine);
  if (query.mode === 'semantic' && vectors === null) return { results: [], problems: [] };
  const pools = new Map(query.pools.map((pool) => [poolVault(pool).name, pool]));
  const notes = new Notes(engine, query, pools);
  for (const [i, size] of SIZES.entries()) {
    if (query.limit > size.pool) continue;
    const outcome = await searchOutcome(
      engine,
      {
        query: query.text,
        origins: ['vault'],
        sources: [...pools.keys()],
        limit: size.pool,
        minScore: 0,
        ranking: { ...(query.mode === 'semantic' && SEMANTIC_RANKING), ...size },
        signal: query.signal,
      },
      vectors,
    );
    const results = await notes.add(outcome);
    const isLast = i === SIZES.length - 1 || query.signal.aborted;
    if (results.length < query.limit && !isLast && notes.mayFollow(outcome, size)) continue;
    return { results, problems: problemsOf(outcome) };
  }
  return { results: [], problems: [] };
}

function problemsOf({ retrieved: { missing }, notices }: SearchOutcome): string[] {
  const incomplete = missing.filter((each) => each !== NOT_ALL_EMBEDDED);
  return [...incomplete.map(({ signal, why }) => `the last recall lacks ${signal}: ${why}`), ...notices];
}

/** A note of a result. */
interface Note {
  readonly pool: LocatedPool;
  readonly file: string;
  readonly head: NoteHead;
}

/** The notes of the hits of a recall that may be in its answer. */
class Notes {
  readonly #engine: EngineContext;
  readonly #query: PoolQuery;
  readonly #pools: ReadonlyMap<string, LocatedPool>;
  /** By record; `null` for one that is not in the answer. */
  readonly #notes = new Map<number, Note | null>();
  /** By file. Each is in the answer once, even if it is in several pools. */
  readonly #results = new Map<string, RatedResult>();
  #score = Number.POSITIVE_INFINITY;

  constructor(engine: EngineContext, query: PoolQuery, pools: ReadonlyMap<string, LocatedPool>) {
    this.#engine = engine;
    this.#query = query;
    this.#pools = pools;
  }

  /** Adds the best hits whose notes pass the filters, behind those of a search of fewer passages. Returns all. */
  async add(outcome: SearchOutcome): Promise<RatedResult[]> {
    const terms = highlightedTerms(outcome);
    const hits = outcome.hits.filter((hit) => this.#isMatch(hit));
    const shown = await shownOf(outcome, outcome.hits);
    const shownByRecord = new Map(shown.map(({ best }) => [best.passage.record.id, best]));
    for (let start = 0; start < hits.length; start += BATCH_SIZE) {
      const batch = hits.slice(start, start + BATCH_SIZE);
      await this.#load(batch);
      for (const hit of batch) {
        if (this.#results.size === this.#query.limit) return [...this.#results.values()];
        const note = this.#notes.get(hit.passage.record.id) ?? null;
        if (note === null || this.#results.has(note.file)) continue;
        // A reranker changes the order, but not the scores, and those of two searches differ.
        this.#score = Math.min(this.#score, Math.max(MIN_SCORE, Math.round(hit.score * 10_000) / 10_000));
        const best = shownByRecord.get(hit.passage.record.id)!;
        const result = {
          id: note.file,
          uri: uriOf(note.file, best),
          score: this.#score,
          snippet: snippetOf(best.passage, terms).text,
          metadata: resultMetadata(note.pool, keyOf(note.pool, note.file), note.head),
        };
        this.#results.set(note.file, { result, hit, search: outcome });
      }
    }
    return [...this.#results.values()];
  }

  /** Whether a search of more passages may find more. */
  mayFollow({ hits, passages, retrieved }: SearchOutcome, { depth }: (typeof SIZES)[number]): boolean {
    const ranked = new Set(passages.map(({ id }) => id));
    const isCut = ({ scores }: SignalList): boolean =>
      scores.length >= depth || scores.some(({ passage }) => !ranked.has(passage));
    const [byMeaning, byWords] = [
      retrieved.lists.filter(({ signal }) => signal === 'vector'),
      retrieved.lists.filter(({ signal }) => signal !== 'vector'),
    ];
    if (this.#query.mode !== 'semantic' && byWords.some(isCut)) return true;
    // What is less near in meaning fits less than the last one.
    return (hits.at(-1)?.confidence ?? 0) >= this.#minScore && byMeaning.some(isCut);
  }

  get #minScore(): number {
    return this.#engine.config.search.minScore;
  }

  /** What has words of the query is shown however little it fits, unless meaning alone is asked for. */
  #isMatch({ contributions, confidence }: Hit): boolean {
    const has = (...signals: readonly string[]): boolean =>
      contributions.some(({ signal }) => signals.includes(signal));
    if (this.#query.mode === 'semantic') return confidence >= this.#minScore && has('vector');
    return confidence >= this.#minScore || has('text', 'spelling');
  }

  async #load(hits: readonly Hit[]): Promise<void> {
    const ids = hits.map(({ passage }) => passage.record.id).filter((id) => !this.#notes.has(id));
    if (ids.length === 0) return;
    const { store, namespace, now } = this.#engine;
    for (const id of ids) this.#notes.set(id, null);
    const records = await store.records.get(namespace, ids, { liveAt: now(), damaged: 'is empty' });
    for (const { id, source, key, content } of records) {
      const pool = this.#pools.get(source);
      if (pool === undefined || key === null) continue;
      // To parse a long front matter takes up to 50 ms.
      await setImmediate();
      this.#query.signal.throwIfAborted();
      const head = noteHead(key, content);
      if (!matchesFilters(head.frontMatter, this.#query.filters)) continue;
      const file = await fileOf(pool, key);
      if (file !== null) this.#notes.set(id, { pool, file, head });
    }
  }
}

/**
 * The real path of a note. `null` if it is gone since it was indexed, was replaced by a link, or belongs to a pool below, which the
 * process that indexed it may not have known.
 */
async function fileOf({ root, inner }: LocatedPool, key: string): Promise<string | null> {
  const file = await resolveWithin(root, key).catch(() => null);
  if (file === null || inner.some((other) => isWithin(other, file))) return null;
  const isLink = keyOf({ root }, file).normalize('NFC') !== key;
  return isLink ? null : file;
}

/** The path of a note below its pool, as the file system has it. The engine has it in NFC. */
function keyOf({ root }: Pick<LocatedPool, 'root'>, file: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}

const PREFIX = 'pool/';
const HASH_LENGTH = 16;
const READABLE_LENGTH = 60;

/**
 * How the namespaces of pools in the store begin. It is a space, so that they are those of no caller (`isSubject`, `label`): other
 * ways to the store know neither roles nor agents.
 */
export function namespacePrefix(configured: string): string {
  return ` pools/${configured}/`;
}

/**
 * The namespace of a pool. It is shared by the pools that the same agents see: the statistics of words, spelling and vectors are those of a
 * namespace, and would tell what is in pools that an agent does not see.
 */
export function poolNamespace(configured: string, pool: Pick<Pool, 'roles' | 'agents'>): string {
  const seers = seersOf(pool);
  return `${namespacePrefix(configured)}${seers === seersOf({}) ? 'all' : hash(seers)}`;
}

/**
 * A pool as a vault of the engine. Its name has the id and the folder, so that a pool that has moved is another source, of which
 * nothing is found before it is indexed. Other processes that have it at the old place find nothing of the new one either.
 */
export function poolVault(pool: LocatedPool): VaultConfig & { readonly name: string } {
  const name = `${namesOf(pool)}${hash(pool.root)}`;
  return { name, path: pool.root, otherFolders: pool.inner };
}

/** How the names of the sources of a pool begin, wherever its folder is. Ids may be of any characters, and differ in case only. */
export function namesOf({ id }: Pick<Pool, 'id'>): string {
  const readable = id.replaceAll(/[^\w.-]+/g, '_').slice(0, READABLE_LENGTH);
  return `${PREFIX}${readable}/${hash(id)}/`;
}

/** Whether a source is a pool. */
export function isPoolSource(name: string): boolean {
  return name.startsWith(PREFIX);
}

function hash(text: string): string {
  // A hash is of UTF-8, in which all lone surrogates are the same.
  return shortHash(JSON.stringify(text)).slice(0, HASH_LENGTH);
}
