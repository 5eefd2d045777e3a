import { approveSource } from '../../../../test/contract/tasks-source.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../../test/contract/engines.ts';
import type { FetchedDocument } from '../../../sources/document.ts';
import type { ReadOnlyMemorySource, Registration } from './registered-sources.ts';
import type { EngineContext } from '../../context.ts';
import { refreshSources, registerSource } from '../sources.ts';
import { sourceReports } from '../reports.ts';
import { search } from '../../records/search.ts';

const MINUTE = 60_000;

const TICKETS: readonly FetchedDocument[] = [
  { id: 1, text: 'Water in the cellar after the storm', completed: false },
  { id: 2, title: 'Invoice of the plumber', text: 'The account number is 4711' },
];

const folder = folderForEach();
let now: number;
let loci: EngineContext;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 22, 12);
  const values = { search: { minScore: 0 }, sources: [{ id: 'tasks', command: 'cat tasks.json' }] };
  loci = await openInline(settings(folder.path, values), { now: () => now });
});

afterEach(() => loci.close());

function register(
  fetch: ReadOnlyMemorySource['fetch'],
  more: Partial<ReadOnlyMemorySource> = {},
): Registration {
  return registerSource(loci, {
    id: 'tickets',
    name: 'Tickets',
    refreshIntervalMs: MINUTE,
    fetch,
    ...more,
  });
}

async function refresh(): Promise<object | undefined> {
  return (await refreshSources(loci, { ids: ['tickets'] }, { isOwner: true })).sources[0];
}

async function found(query: string): Promise<[text: string, from: string | null][]> {
  const { results } = await search(loci, { query });
  return results.map(({ snippet, from }) => [snippet, from]);
}

async function report(): Promise<object | undefined> {
  return (await sourceReports(loci)).find(({ id }) => id === 'tickets');
}

describe('a source that the program has registered', () => {
  it('has documents that are found, updated and removed, without an approval (S14)', async () => {
    let tickets = TICKETS;
    register(async () => tickets);
    expect(await report()).toMatchObject({ kind: 'code', condition: 'new', command: null, name: 'Tickets' });
    expect(await refresh()).toMatchObject({ added: 2, problems: [] });
    expect(await found('water cellar')).toEqual([
      ['Water in the cellar after the storm', 'From Tickets · no date · read just now'],
    ]);
    expect(await report()).toMatchObject({ condition: 'fresh', documents: 2, refreshInterval: MINUTE });
    tickets = [{ id: 1, text: 'Water in the attic after the storm', completed: true }];
    expect(await refresh()).toMatchObject({ updated: 1, removed: 1, added: 0 });
    expect(await found('attic')).toHaveLength(1);
    expect(await found('plumber')).toEqual([]);
    now += 3 * MINUTE;
    expect(await report()).toMatchObject({ condition: 'stale' });
  });

  it('has the settings of sources', async () => {
    register(async () => TICKETS, {
      fields: ['title', 'completed'],
      maxDocuments: 1,
      includeInContext: false,
    });
    expect(await refresh()).toMatchObject({
      added: 1,
      problems: [expect.stringMatching(/^document 1 \(1\): /)],
    });
    expect(JSON.stringify(await found('account number 4711'))).not.toContain('4711');
    expect(await found('invoice')).toHaveLength(1);
    const agent = loci.as({ ...loci.caller, trust: 'agent' });
    expect((await search(agent, { query: 'invoice' })).results).toEqual([]);
  });

  it('is stopped when it is unregistered and when Loci is closed, even if it does not end', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<AbortSignal>();
    const registration = register((signal) => {
      call(signal);
      return Promise.withResolvers<never>().promise;
    });
    const refreshing = refresh();
    const signal = await called;
    registration.unregister();
    expect(await refreshing).toMatchObject({ error: { code: 'aborted' } });
    expect(signal.aborted).toBe(true);
    await expect(refreshSources(loci, { ids: ['tickets'] })).rejects.toMatchObject({ code: 'not_found' });

    const { promise: calledAgain, resolve: callAgain } = Promise.withResolvers<null>();
    register(() => {
      callAgain(null);
      return Promise.withResolvers<never>().promise;
    });
    const last = refreshSources(loci, { ids: ['tickets'] });
    const stopped = expect(last).rejects.toMatchObject({ code: 'aborted' });
    await calledAgain;
    await loci.close();
    await stopped;
  });
});

describe('the registration of a source', () => {
  it.each<[string, Partial<ReadOnlyMemorySource>, string]>([
    ['a wrong id', { id: 'Tickets!' }, 'source.id: expected'],
    ['no interval', { refreshIntervalMs: Number.NaN }, 'source.refreshIntervalMs: expected a duration'],
    ['a wrong field', { fields: ['body'] }, 'source.fields'],
    ['no function', { fetch: 'none' as never }, 'source.fetch: expected a function'],
  ])('is refused for %s', (_, more, message) => {
    expect(() => register(async () => [], more)).toThrow(message);
  });

  it('is refused for an id that is in use, and for callers of another namespace', async () => {
    const first = register(async () => []);
    const inUse = expect.objectContaining({ code: 'conflict' }) as Error;
    expect(() => register(async () => [])).toThrow(inUse);
    expect(() => register(async () => [], { id: 'tasks' })).toThrow(inUse);
    first.unregister();
    register(async () => TICKETS);
    first.unregister();
    expect(await report()).toMatchObject({ condition: 'new' });
    const other = loci.as({ namespace: 'bob', actor: 'bob', surface: 'library', trust: 'agent' });
    expect(() =>
      registerSource(other, { id: 'x', name: 'X', refreshIntervalMs: 1000, fetch: async () => [] }),
    ).toThrow(expect.objectContaining({ code: 'forbidden' }) as Error);
    await refresh();
    expect((await search(other, { query: 'water cellar' })).results).toEqual([]);
    expect(await sourceReports(other)).toEqual([]);
    await expect(approveSource(loci, 'tickets')).rejects.toMatchObject({ code: 'conflict' });
  });
});
