import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { Progress } from '../../core/progress.ts';
import { openStore } from '../../store/registry.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { prune, type EmbedPruneOutput } from './prune.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { search } from '../records/search.ts';
import { switchGeneration } from './switch.ts';
import { backfill } from './backfill.ts';
import { reindex } from '../health/reindex.ts';

const TEXTS = [
  'The oven moves to the other wall.',
  'A tide clock hangs in the school.',
  'Zebulon is the plumber.',
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let first: ProviderServer;
let second: ProviderServer;
let opened: EngineContext[];

beforeEach(async () => {
  opened = [];
  folder = await temporaryFolder();
  first = await startProvider({ format: OLLAMA, embed: letterVectors(768) });
  second = await startProvider({ format: OLLAMA, embed: letterVectors(1024) });
  const loci = await openFirst();
  for (const content of TEXTS) await write(loci, { content });
  await loci.close();
});

afterEach(async () => {
  // An open engine writes into the folder.
  for (const loci of opened) await loci.close();
  await Promise.all([first, second].map((server) => server[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

async function open(embedding: Readonly<Record<string, unknown>>): Promise<EngineContext> {
  const loci = await openInline(settings(folder.path, { search: { minScore: 0 }, embedding }));
  opened.push(loci);
  return loci;
}

const openFirst = (): Promise<EngineContext> =>
  open({ provider: 'ollama', model: 'nomic-embed-text', url: first.origin });
const openSecond = (): Promise<EngineContext> =>
  open({ provider: 'ollama', model: 'bge-m3', url: second.origin });

/** How a search went: the model that it used, and the signals that were missing. */
async function searched(loci: EngineContext): Promise<readonly [string, number]> {
  const { provider, missing } = await search(loci, { query: 'oven' });
  return [provider, missing.length];
}

/** The texts that a provider received, without those with which the client learns how long a query takes. */
const received = ({ requests }: ProviderServer): string[] =>
  requests.flatMap(({ texts }) => texts).filter((text) => text !== 'loci');

describe('a change of the model', () => {
  it('fills the new vectors beside the old ones, which keep answering, and then switches at once', async () => {
    const server = await openFirst();
    expect(await searched(server)).toEqual(['ollama/nomic-embed-text', 0]);
    const unused = await openFirst();
    const changed = await openSecond();
    expect((await search(changed, { query: 'oven' })).notices).toEqual([
      expect.stringContaining('until `loci embed backfill` and `loci embed switch`'),
    ]);
    await expect(switchGeneration(changed)).rejects.toMatchObject({ code: 'conflict' });
    const announced = new Set<string | undefined>();
    const onProgress = ({ meanwhile }: Progress): void => void announced.add(meanwhile);
    const report = await backfill(changed, {}, { onProgress });
    expect([...announced]).toEqual([
      'Searches use the vectors of ollama nomic-embed-text (768 dimensions) until `loci embed switch`.',
    ]);
    expect(report).toMatchObject({
      ...{ texts: 3, embedded: 3, remaining: 0, is_active: false },
      target: { provider: 'ollama', model: 'bge-m3', dimensions: 1024 },
      active: { model: 'nomic-embed-text', query_prefix: 'search_query: ', dimensions: 768 },
    });
    expect(await searched(server)).toEqual(['ollama/nomic-embed-text', 0]);

    expect(await switchGeneration(changed)).toMatchObject({ remaining: 0, to: { model: 'bge-m3' } });
    expect(await searched(changed)).toEqual(['ollama/bge-m3', 0]);
    expect((await search(changed, { query: 'tide clock' })).results[0]?.snippet).toContain('tide clock');
    // The server was opened before the switch, and the vectors of its model are still there.
    expect(await searched(server)).toEqual(['ollama/nomic-embed-text', 0]);
    // So was one that nobody had used until now.
    expect(await write(unused, { content: 'The attic is dry.' })).toMatchObject({ embedded: true });
    expect(await searched(unused)).toEqual(['ollama/nomic-embed-text', 0]);
    // With the previous settings, no server with the model of the vectors is known.
    expect(await searched(await openFirst())).toEqual(['ollama/bge-m3', 1]);
  });

  it('embeds nothing twice, and can be undone without embedding anything', async () => {
    const changed = await openSecond();
    await backfill(changed);
    await switchGeneration(changed);
    await write(changed, { content: 'The gardener is called Ada.' });
    expect(await backfill(changed)).toMatchObject({ texts: 0, embedded: 0, is_active: true });
    expect(received(second).toSorted()).toHaveLength(4);
    const sent = received(first).length;
    const back = await openFirst();
    await expect(switchGeneration(back)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('1 text without a vector of ollama nomic-embed-text') as string,
    });
    expect(await switchGeneration(back, { partial: true })).toMatchObject({ remaining: 1 });
    expect(received(first)).toHaveLength(sent);
    const { results, missing } = await search(back, { query: 'gardener' });
    expect([results[0]?.snippet, missing.length]).toEqual(['The gardener is called Ada.', 1]);
    expect(await backfill(back)).toMatchObject({ embedded: 1, remaining: 0 });
    expect(await searched(back)).toEqual(['ollama/nomic-embed-text', 0]);
  });

  it('leaves vectors that a prune removes, but not those of searches and of the settings', async () => {
    const changed = await openSecond();
    await backfill(changed);
    expect(await prune(changed)).toEqual({ dry_run: false, removed: [], in_use: [] });
    await switchGeneration(changed);
    const server = await openFirst();
    const prunable = { provider: 'ollama', dimensions: 768, vectors: 3 };
    expect(await prune(changed)).toMatchObject({ removed: [prunable], in_use: [] });
    expect(await prune(changed)).toEqual({ dry_run: false, removed: [], in_use: [] });
    expect(await searched(changed)).toEqual(['ollama/bge-m3', 0]);
    // The server with the settings of before knows no bge-m3.
    expect(await searched(server)).toEqual(['ollama/bge-m3', 1]);
    await expect(switchGeneration(server)).rejects.toThrow(
      'there are no vectors of the configured model yet',
    );
  });

  it('is counted without sending or storing anything', async () => {
    const changed = await openSecond();
    const report = await backfill(changed, { dry_run: true });
    expect(report).toMatchObject({ texts: 3, embedded: 0, remaining: 3 });
    expect(report.tokens).toBeGreaterThan(20);
    expect(report.tokens).toBeLessThan(100);
    expect(received(second)).toEqual([]);
    await expect(switchGeneration(changed)).rejects.toThrow(
      'there are no vectors of the configured model yet',
    );
  });

  it('reports a provider that is down, and goes on where it stopped', async () => {
    const changed = await openSecond();
    second.faults.push({ status: 404, body: { error: 'model "bge-m3" not found' } });
    await expect(backfill(changed)).rejects.toThrow('HTTP 404: it does not know the model');
    expect(await backfill(changed)).toMatchObject({ remaining: 0 });
  });

  it('whose vectors another process removes says so, and writes into none that follow', async () => {
    const store = await openStore({ path: join(folder.path, 'loci.db') }, { create: false });
    onTestFinished(() => store.close());
    const embed = letterVectors(1024);
    const removing = await startProvider({
      format: OLLAMA,
      embed: async (texts, purpose) => {
        const added = (await store.vectors.generations(ADMIN_NAMESPACE)).find(({ active }) => !active);
        if (added?.model === 'bge-m3') {
          await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: added.id });
          await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { ...added, model: 'another' } });
        }
        return embed(texts, purpose);
      },
    });
    onTestFinished(() => removing[Symbol.asyncDispose]());
    const changed = await open({ provider: 'ollama', model: 'bge-m3', url: removing.origin });
    await expect(backfill(changed)).rejects.toMatchObject({
      code: 'conflict',
      message:
        'the vectors of ollama bge-m3 (1024 dimensions) were removed while they were being made, by `loci embed prune`',
      hint: 'Run `loci embed backfill`, which makes them anew.',
    });
    const another = (await store.vectors.generations(ADMIN_NAMESPACE)).find(
      ({ model }) => model === 'another',
    )!;
    const { namespace } = settings(folder.path);
    expect((await store.vectors.pending(namespace, another.id, { totals: true })).texts).toBe(TEXTS.length);
    expect(await backfill(changed)).toMatchObject({ embedded: 3, remaining: 0 });
  });

  it('by a reindex keeps its vectors as well while another process prunes', async () => {
    const other = await openFirst();
    const embed = letterVectors(1024);
    const prunes: EmbedPruneOutput[] = [];
    const pruned = await startProvider({
      format: OLLAMA,
      embed: async (texts, purpose) => {
        prunes.push(await prune(other));
        return embed(texts, purpose);
      },
    });
    onTestFinished(() => pruned[Symbol.asyncDispose]());
    const changed = await open({ provider: 'ollama', model: 'bge-m3', url: pruned.origin });
    expect(await reindex(changed, { vectors: true })).toMatchObject({ embedded: 3 });
    const in_use = [{ model: 'bge-m3', process: `process ${String(process.pid)}` }];
    expect(prunes[0]).toMatchObject({ removed: [], in_use });
    expect(await searched(changed)).toEqual(['ollama/bge-m3', 0]);
  });

  it('needs a provider', async () => {
    const none = await open({ provider: 'none' });
    await expect(backfill(none)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(switchGeneration(none)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
