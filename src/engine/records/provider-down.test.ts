import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  type Fault,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { Config } from '../../config/schema.ts';
import type { EngineContext } from '../context.ts';
import { search } from './search.ts';
import { write } from './write.ts';
import { assertReady } from '../health/doctor.ts';
import { storeStatus } from '../health/status.ts';
import { indexVaults } from '../reading/index-vaults.ts';

const MODEL = 'nomic-embed-text';

const folder = folderForEach();
let server: ProviderServer;
let opened: EngineContext[];

beforeEach(async () => {
  opened = [];
  server = await startProvider({ format: OLLAMA, embed: letterVectors(768) });
});

afterEach(async () => {
  // An open engine writes into the folder.
  for (const loci of opened) await loci.close();
  await server[Symbol.asyncDispose]();
});

function config(embedding: Readonly<Record<string, unknown>> = {}): Config {
  return settings(folder.path, {
    search: { minScore: 0 },
    embedding: { provider: 'ollama', model: MODEL, url: server.origin, ...embedding },
  });
}

async function open(
  values: Config = config(),
  onWarning: (message: string) => void = () => undefined,
): Promise<EngineContext> {
  const loci = await openInline(values, { onWarning });
  opened.push(loci);
  return loci;
}

/** Of the next requests, more than a test sends. */
function failNext(fault: Fault): void {
  server.faults.push(...Array.from({ length: 50 }, () => fault));
}

/** The shortest of a few searches, in milliseconds. */
async function shortestSearch(loci: EngineContext): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) times.push((await search(loci, { query: 'oven' })).took_ms);
  return Math.min(...times);
}

describe('a provider that stops answering', () => {
  it.each(['hang', 'reset', 503] as const)(
    'costs one search at most 100 ms, and the next ones nothing until it is back (%s)',
    async (how) => {
      const loci = await open();
      await write(loci, { content: 'The oven moves to the other wall.' });
      const live = await search(loci, { query: 'oven' });
      expect([live.missing, live.provider]).toEqual([[], `ollama/${MODEL}`]);
      const usual = await shortestSearch(loci);
      const sent = server.requests.length;
      failNext(typeof how === 'number' ? { status: how } : how);
      const first = await search(loci, { query: 'oven' });
      expect(first.missing).toMatchObject([{ signal: 'vector', why: expect.any(String) as string }]);
      expect(first.results).toMatchObject([{ title: expect.any(String) as string }]);
      // What the search takes is in addition; the machine may be busy.
      expect(first.took_ms).toBeLessThan(usual * 4 + 300);
      expect(await shortestSearch(loci)).toBeLessThan(50);
      expect((await search(loci, { query: 'oven' })).missing).toMatchObject([{ signal: 'vector' }]);
      expect(server.requests.length).toBeLessThanOrEqual(sent + 2);
      server.faults.length = 0;
      const isBack = async (): Promise<number> => (await search(loci, { query: 'oven' })).missing.length;
      await expect.poll(isBack, { timeout: 100_000, interval: 50 }).toBe(0);
    },
  );

  it('keeps what is written, which is found by words at once and embedded later', async () => {
    const loci = await open();
    await write(loci, { content: 'A tide clock hangs in the school.' });
    failNext('reset');
    const written = await write(loci, { content: 'The plumber is called Zebulon.' });
    expect(written).toMatchObject({
      embedded: false,
      why: expect.stringContaining('cannot be reached') as string,
    });
    const started = performance.now();
    const second = await write(loci, { content: 'The gardener is called Ada.' });
    expect(second.embedded).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
    // A server whose provider is down still serves.
    await assertReady(loci);
    const found = await search(loci, { query: 'zebulon' });
    expect(found.results.map(({ id }) => id)).toContain(written.id);
    expect(found.missing).toMatchObject([{ signal: 'vector' }]);
    expect((await storeStatus(loci)).embedding.pending).toBe(2);
    server.faults.length = 0;
    expect(await indexVaults(loci)).toMatchObject({ embedded: 2 });
    expect((await storeStatus(loci)).embedding.pending).toBe(0);
    expect((await search(loci, { query: 'zebulon plumber' })).missing).toEqual([]);
  });

  it('does not hold up a write while it has asked for no requests, nor the searches', async () => {
    const loci = await open();
    await write(loci, { content: 'A tide clock hangs in the school.' });
    failNext('reset');
    await write(loci, { content: 'The plumber is called Zebulon.' });
    server.faults.length = 0;
    // Searches are answered again.
    const isBack = async (): Promise<number> => (await search(loci, { query: 'oven' })).missing.length;
    await expect.poll(isBack, { timeout: 100_000, interval: 50 }).toBe(0);
    const sent = server.requests.length;
    server.faults.push({ status: 429, headers: { 'retry-after': '40' } });
    const stop = new AbortController();
    const indexing = indexVaults(loci, { signal: stop.signal });
    indexing.catch(() => undefined);
    await expect.poll(() => server.requests.length).toBeGreaterThan(sent);
    const whyOf = async (): Promise<string | null> =>
      (await write(loci, { content: 'The gardener is Ada.' })).why;
    const started = performance.now();
    await expect.poll(whyOf).toContain('has asked for no requests for another');
    expect(performance.now() - started).toBeLessThan(5000);
    expect((await search(loci, { query: 'clock' })).missing).toEqual([]);
    stop.abort();
    await expect(indexing).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is known to the next process, which does not wait again', async () => {
    const first = await open();
    await write(first, { content: 'The oven moves to the other wall.' });
    failNext('hang');
    await search(first, { query: 'oven' });
    await first.close();
    const second = await open();
    const sent = server.requests.length;
    expect((await search(second, { query: 'oven' })).missing).toMatchObject([{ signal: 'vector' }]);
    expect(server.requests.length).toBe(sent);
  });
});

describe('another configuration', () => {
  it.each([
    ['another model', { model: 'bge-m3' }],
    ['other dimensions', { dimensions: 256 }],
    ['another prefix', { queryPrefix: 'query: ' }],
    ['no prefix', { queryPrefix: '', passagePrefix: '' }],
    ['another provider', { provider: 'local' }],
  ])('leaves searches and writes to the vectors of before, and says what to run: %s', async (_, changed) => {
    // The settings of another provider do not name the address of the one before.
    const isAsked = !('provider' in changed);
    const loci = await open();
    await write(loci, { content: 'The oven moves to the other wall.' });
    await loci.close();
    const warnings: string[] = [];
    // However busy the machine is, the vectors are compared.
    const patient = { ...config(changed), search: { ...config().search, deadline: 0 } };
    const other = await open(patient, (warning) => warnings.push(warning));
    const notice = expect.stringMatching(
      new RegExp(`the vectors of ollama ${MODEL}.* until those of .* are made`),
    ) as string;
    expect(await search(other, { query: 'oven' })).toMatchObject({
      missing: isAsked ? [] : [{ signal: 'vector' }],
      notices: [notice],
    });
    expect(warnings).toEqual([]);
    for (const content of ['The cellar is damp.', 'The attic is dry.'])
      expect(await write(other, { content })).toMatchObject({ embedded: isAsked });
    expect(warnings).toEqual([notice]);
    const { results } = await search(other, { query: 'attic' });
    expect([results[0]?.snippet, results[0]?.why.includes('meaning #')]).toEqual([
      'The attic is dry.',
      isAsked,
    ]);
    const same = await open(config({ queryPrefix: 'search_query: ', url: `${server.origin}/` }));
    expect((await search(same, { query: 'oven' })).missing).toEqual([]);
  });
});
