import { LociError } from '../../core/errors.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { EngineContext } from '../../engine/context.ts';
import { vectorsOf } from '../../engine/embedding/models.ts';
import { forgetSource } from '../../engine/reading/forget-source.ts';
import { deriveStale } from '../../engine/reading/index-vaults.ts';
import { refreshVault } from '../../engine/reading/refresh/refresh-vault.ts';
import { NO_GENERATION, pendingTotals } from '../../ingest/embed.ts';
import { isWithin } from '../../sources/files/paths.ts';
import { sourceStates } from '../../store/items/source-state.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { LocatedPool, Pool, PoolSet } from '../pools/pool-set.ts';
import { BackgroundEmbedding } from './background-embedding.ts';
import { isPoolSource, namespacePrefix, namesOf, poolNamespace, poolVault } from './pool-vaults.ts';

const OTHER_POOLS = 'another process has registered other pools, and notes in their folders are not found';
/** Notes that a problem names. */
const MAX_NAMED = 3;

/** Keeps the notes of pools in the store of an engine, each pool as a source. */
export class PoolIndex {
  readonly #engine: EngineContext;
  readonly #stop = new AbortController();
  readonly #embedding: BackgroundEmbedding;
  #pools: PoolSet | null = null;
  /** What is wrong with the index of a pool, by the name of its source. */
  readonly #problems = new Map<string, string>();

  constructor(engine: EngineContext) {
    this.#engine = engine;
    this.#embedding = new BackgroundEmbedding(engine);
  }

  /** The engine in the namespace of a pool. */
  contextOf(pool: Pick<Pool, 'roles' | 'agents'>): EngineContext {
    return this.#contextIn(poolNamespace(this.#configured, pool));
  }

