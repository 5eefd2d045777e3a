import path from 'node:path';
import type { Config } from '../../config/schema.ts';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../../engine/context.ts';
import { openEngine } from '../../engine/open.ts';
import type { Backend, PoolQuery } from '../backend.ts';
import type { MemoryResult } from '../contract.ts';
import type { LocatedPool, PoolSet } from '../pools/pool-set.ts';
import { PoolIndex } from './pool-index.ts';
import { searchPools } from './pool-search.ts';
import { namespacePrefix } from './pool-vaults.ts';

interface Opened {
  readonly engine: EngineContext;
  readonly index: PoolIndex;
}

/** Searches pools with the engine, in namespaces of the configured store. */
export class LociBackend implements Backend {
  readonly id = 'loci';
  readonly capabilities: Backend['capabilities'];
  /** A few notes are embedded before a program goes on that has registered them. More are found by their words until they are. */
  readonly maxSettleMs = 2000;
  readonly #config: Config;
  readonly #home: string;
  #opened: Opened | null = null;
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
    this.#opened = { engine, index: new PoolIndex(engine) };
  }

  async registerPools(pools: PoolSet): Promise<void> {
    await this.#open.index.register(pools);
  }

  async indexPaths(paths: readonly string[]): Promise<void> {
    await this.#open.index.refresh(paths);
  }

  async settled(): Promise<void> {
    await this.#open.index.settled();
  }

  async recall(query: PoolQuery): Promise<readonly MemoryResult[]> {
    const { index } = this.#open;
    index.retry();
    const { results, problems } = await searchPools((pool) => index.contextOf(pool), query);
    this.#recallProblems = problems;
    return results;
  }

  async problems(): Promise<readonly string[]> {
    return [...this.#recallProblems, ...(await this.#open.index.problems())];
  }

  async problemsOf(pools: readonly LocatedPool[]): Promise<readonly string[]> {
    return this.#open.index.problemsOf(pools);
  }

  async details(): Promise<Readonly<Record<string, unknown>>> {
    const { engine, index } = this.#open;
    const { name, location } = engine.store.capabilities;
    const { provider } = this.#config.embedding;
    return {
      ...{ store: name, location, provider },
      ...{ notes: await index.notes(), waiting: await index.waiting() },
    };
  }

  stop(): void {
    this.#opened?.index.stop();
  }

  async close(): Promise<void> {
    await this.#opened?.index.close();
    await this.#opened?.engine.close();
  }

  get #open(): Opened {
    if (this.#opened === null) throw new LociError('internal', 'the store is not open');
    return this.#opened;
  }
}
