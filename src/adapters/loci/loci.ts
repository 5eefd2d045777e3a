import path from 'node:path';
import type { Config } from '../../config/schema.ts';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../../engine/context.ts';
import { vectorsOf } from '../../engine/embedding/models.ts';
import { openEngine } from '../../engine/open.ts';
import { embedNew } from '../../engine/reading/embed-new.ts';
import { forgetSource } from '../../engine/reading/forget-source.ts';
import { deriveStale } from '../../engine/reading/index-vaults.ts';
import { refreshVault } from '../../engine/reading/refresh/refresh-vault.ts';
import { NO_GENERATION, Refusals } from '../../ingest/embed.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import type { SourceState } from '../../store/admin-model.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { MemoryResult } from '../contract.ts';
import type { Backend, BackendState, PoolQuery } from '../pool-adapter.ts';
import { BackgroundEmbedding } from '../pools/background-embedding.ts';
import { type Unread, unreadOf, unreadProblems } from '../pools/pool-files.ts';
import { type LocatedPool, notIndexed, type Pool, PoolSet } from '../pools/pool-set.ts';
import {
  isPoolSource,
  namesOf,
  namespacePrefix,
  poolNamespace,
  poolVault,
  searchPools,
} from './pool-search.ts';

const OTHER_POOLS = 'another process has registered other pools, and notes in their folders are not found';

interface Opened {
  readonly engine: EngineContext;
  readonly embedding: BackgroundEmbedding;
}

/** Searches pools with the engine: each is a source in a namespace of the configured store. */
export class LociBackend implements Backend {
  readonly id = 'loci';
  readonly capabilities: Backend['capabilities'];
  /** A few notes are embedded before a program goes on that has registered them. More are found by their words until they are. */
  readonly maxSettleMs = 2000;
  readonly #config: Config;
  readonly #home: string;
  readonly #stop = new AbortController();
  #opened: Opened | null = null;
  #pools = new PoolSet([]);
  /** What could not be read, by root of a pool. */
  readonly #unread = new Map<string, Unread>();
  /** What the last recall lacks. */
  #recallProblems: readonly string[] = [];

  /** @param home the home folder of the settings */
  constructor(config: Config, home: string) {
    this.#config = config;
    this.#home = home;
    this.capabilities = { semantic: config.embedding.provider !== 'none', keyword: true };
  }

  /** @throws LociError `invalid_config`, `store_newer`, `store_corrupt`, `unreadable` and what else keeps the store from being opened */
  async open({ dataDir }: { readonly dataDir: string }): Promise<void> {
    const { store, adapters, ...config } = this.#config;
    const namespace = namespacePrefix(adapters.loci.namespace);
    const file = dataDir === this.#home ? store.path : path.join(dataDir, path.basename(store.path));
    const engine = await openEngine({
      ...{ ...config, adapters, namespace, store: { ...store, path: file } },
      ...{ vaults: [], sources: [], skills: [] },
    });
    const refusals = new Refusals();
    const embedding = new BackgroundEmbedding(async (signal) => {
      await embedNew(engine, { signal, refusals });
      const [first] = refusals.texts;
      return first === undefined ? null : `the embedding provider refuses some texts: ${first.why}`;
    });
    this.#opened = { engine, embedding };
  }

