import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ScanningBackend } from '../scanning-backend.ts';
import { adapterContract, type ContractOptions, type TestContext } from './suite.ts';
import type { LociAdapter, MemoryRetrievalAdapter } from '../../../src/adapters/contract.ts';
import { PoolAdapter } from '../../../src/adapters/pool-adapter.ts';

type WordsModule = { readonly WordsAdapter: new (options: object) => MemoryRetrievalAdapter };

const EXAMPLE = new URL('../../../examples/adapter/words-adapter.mjs', import.meta.url);
const SOURCE = readFileSync(EXAMPLE, 'utf8');
const ROLES = { ada: ['editor'] };
const agentWithRole = { agentId: 'ada', role: 'editor' };

const scanning = (dataDir: string): PoolAdapter =>
  new PoolAdapter(new ScanningBackend(), {
    dataDir,
    pools: [],
    roles: ROLES,
    deadlineMs: 0,
    onWarning: () => undefined,
  });

async function example(source: string): Promise<ContractOptions> {
  const folder = mkdtempSync(join(tmpdir(), 'loci-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'words-adapter.mjs');
  writeFileSync(file, source);
  const { WordsAdapter } = (await import(pathToFileURL(file).href)) as WordsModule;
  return { name: 'words', create: () => new WordsAdapter({ roles: ROLES }), agentWithRole };
}

/** Runs the cases of the suite that have this name. Returns what they throw. */
async function faultsOf(options: ContractOptions, wanted: string): Promise<string[]> {
  const cases: ((context: TestContext) => Promise<void>)[] = [];
  const framework = {
    describe: (_: string, define: () => void) => {
      define();
    },
    it: (name: string, run: (context: TestContext) => Promise<void>) => {
      if (name === wanted) cases.push(run);
    },
  };
  adapterContract(framework, options);
  expect(cases).toHaveLength(1);
  const faults: string[] = [];
  for (const run of cases)
    await run({ skip: (reason) => faults.push(`skipped: ${String(reason)}`) }).catch((error: unknown) => {
      faults.push(String(error));
    });
  return faults;
}

adapterContract({ describe, it }, { name: 'scanning', create: scanning, agentWithRole });

const TIERS = 'searches hot and warm pools unless it is told the tiers';
const IDS = 'lets the ids of pools narrow a search, and never widen it';
const AGENTS = 'shows an agent the pools that name it, and those that name nobody';
const LINKS = 'follows no link that leads out of the pool';
const INNER = 'gives the files of a pool within a pool to the inner one alone';

/** Each breaks one rule of the example. */
const BROKEN_EXAMPLES: readonly [rule: string, broken: readonly (readonly [string, string])[]][] = [
  [TIERS, [['tiers.includes(tier) && ', '']]],
  [TIERS, [["tiers = ['hot', 'warm']", 'tiers = TIERS']]],
  [IDS, [[' && poolIds?.includes(id) !== false', '']]],
  [
    IDS,
    [
      [
        'this.#seenBy(agentId).filter(',
        '(poolIds === undefined ? this.#seenBy(agentId) : this.#pools).filter(',
      ],
    ],
  ],
  [IDS, [['tiers.includes(tier) && ', '(tiers.includes(tier) || poolIds?.includes(id)) && ']]],
  [AGENTS, [['agents.includes(agentId)', 'agents.length > 0']]],
  [AGENTS, [['agents.includes(agentId)', 'agents.some((agent) => agentId.startsWith(agent))']]],
  [AGENTS, [['own.includes(role)', 'role === agentId']]],
  [AGENTS, [['roles.length + agents.length === 0', 'roles.length === 0']]],
  ['shows an agent the pools of its roles', [['own.includes(role)', 'false']]],
  [
    'gives no place of the results to what is left out',
    [
      ['for (const pool of searched)', 'for (const pool of this.#pools)'],
      [
        '.slice(0, limit);',
        '.slice(0, limit).filter((each) => searched.some(({ id }) => id === each.metadata.pool));',
      ],
    ],
  ],
  ['filters by the front matter', [['[wanted].flat().includes(value)', '[wanted].flat()[0] === value']]],
  ['filters by the front matter', [['[properties.get(key)].flat()', '[properties.get(key)]']]],
  ['filters by the front matter', [['.every(([key', '.some(([key']]],
  ['gives ten results unless the limit is another', [['limit = 10', 'limit = 20']]],
  ['gives the best note first', [['b.score - a.score', 'a.score - b.score']]],
  [
    'gives one result for a note, so that a long one takes no places of others',
    [
      [
        'results.set(file,',
        "results.set(file + '#', resultOf(pool, roots.get(pool), { file, text, words, score }));\nresults.set(file,",
      ],
    ],
  ],
  ['gives each file of a folder with two pools once', [['results.set(file,', 'results.set(pool.id + file,']]],
  ['finds a note by its words, and says where it is', [['uri: `', 'uri: `.']]],
  [
    'names a note without a title by its file, and does not let a note say where it is',
    [
      ['...frontMatter,', ''],
      ['path.parse(file).name,', 'path.parse(file).name, ...frontMatter,'],
    ],
  ],
  ['gives a snippet of the text, not all of it', [['snippet: lines[at]', 'snippet: text']]],
  ['finds words of any script, whatever their case', [['.toLowerCase()\n', '\n']]],
  ['answers a query of any text', [['const words = ', 'new RegExp(query);\nconst words = ']]],
  [
    'never rejects a recall, and shows nothing more for what is no query',
    [['process.emitWarning(', 'throw error;\n(']],
  ],
  [
    'never rejects a recall, and shows nothing more for what is no query',
    [['this.#seenBy(agentId)', '(agentId ? this.#seenBy(agentId) : this.#pools)']],
  ],
  [
    'forgets a pool that is not in the list any more',
    [
      [
        'const ids = new Set();',
        'const ids = new Set();\npools = this.all = [...(this.all ?? []).filter((old) => !pools.some(({ id }) => id === old.id)), ...pools];',
      ],
    ],
  ],
  ['refuses a list that is not valid, and keeps the pools that it has', [[' || ids.has(id)', '']]],
  [
    'refuses a list that is not valid, and keeps the pools that it has',
    [['path.isAbsolute(given) || isWithin', 'true || isWithin']],
  ],
  [
    'refuses a list that is not valid, and keeps the pools that it has',
    [['const ids = new Set();', 'const ids = new Set();\nthis.#pools = [];']],
  ],
  [
    'sees new, changed and removed files when it is told',
    [
      [
        'const bytes = await readFile(file)',
        'const bytes = (globalThis.cachedNotes ??= new Map()).get(file) ?? await readFile(file)',
      ],
      ['return bytes === null', 'globalThis.cachedNotes.set(file, bytes);\nreturn bytes === null'],
    ],
  ],
  [LINKS, [['entry.isFile() && ', '']]],
  [LINKS, [['entry.isDirectory() &&', '(entry.isDirectory() || entry.isSymbolicLink()) &&']]],
  [
    'follows no link from a pool into one within it, or beside it',
    [['entry.isDirectory() &&', '(entry.isDirectory() || entry.isSymbolicLink()) &&']],
  ],
  [INNER, [[' && !otherRoots.has(file)', '']]],
  [
    'knows the files of a pool whose own path leads through a link',
    [['await realpath(pool.folder).catch(() => null)', 'pool.folder']],
  ],
  ['leaves out hidden files and folders', [["if (entry.name.startsWith('.')) continue;", '']]],
  [
    'knows files by any name',
    [['const lines = text', "file = file.replaceAll('%20', ' ');\nconst lines = text"]],
  ],
  [
    'writes nothing into the pools',
    [
      ["from 'node:path';", "from 'node:path';\nimport { writeFileSync } from 'node:fs';"],
      ['ids.add(id);', "ids.add(id);\nif (id === 'a') writeFileSync(path.join(folder, '.index'), '');"],
    ],
  ],
];

describe('the contract suite', () => {
  it.each(BROKEN_EXAMPLES)('fails an adapter that breaks the rule "%s"', async (rule, broken) => {
    expect(await faultsOf(await example(SOURCE), rule)).toEqual([]);
    let source = SOURCE;
    for (const [find, replacement] of broken) {
      expect(source.split(find)).toHaveLength(2);
      source = source.replace(find, () => replacement);
    }
    expect(await faultsOf(await example(source), rule)).toEqual([expect.stringMatching(/Error/)]);
  });

  it.each(['recall', 'close'] as const)('names the case in which %s does not return', async (call) => {
    const rule = 'gives the best note first';
    const create = (folder: string): MemoryRetrievalAdapter =>
      Object.assign(scanning(folder), { [call]: () => Promise.withResolvers().promise });
    expect(await faultsOf({ name: 'hanging', create, timeLimitMs: 500 }, rule)).toEqual([
      `Error: "${rule}" took longer than 500 ms: a call does not return`,
    ]);
  });

  it.each<[rule: string, broken: (adapter: PoolAdapter) => Partial<LociAdapter>]>([
    [
      'resolves nothing of pools that the agent does not see',
      (adapter) => ({ resolveReference: (reference) => adapter.resolveReference(reference, 'other') }),
    ],
    [
      'resolves nothing outside of the pools',
      (adapter) => ({
        resolveReference: async (reference, agentId) =>
          (await adapter.resolveReference(reference, agentId)) ?? {
            id: reference,
            uri: reference,
            content: readFileSync(reference, 'utf8'),
          },
      }),
    ],
    [
      'resolves lines',
      (adapter) => ({
        resolveReference: (reference, agentId) =>
          adapter.resolveReference(reference.replace(/#L.*/, ''), agentId),
      }),
    ],
    [
      'does not tell what is in pools that the agent does not see by its results or their scores',
      (adapter) => ({
        recall: async (query) => {
          const { length } = await adapter.recall({ ...query, agentId: 'other' });
          return (await adapter.recall(query)).map((each) => ({ ...each, score: 1 / (1 + length) }));
        },
      }),
    ],
    ['reports a pool that it cannot answer from', () => ({ status: async () => ({ ok: true }) })],
    [
      'may be closed at any time and more than once, and a recall does not reject then',
      (adapter) => {
        let isClosed = false;
        return {
          close: async () => {
            isClosed = true;
          },
          recall: async (query) => {
            if (isClosed) throw new Error('closed');
            return adapter.recall(query);
          },
        };
      },
    ],
  ])('fails an adapter that breaks the rule "%s"', async (rule, broken) => {
    expect(await faultsOf({ name: 'right', create: scanning }, rule)).toEqual([]);
    const create = (folder: string): MemoryRetrievalAdapter => {
      const adapter = scanning(folder);
      const overridden = broken(adapter);
      return new Proxy(adapter, {
        get: (target, name) => {
          const value: unknown = Reflect.get(name in overridden ? overridden : target, name);
          return typeof value === 'function' ? (value as () => void).bind(target) : value;
        },
      });
    };
    expect(await faultsOf({ name: 'broken', create }, rule)).toEqual([expect.stringMatching(/Error/)]);
  });
});
