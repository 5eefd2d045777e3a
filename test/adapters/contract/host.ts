import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import path from 'node:path';
import type {
  MemoryPoolDefinition,
  MemoryQuery,
  MemoryResult,
  MemoryRetrievalAdapter,
  MemoryTier,
} from '../../../src/adapters/contract.ts';

/** What a test of vitest or node:test gets as its argument. */
export interface TestContext {
  skip(reason?: string): void;
}

export interface ContractOptions {
  /** Named in the tests. */
  readonly name: string;
  /**
   * Makes an adapter on which nothing has been called yet.
   * @param folder an empty folder, which the suite removes after the test
   */
  readonly create: (folder: string) => MemoryRetrievalAdapter | Promise<MemoryRetrievalAdapter>;
  /** An agent with a role, by the settings of the adapters that `create` makes. Without it, roles of agents are not tested. */
  readonly agentWithRole?: { readonly agentId: string; readonly role: string };
  /** Whether a model that finds by meaning is there. Without it, meaning is not tested. */
  readonly findsMeaning?: boolean;
  /** How long each test may take, in milliseconds; 30,000 by default. A test framework may have a shorter limit of its own. */
  readonly timeLimitMs?: number;
}

export type Case = (host: Host, context: TestContext) => Promise<void>;
export type Cases = Readonly<Record<string, Case>>;

const POLL_INTERVAL_MS = 10;
const POLLS_UNTIL_ASKED = 100;

const REFERENCE_LINES = /#L(\d+)(?:-L(\d+))?$/;

/** Makes notes in temporary folders, and calls an adapter as a host does. It checks every answer of a recall. */
export class Host implements AsyncDisposable {
  readonly options: ContractOptions;
  /** The root of the vault. */
  readonly vault: string;
  /** A folder beside the vault. */
  readonly elsewhere: string;
  readonly #base: string;
  #adapter: MemoryRetrievalAdapter;

  private constructor(options: ContractOptions, base: string, adapter: MemoryRetrievalAdapter) {
    this.options = options;
    this.#base = base;
    this.vault = path.join(base, 'vault');
    this.elsewhere = path.join(base, 'elsewhere');
    this.#adapter = adapter;
  }

  static async open(options: ContractOptions): Promise<Host> {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'adapter-contract-')));
    for (const folder of ['vault', 'elsewhere', 'data', 'settings']) await mkdir(path.join(base, folder));
    const host = new Host(options, base, await options.create(path.join(base, 'settings')));
    await host.#init();
    return host;
  }

  get adapter(): MemoryRetrievalAdapter {
    return this.#adapter;
  }

  /** Closes the adapter, and makes another one that has the same folders, as a restart does. */
  async reopen(): Promise<void> {
    await this.#adapter.close?.();
    this.#adapter = await this.options.create(path.join(this.#base, 'settings'));
    await this.#init();
  }

  async #init(): Promise<void> {
    await this.#adapter.init?.({ dataDir: path.join(this.#base, 'data'), vaultRoot: this.vault });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#adapter.close?.();
    await rm(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Writes files below the root of the vault, and the folders above them. A path may be absolute. */
  async write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const file = path.resolve(this.vault, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }

  path(...parts: readonly string[]): string {
    return path.join(this.vault, ...parts);
  }

  /** The paths of all files below the vault. */
  async files(): Promise<string[]> {
    return (await readdir(this.vault, { recursive: true })).sort();
  }

  /** Registers pools, each of which has the folder of its id unless it says otherwise. */
  async register(
    ...pools: readonly (Partial<MemoryPoolDefinition> & { readonly id: string })[]
  ): Promise<void> {
    await this.#adapter.registerPools(pools.map((pool) => poolOf(pool)));
    await this.#embedded();
  }

  /** Tells the adapter of these paths below the root of the vault. */
  async index(...names: readonly string[]): Promise<void> {
    await this.#adapter.indexPaths(names.map((name) => this.path(name)));
    await this.#embedded();
  }

  /** Waits until no text waits for a vector, as far as the status says so. */
  async #embedded(): Promise<void> {
    const waiting = async (): Promise<unknown> => (await this.#adapter.status?.())?.details?.['waiting'];
    for (let polls = 1; Number((await waiting()) ?? 0) > 0; polls++) {
      await setTimeout(POLL_INTERVAL_MS);
      // A model that was late on a busy machine may be asked again only when somebody searches.
      if (polls % POLLS_UNTIL_ASKED === 0) await this.#adapter.recall({ agentId: 'main', query: 'heron' });
    }
  }

  async recall(query: string | Partial<MemoryQuery>): Promise<readonly MemoryResult[]> {
    const given = typeof query === 'string' ? { query } : query;
    const asked: MemoryQuery = { agentId: 'main', query: 'heron', limit: 100, ...given };
    const results = await this.#adapter.recall(asked);
    await assertResults(results, asked.limit ?? 10);
    return results;
  }

  /** The files that a query finds, below the vault, sorted. All of them must have a word of the query. */
  async found(query: string | Partial<MemoryQuery> = 'heron'): Promise<string[]> {
    return (await this.ranked(query)).sort();
  }

  /** The files that a query finds, best first. */
  async ranked(query: string | Partial<MemoryQuery>): Promise<string[]> {
    const results = await this.recall(query);
    return results.map(({ uri }) => path.relative(this.vault, fileOf(uri)).split(path.sep).join('/'));
  }

  /** How to search by words only, as far as the adapter can. */
  get byWords(): Partial<MemoryQuery> {
    return this.#adapter.capabilities.keyword ? { mode: 'keyword' } : {};
  }
}

function poolOf({
  id,
  tier = 'hot' satisfies MemoryTier,
  path: folder = id,
  ...rest
}: Partial<MemoryPoolDefinition> & { readonly id: string }): MemoryPoolDefinition {
  return { id, tier, path: folder, ...rest };
}

/** The path of the file in a `uri`. */
export function fileOf(uri: string): string {
  return uri.replace(REFERENCE_LINES, '');
}

/** The first and the last line in a `uri`, if it has lines. */
export function linesOf(uri: string): readonly [first: number, last: number] | null {
  const [, first, last = first] = REFERENCE_LINES.exec(uri) ?? [];
  return first === undefined ? null : [Number(first), Number(last)];
}

async function assertResults(results: readonly MemoryResult[], limit: number): Promise<void> {
  assert.equal(Array.isArray(results), true, 'recall returns a list');
  assert.ok(results.length <= limit, `at most ${String(limit)} results, not ${String(results.length)}`);
  const files: string[] = [];
  for (const { id, uri, score, snippet, metadata } of results) {
    assert.ok(typeof id === 'string' && id !== '', 'a result has an id');
    assert.ok(path.isAbsolute(uri), `uri is an absolute path: ${uri}`);
    files.push(await realpath(fileOf(uri)));
    if (score !== undefined)
      assert.ok(Number.isFinite(score) && score > 0, `a score is above 0: ${String(score)}`);
    assert.ok(snippet === undefined || typeof snippet === 'string', 'a snippet is text');
    assert.ok(metadata === undefined || typeof metadata === 'object', 'metadata is an object');
  }
  const ids = results.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)], 'ids are unique');
  assert.deepEqual(files, [...new Set(files)], 'a note has one result');
  const scores = results.map(({ score }) => score ?? 0);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
    'the best result is the first',
  );
}
