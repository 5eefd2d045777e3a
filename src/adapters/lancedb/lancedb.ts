import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { makePrivateFolder } from '../../core/fs/make-folder.ts';
import { shortHash } from '../../core/ids.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { openEmbedder } from '../../embed/registry.ts';
import { parseQuery } from '../../search/query/parse.ts';
import { isUnknown, languageCoverage } from '../../search/retrieve/vectors.ts';
import type { Backend, PoolQuery } from '../backend.ts';
import type { MemoryResult } from '../contract.ts';
import type { PoolSet } from '../pools/pool-set.ts';
import { briefly, loadLancedb } from './package.ts';
import { mayBeDamage } from './passage-table.ts';
import { PoolIndex } from './pool-index.ts';
import { type QueryVector, searchPassages } from './search-passages.ts';

/** Must grow whenever a row has other columns, or a note other passages. Tables are then made anew. */
const TABLE_VERSION = 2;

/** LanceDB would use 6 GB. */
const INDEX_CACHE_BYTES = 256n * 2n ** 20n;
const METADATA_CACHE_BYTES = 64n * 2n ** 20n;

/** In an error of LanceDB. */
const INVALID_QUERY = /\bInvalid (?:user )?input\b/;

interface Opened {
  readonly folder: string;
  /** `null` for the provider `none`. */
  readonly embedder: Embedder | null;
  readonly index: PoolIndex;
}

/** Keeps the passages of pools in tables of LanceDB, with its full text and the vectors of the configured model. */
export class LancedbBackend implements Backend {
  readonly id = 'lancedb';
  /** A few notes are embedded before a program goes on that has registered them. More are found by their words until they are. */
  readonly maxSettleMs = 2000;
  readonly #config: Config;
  #opened: Opened | null = null;
  /** Why the last query had no vector. */
  #queryProblem: string | null = null;

  constructor(config: Config) {
    this.#config = config;
  }

  get capabilities(): Backend['capabilities'] {
    return { semantic: this.#config.embedding.provider !== 'none', keyword: true };
  }

  async open({ dataDir }: { readonly dataDir: string }): Promise<void> {
    const { adapters, embedding } = this.#config;
    const loaded = await loadLancedb(adapters.lancedb.package, dataDir);
    const folder = path.join(dataDir, 'lancedb');
    makePrivateFolder(folder);
    // It may have been made by something else.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const stateFile = path.join(folder, 'embedding-state.json');
    const embedder = await openEmbedder({ ...embedding, stateFile, separateProcess: true });
    const session = new loaded.lancedb.Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES);
    const connection = await loaded.lancedb.connect(folder, { readConsistencyInterval: 0 }, session);
    const index = new PoolIndex({ folder, name: nameOfTables(embedder), loaded, connection, embedder });
    this.#opened = { folder, embedder, index };
  }

  async registerPools(pools: PoolSet): Promise<void> {
    await this.#opened!.index.register(pools).catch(throwBriefly);
  }

  async indexPaths(paths: readonly string[]): Promise<void> {
    await this.#opened!.index.update(paths).catch(throwBriefly);
  }

  async settled(): Promise<void> {
    await this.#opened!.index.settled();
  }

  async recall(query: PoolQuery): Promise<readonly MemoryResult[]> {
    const { index } = this.#opened!;
    const vector = query.mode === 'keyword' ? null : await this.#vectorOf(query);
    if (query.mode === 'semantic' && vector === null) return [];
    try {
      return await searchPassages(await index.groupsOf(query.pools), query, vector);
    } catch (error) {
      if (mayBeDamage(error) && !INVALID_QUERY.test(messageOf(error)) && !query.signal.aborted)
        index.rebuildLater();
      return throwBriefly(error);
    }
  }

  async problems(): Promise<readonly string[]> {
    const problems = await this.#opened!.index.problems().catch(throwBriefly);
    return this.#queryProblem === null ? problems : [...problems, this.#queryProblem];
  }

  async details(): Promise<Readonly<Record<string, unknown>>> {
    const { folder, embedder, index } = this.#opened!;
    return {
      folder,
      notes: await index.count("revision != ''"),
      passages: await index.count(),
      embedding: embedder === null ? 'none' : `${embedder.provider}/${embedder.model}`,
      waiting: await index.countWaiting(),
      writer: index.writerPid,
    };
  }

  stop(): void {
    this.#opened?.index.stop();
  }

  async close(): Promise<void> {
    await this.#opened?.index.close();
    await this.#opened?.embedder?.close();
  }

  /**
   * `null` if there is no model, if it knows nothing of the query, or if it cannot answer and words can.
   * @throws LociError `embedding_unavailable` for a query by meaning only
   */
  async #vectorOf({ text, mode, signal }: PoolQuery): Promise<QueryVector | null> {
    const { embedder, index } = this.#opened!;
    if (embedder === null || isUnknown(text, { embedder })) return null;
    try {
      const [vector] = await embedder.embed([text], { purpose: 'query', signal });
      this.#queryProblem = null;
      if (index.hasUnembedded) index.embedLater();
      return { vector: vector!, weight: languageCoverage(embedder, parseQuery(text)) };
    } catch (error) {
      if (mode === 'semantic' || signal.aborted) throw error;
      this.#queryProblem = `queries are searched by words only: ${briefly(error)}`;
      return null;
    }
  }
}

/** How the names of tables begin. Each model has tables of its own, so that its vectors are never compared with those of another. */
function nameOfTables(embedder: Embedder | null): string {
  const { provider, model, prefixes, dimensions } = embedder ?? { provider: 'none' };
  return `passages-${shortHash(JSON.stringify([TABLE_VERSION, provider, model, prefixes, dimensions])).slice(0, 12)}`;
}

/** Errors of LanceDB are long, and a status shows them. */
function throwBriefly(error: unknown): never {
  if (error instanceof LociError) throw error;
  throw new LociError('internal', briefly(error), { cause: error });
}