  /** Makes the pools those of the store: others are removed, whichever process registered them. */
  async registerPools(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    const located = await pools.located();
    for (const namespace of await this.#namespaces()) await this.#forgetOthers(namespace, located);
    this.#unread.clear();
    await this.readPools(located);
  }

  async readPools(pools: readonly LocatedPool[]): Promise<void> {
    for (const pool of pools) await this.#readOne(pool);
    this.#open.embedding.start();
  }

  async settled(): Promise<void> {
    await this.#open.embedding.settled();
  }

  async recall(query: PoolQuery): Promise<readonly MemoryResult[]> {
    this.#open.embedding.retry();
    const { results, problems } = await searchPools((pool) => this.#contextOf(pool), query);
    this.#recallProblems = problems;
    return results;
  }

  async state(): Promise<BackendState> {
    const { engine, embedding } = this.#open;
    const located = await this.#pools.located();
    const namespaces = await this.#namespaces();
    const waiting = await this.#waiting(namespaces);
    const sizes = new Map<string, number>();
    const states = new Map<string, ReadonlyMap<string, SourceState>>();
    for (const namespace of namespaces) {
      for (const [name, size] of await this.#sizesIn(namespace)) sizes.set(name, size);
      states.set(namespace, await sourceStates(engine.store.records, namespace));
    }
    const isIndexed = (pool: LocatedPool): boolean =>
      (states.get(this.#contextOf(pool).namespace)?.get(poolVault(pool).name)?.readAt ?? null) !== null;
    const hasOthers = [...states].some(([namespace, ofNamespace]) =>
      [...ofNamespace.keys()].some(this.#isOther(namespace, located)),
    );
    return {
      problems: [
        ...this.#recallProblems,
        ...unreadProblems(unreadOf(located, this.#unread)),
        ...located.filter((pool) => !isIndexed(pool) && !this.#unread.get(pool.root)?.size).map(notIndexed),
        // Their notes are not in the pools around them any more.
        ...(hasOthers && this.#pools.pools.length > 0 ? [OTHER_POOLS] : []),
        ...embedding.problemsOf(waiting),
      ],
      details: {
        ...{ store: engine.store.capabilities.name, location: engine.store.capabilities.location },
        provider: this.#config.embedding.provider,
        notes: Object.fromEntries(located.map((pool) => [pool.id, sizes.get(poolVault(pool).name) ?? 0])),
        waiting,
      },
    };
  }

  /** Ends calls that read pools. The next process goes on where they stopped. */
  stop(): void {
    this.#stop.abort(new LociError('aborted', 'the adapter is closing'));
  }

  async close(): Promise<void> {
    this.stop();
    await this.#opened?.embedding.close();
    await this.#opened?.engine.close();
  }

  get #open(): Opened {
    if (this.#opened === null) throw new LociError('internal', 'the store is not open');
    return this.#opened;
  }

  /** The engine in the namespace of a pool. */
  #contextOf(pool: Pick<Pool, 'roles' | 'agents'>): EngineContext {
    return this.#contextIn(poolNamespace(this.#config.adapters.loci.namespace, pool));
  }

  #contextIn(namespace: string): EngineContext {
    const { engine } = this.#open;
    return engine.as({ ...engine.caller, namespace });
  }

  /** The number of texts that have no vector yet. */
  async #waiting(namespaces: readonly string[]): Promise<number> {
    if (this.#config.embedding.provider === 'none') return 0;
    const generation = (await vectorsOf(this.#open.engine))?.generation ?? NO_GENERATION;
    const pending = await this.#open.engine.store.vectors.allPending(ADMIN_NAMESPACE, generation);
    return pending.reduce(
      (sum, { namespace, texts }) => sum + (namespaces.includes(namespace) ? texts : 0),
      0,
    );
  }

  async #readOne(pool: LocatedPool): Promise<void> {
    const vault = poolVault(pool);
    const unread: Unread = new Map();
    this.#unread.set(pool.root, unread);
    try {
      const { problems } = await refreshVault(this.#contextOf(pool), vault, {
        wait: true,
        allowEmpty: true,
        signal: this.#stop.signal,
      });
      for (const { key, detail, skipped } of problems)
        if (skipped) unread.set(path.join(pool.root, key), detail);
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      unread.set(pool.root, error.message);
    }
  }

  /** Removes from a namespace what belongs to none of its pools. */
  async #forgetOthers(namespace: string, located: readonly LocatedPool[]): Promise<void> {
    const context = this.#contextIn(namespace);
    const isOther = this.#isOther(namespace, located);
    const states = await sourceStates(context.store.records, namespace);
    const stored = new Set([...states.keys(), ...(await this.#sizesIn(namespace)).keys()]);
    const signal = this.#stop.signal;
    for (const name of stored) if (isOther(name)) await forgetSource(context, name, { signal });
    await deriveStale(context, { signal });
  }

  /** Whether a source in a namespace is a pool, and none of these. */
  #isOther(namespace: string, located: readonly LocatedPool[]): (name: string) => boolean {
    const isHere = (pool: Pool): boolean => this.#contextOf(pool).namespace === namespace;
    const names = new Set(located.filter(isHere).map((pool) => poolVault(pool).name));
    const ids = new Set(located.map(({ id }) => id));
    // A folder that cannot be read now may be there again later.
    const kept = this.#pools.pools.filter((pool) => isHere(pool) && !ids.has(pool.id)).map(namesOf);
    return (name) =>
      isPoolSource(name) && !names.has(name) && !kept.some((prefix) => name.startsWith(prefix));
  }

  /** The namespaces of all pools: of those that are registered, and of those that are in the store. */
  async #namespaces(): Promise<string[]> {
    const configured = this.#config.adapters.loci.namespace;
    const prefix = namespacePrefix(configured);
    const stored = await this.#open.engine.store.admin.namespaces(ADMIN_NAMESPACE);
    const registered = this.#pools.pools.map((pool) => poolNamespace(configured, pool));
    return [...new Set([...registered, ...stored.filter((each) => each.startsWith(prefix))])];
  }

  async #sizesIn(namespace: string): Promise<Map<string, number>> {
    const { store, now } = this.#open.engine;
    const sizes = await store.records.facet(namespace, 'source', { now: now(), origins: ['vault'] });
    return new Map(sizes.map(({ value, records }) => [value, records]));
  }
}