  /** Makes the pools those of the store: others are removed, whichever process registered them. */
  async register(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    const located = await locatedOf(pools);
    for (const namespace of await this.#namespaces()) await this.#forgetOthers(namespace, pools, located);
    this.#problems.clear();
    await this.#read(located);
  }

  /** Reads the pools again that have a part of these paths. */
  async refresh(paths: readonly string[]): Promise<void> {
    const located = await this.#located();
    const meets = (folder: string): boolean =>
      paths.some((path) => isWithin(folder, path) || isWithin(path, folder));
    await this.#read(located.filter(({ folder, root }) => meets(folder) || meets(root)));
  }

  /** Resolves when what was read is embedded. */
  settled(): Promise<void> {
    return this.#embedding.settled();
  }

  /** Tries again what has failed some time ago. */
  retry(): void {
    this.#embedding.retry();
  }

  async problems(): Promise<string[]> {
    return this.#problemsIn(await this.#located(), await this.#namespaces());
  }

  /** The problems of these pools alone. Others that are in a namespace with one of them are seen by the same agents. */
  problemsOf(pools: readonly LocatedPool[]): Promise<string[]> {
    return this.#problemsIn(pools, [...new Set(pools.map((pool) => this.contextOf(pool).namespace))]);
  }

  async #problemsIn(pools: readonly LocatedPool[], namespaces: readonly string[]): Promise<string[]> {
    const problems = await Promise.all(pools.map((pool) => this.#problemsOfPool(pool)));
    const waiting = await this.#waitingIn(namespaces);
    const why = this.#embedding.problem ?? 'they are being embedded';
    return [
      ...problems.flat(),
      ...((await this.#hasOthers()) ? [OTHER_POOLS] : []),
      ...(waiting === 0 ? [] : [`${formatCount(waiting, 'text')} without a vector, found by words: ${why}`]),
    ];
  }

  /** The number of notes of each pool. */
  async notes(): Promise<Record<string, number>> {
    const sizes = await this.#sizes();
    const located = await this.#located();
    return Object.fromEntries(located.map((pool) => [pool.id, sizes.get(poolVault(pool).name) ?? 0]));
  }

  /** The number of texts of pools that have no vector. */
  async waiting(): Promise<number> {
    return this.#waitingIn(await this.#namespaces());
  }

  async #waitingIn(namespaces: readonly string[]): Promise<number> {
    const { store, config } = this.#engine;
    if (config.embedding.provider === 'none') return 0;
    const generation = (await vectorsOf(this.#engine))?.generation ?? NO_GENERATION;
    return (await pendingTotals(store, generation, namespaces)).texts;
  }

  /** Ends calls that read pools. The next process goes on where they stopped. */
  stop(): void {
    this.#stop.abort(new LociError('aborted', 'the adapter is closing'));
  }

  async close(): Promise<void> {
    this.stop();
    await this.#embedding.close();
  }

  async #read(pools: readonly LocatedPool[]): Promise<void> {
    for (const pool of pools) await this.#readOne(pool);
    this.#embedding.start();
  }

  async #readOne(pool: LocatedPool): Promise<void> {
    const vault = poolVault(pool);
    this.#problems.delete(vault.name);
    try {
      const { problems } = await refreshVault(this.contextOf(pool), vault, {
        wait: true,
        allowEmpty: true,
        signal: this.#stop.signal,
      });
      const unread = problems.filter(({ skipped }) => skipped);
      const named = unread.slice(0, MAX_NAMED).map(({ key, detail }) => `${key}: ${detail}`);
      if (unread.length > 0)
        this.#problems.set(
          vault.name,
          `${formatCount(unread.length, 'note')} of the pool ${pool.id} not read: ${named.join('; ')}`,
        );
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      this.#problems.set(vault.name, `the pool ${pool.id} is not up to date: ${error.message}`);
    }
  }

  /** Removes from a namespace what belongs to none of its pools. */
  async #forgetOthers(namespace: string, pools: PoolSet, located: readonly LocatedPool[]): Promise<void> {
    const context = this.#contextIn(namespace);
    const isOther = this.#isOther(namespace, pools, located);
    const states = await sourceStates(context.store.records, namespace);
    const stored = new Set([...states.keys(), ...(await this.#sizesIn(namespace)).keys()]);
    const signal = this.#stop.signal;
    for (const name of stored) if (isOther(name)) await forgetSource(context, name, { signal });
    await deriveStale(context, { signal });
  }

  /** Whether a source in a namespace is a pool, and none of these. */
  #isOther(
    namespace: string,
    { pools }: PoolSet,
    located: readonly LocatedPool[],
  ): (name: string) => boolean {
    const isHere = (pool: Pool): boolean => this.contextOf(pool).namespace === namespace;
    const names = new Set(located.filter(isHere).map((pool) => poolVault(pool).name));
    const ids = new Set(located.map(({ id }) => id));
    // A folder that cannot be read now may be there again later.
    const kept = pools.filter((pool) => isHere(pool) && !ids.has(pool.id)).map(namesOf);
    return (name) =>
      isPoolSource(name) && !names.has(name) && !kept.some((prefix) => name.startsWith(prefix));
  }

  /** Whether the store has pools that another process has registered since. Their notes are not in the pools around them any more. */
  async #hasOthers(): Promise<boolean> {
    if (this.#pools === null) return false;
    const located = await this.#located();
    for (const namespace of await this.#namespaces()) {
      const states = await sourceStates(this.#engine.store.records, namespace);
      if ([...states.keys()].some(this.#isOther(namespace, this.#pools, located))) return true;
    }
    return false;
  }

  async #problemsOfPool(pool: LocatedPool): Promise<string[]> {
    const { name } = poolVault(pool);
    const problem = this.#problems.get(name);
    if (problem !== undefined) return [problem];
    const states = await sourceStates(this.#engine.store.records, this.contextOf(pool).namespace);
    if ((states.get(name)?.readAt ?? null) !== null) return [];
    return [`the pool ${pool.id} is not indexed: another process may have registered other pools`];
  }

  /** The namespaces of all pools: of those that are registered, and of those that are in the store. */
  async #namespaces(): Promise<string[]> {
    const prefix = namespacePrefix(this.#configured);
    const stored = await this.#engine.store.admin.namespaces(ADMIN_NAMESPACE);
    const registered = this.#pools?.pools.map((pool) => poolNamespace(this.#configured, pool)) ?? [];
    return [...new Set([...registered, ...stored.filter((each) => each.startsWith(prefix))])];
  }

  async #sizes(): Promise<Map<string, number>> {
    const all = await Promise.all((await this.#namespaces()).map((each) => this.#sizesIn(each)));
    return new Map(all.flatMap((sizes) => [...sizes]));
  }

  async #sizesIn(namespace: string): Promise<Map<string, number>> {
    const { store, now } = this.#engine;
    const sizes = await store.records.facet(namespace, 'source', { now: now(), origins: ['vault'] });
    return new Map(sizes.map(({ value, records }) => [value, records]));
  }

  async #located(): Promise<LocatedPool[]> {
    return this.#pools === null ? [] : locatedOf(this.#pools);
  }

  #contextIn(namespace: string): EngineContext {
    return this.#engine.as({ ...this.#engine.caller, namespace });
  }

  get #configured(): string {
    return this.#engine.config.adapters.loci.namespace;
  }
}

/** The pools whose folders are there. The status of an adapter names the others. */
function locatedOf(pools: PoolSet): Promise<LocatedPool[]> {
  return pools.locate(pools.pools, () => undefined);
}
