import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../../test/contract/engines.ts';
import type { FetchedDocument } from '../../../sources/document.ts';
import type { RefreshEvent } from '../refresh-scheduler.ts';
import type { ReadOnlyMemorySource, Registration } from './registered-sources.ts';
import type { EngineContext } from '../../context.ts';
import { approveSource } from '../approve-sources.ts';
import { keepFresh, refreshSources, registerSource } from '../sources.ts';
import { forgetSource } from '../forget-source.ts';
import { sourceReports } from '../reports.ts';
import { search } from '../../records/search.ts';

const MINUTE = 60_000;
/** Joined from parts, so that no scanner reports a secret in this file. */
const SECRET = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5'].join('');

const TICKETS: readonly FetchedDocument[] = [
  { id: 1, text: 'Water in the cellar after the storm', completed: false },
  { id: 2, title: 'Invoice of the plumber', text: 'The account number is 4711' },
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let now: number;
let loci: EngineContext;

beforeEach(async () => {
  folder = await temporaryFolder();
  now = Date.UTC(2026, 10, 22, 12);
  const values = { search: { minScore: 0 }, sources: [{ id: 'tasks', command: 'cat tasks.json' }] };
  loci = await openInline(settings(folder.path, values), { now: () => now });
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

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

  it('keeps its last documents when it fails, and is tried again later', async () => {
    let fail = false;
    register(async () => {
      if (fail) throw new Error(`the key ${SECRET} is wrong`);
      return TICKETS;
    });
    await refresh();
    fail = true;
    expect(await refresh()).toMatchObject({ error: { code: 'source_failed' } });
    const failing = await report();
    expect(failing).toMatchObject({
      condition: 'failing',
      documents: 2,
      error: expect.stringMatching(/^fetch\(\) failed: the key \[secret masked/) as string,
    });
    expect(JSON.stringify(failing)).not.toContain(SECRET);
    expect(failing).toMatchObject({
      state: { consecutiveFailures: 1, nextAt: expect.toSatisfy((at: number) => at > now) as number },
    });
    fail = false;
    expect(await refresh()).toMatchObject({ unchanged: 2 });
    expect(await report()).toMatchObject({ condition: 'fresh', error: null });
  });

  it('keeps its documents at a first empty list, and when none of them can be used', async () => {
    let tickets: readonly FetchedDocument[] = TICKETS;
    register(async () => tickets);
    await refresh();
    tickets = [{ id: 3 }];
    expect(await refresh()).toMatchObject({ error: { code: 'source_failed' } });
    tickets = [];
    expect(await refresh()).toMatchObject({ kept: 2 });
    expect(await report()).toMatchObject({
      documents: 2,
      state: { problems: [expect.stringContaining('fetch() returned no documents; 2 documents stay')] },
    });
    expect(await refresh()).toMatchObject({ removed: 2 });
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

  it('is refreshed when it is due, for as long as keepFresh runs', async () => {
    let calls = 0;
    const { promise: refreshed, resolve } = Promise.withResolvers<RefreshEvent>();
    const { promise: again, resolve: resolveAgain } = Promise.withResolvers<RefreshEvent>();
    register(async () => [{ id: 1, text: `Call ${String(++calls)}` }], { refreshIntervalMs: 100 });
    const onEvent = (event: RefreshEvent): void => {
      if (event.kind !== 'refreshed') return;
      if (calls === 1) {
        now += MINUTE;
        resolve(event);
      } else resolveAgain(event);
    };
    const keeper = keepFresh(loci, { onEvent });
    expect(await refreshed).toMatchObject({ source: 'tickets', report: { added: 1 } });
    expect(await again).toMatchObject({ source: 'tickets', report: { updated: 1 } });
    await keeper.close();
  });

  it('leaves its documents, which forget removes', async () => {
    const registration = register(async () => TICKETS);
    await refresh();
    registration.unregister();
    expect(await report()).toMatchObject({ condition: 'gone', documents: 2 });
    expect(await found('water cellar')).toHaveLength(1);
    expect(await forgetSource(loci, 'tickets')).toBe(2);
    expect(await report()).toBeUndefined();
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

  it('may be an object of a class', async () => {
    class Tickets implements ReadOnlyMemorySource {
      readonly id = 'tickets';
      readonly name = 'Tickets';
      readonly refreshIntervalMs = MINUTE;
      readonly #documents = TICKETS;
      async fetch(): Promise<readonly FetchedDocument[]> {
        return this.#documents;
      }
    }
    registerSource(loci, new Tickets());
    expect(await refresh()).toMatchObject({ added: 2 });
  });
});
