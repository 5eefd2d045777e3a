import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/contract/engines.ts';
import { note, write } from '../../../../test/contract/store-samples.ts';
import { configSchema } from '../../../config/schema.ts';
import { openSqliteInMemory } from '../../../../test/contract/sqlite-in-memory.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { Store } from '../../../store/store.ts';
import { EngineContext } from '../../context.ts';
import { search, searchOutcome, type SearchRequest } from '../../records/search.ts';
import { audienceOf, hiddenSources, sourcesOfNamespace, sourcePolicies } from './source-policies.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const CONFIG = configSchema.parse({
  embedding: { provider: 'none' },
  vaults: [
    { path: '/home/ada/Notes' },
    { name: 'old', path: '/home/ada/archive', weight: 0.5, minScore: 0.2, enabled: false },
  ],
  sources: [
    { id: 'tasks', name: 'Google Tasks', command: 'tasks' },
    {
      id: 'mail',
      command: 'mail',
      weight: 0.7,
      minScore: 0.99,
      includeInContext: false,
    },
    { id: 'paused', command: 'paused', enabled: false },
  ],
});
const { vaults, sources } = CONFIG;

describe('source policies', () => {
  it('use the settings, and defaults for the rest', () => {
    expect(Object.fromEntries(sourcePolicies(vaults, sources))).toEqual({
      Notes: { weight: 1, minScore: 0, allWordsSuffice: false, recency: null },
      old: { weight: 0.5, minScore: 0.2, allWordsSuffice: false, recency: null },
      tasks: {
        weight: 0.5,
        minScore: 0.05,
        allWordsSuffice: true,
        recency: { weight: null, halfLifeDays: 7 },
      },
      mail: {
        weight: 0.7,
        minScore: 0.99,
        allWordsSuffice: false,
        recency: { weight: null, halfLifeDays: 7 },
      },
      paused: {
        weight: 0.5,
        minScore: 0.05,
        allWordsSuffice: true,
        recency: { weight: null, halfLifeDays: 7 },
      },
    });
  });

  it('hide disabled sources, and in contexts those that are excluded from them', () => {
    expect(hiddenSources(vaults, sources, 'user')).toEqual(['old', 'paused']);
    expect(hiddenSources(vaults, sources, 'context')).toEqual(['old', 'mail', 'paused']);
    expect(hiddenSources([], [], 'context')).toEqual([]);
  });

  it('let a skill lower its weight, but not raise it above the default', async () => {
    await using folder = await temporaryFolder();
    const weights = { loud: 'weight: 2', quiet: 'weight: 0.1', plain: 'name: Plain' };
    for (const [id, line] of Object.entries(weights)) {
      await mkdir(join(folder.path, id));
      const text = `---\nname: ${id}\nmemorySource:\n  command: cat x.json\n  ${line}\n---\n`;
      await writeFile(join(folder.path, id, 'SKILL.md'), text);
    }
    const config = configSchema.parse({
      embedding: { provider: 'none' },
      sources: [{ id: 'configured', command: 'cat', weight: 2 }],
      skills: [{ path: folder.path }],
    });
    const namespaceSources = await sourcesOfNamespace(EngineContext.create(config, openSqliteInMemory()));
    const effective = [...sourcePolicies(namespaceSources.vaults, namespaceSources.sources)].map(
      ([id, { weight }]) => [id, weight],
    );
    expect(Object.fromEntries(effective)).toEqual({ configured: 2, loud: 0.5, quiet: 0.1, plain: 0.5 });
  });
});

describe('search', () => {
  const query = 'marble worktop';

  /** A store with a mail and a note, and the filters that it receives. */
  async function prepared(
    namespace = CONFIG.namespace,
  ): Promise<{ context: EngineContext; filters: SearchFilter[] }> {
    const store = openSqliteInMemory();
    const filters: SearchFilter[] = [];
    const recordingStore: Store = {
      ...store,
      search: {
        ...store.search,
        retrieve: (ns, request) => {
          filters.push(...request.queries.map(({ filter }) => filter));
          return store.search.retrieve(ns, request);
        },
      },
    };
    const mail = { origin: 'source', source: 'mail', createdAt: NOW } as const;
    await write(store, namespace, note('marble, some day', mail), note('a marble floor', { createdAt: NOW }));
    const context = EngineContext.create(CONFIG, recordingStore, { now: () => NOW });
    return { context: context.as({ ...context.caller, namespace }), filters };
  }

  it('excludes hidden sources in the query of the store', async () => {
    const exclusions = async (
      request: Omit<SearchRequest, 'query'> = {},
      namespace?: string,
    ): Promise<unknown> => {
      const { context, filters } = await prepared(namespace);
      await searchOutcome(context, { query, ...request });
      return filters.map(({ excludedSources }) => excludedSources);
    };
    expect(await exclusions()).toEqual([['old', 'paused']]);
    expect(await exclusions({ audience: 'context' })).toEqual([['old', 'mail', 'paused']]);
    expect(await exclusions({ audience: 'context', excludedSources: ['x'] })).toEqual([
      ['x', 'old', 'mail', 'paused'],
    ]);
    expect(await exclusions({ audience: 'context' }, 'other')).toEqual([undefined]);
  });

  it('counts the results that the threshold of a source hides separately', async () => {
    const { context } = await prepared();
    const { results, nothing: why } = await search(context, { query, min_score: 0 });
    expect([results.map(({ source }) => source), why]).toEqual([['notes'], null]);
    const { results: none, nothing } = await search(context, { query, min_score: 1 });
    expect(none).toEqual([]);
    expect(nothing?.hidden).toMatchObject({ results: 1, min_score: 1 });
    const [hidden, ...others] = nothing!.hidden_of_sources;
    expect(others).toEqual([]);
    expect(hidden).toMatchObject({ source: 'mail', results: 1, min_score: 0.99 });
    expect(hidden?.best_score).toBeLessThan(0.99);
  });

  it('applies no settings to sources of the same name in another namespace', async () => {
    const { context } = await prepared('other');
    const { results } = await search(context, { query, min_score: 0 });
    expect(results.map(({ source }) => source)).toEqual(['notes', 'mail']);
  });
});

it('an agent is a context, unless it names sources', () => {
  expect(audienceOf({ trust: 'operator' }, {})).toBe('user');
  expect(audienceOf({ trust: 'agent' }, {})).toBe('context');
  expect(audienceOf({ trust: 'external' }, {})).toBe('context');
  expect(audienceOf({ trust: 'agent' }, { sources: ['tasks'] })).toBe('user');
});
