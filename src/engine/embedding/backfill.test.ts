import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { Progress } from '../../core/progress.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { search } from '../records/search.ts';
import { embedNew } from '../reading/embed-new.ts';
import { backfill } from './backfill.ts';

const TEXTS = [
  'The oven moves to the other wall.',
  'A tide clock hangs in the school.',
  'Zebulon is the plumber.',
];

const folder = folderForEach();
let first: ProviderServer;
let second: ProviderServer;
let opened: EngineContext[];

beforeEach(async () => {
  opened = [];
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

/** The texts of passages that a provider received. */
const received = ({ requests }: ProviderServer): string[] =>
  requests.flatMap(({ texts }) => texts).filter((text) => text.endsWith('.'));

const generations = async ({ store }: EngineContext): Promise<string[]> =>
  (await store.vectors.generations(ADMIN_NAMESPACE)).map(({ model, active }) => `${model} ${String(active)}`);

describe('a change of the model', () => {
  it('fills the new vectors beside the old ones, which keep answering, then switches and removes them', async () => {
    const server = await openFirst();
    expect(await searched(server)).toEqual(['ollama/nomic-embed-text', 0]);
    const changed = await openSecond();
    expect((await search(changed, { query: 'oven' })).notices).toEqual([
      expect.stringContaining('until those of ollama bge-m3 (1024 dimensions) are made'),
    ]);
    const announced = new Set<string | undefined>();
    const report = await backfill(
      changed,
      {},
      { onProgress: ({ meanwhile }: Progress): void => void announced.add(meanwhile) },
    );
    expect([...announced]).toEqual([
      'Searches use the vectors of ollama nomic-embed-text (768 dimensions) until all are made.',
    ]);
    expect(report).toMatchObject({
      ...{ texts: 3, embedded: 3, remaining: 0, is_active: true },
      target: { provider: 'ollama', model: 'bge-m3', dimensions: 1024 },
      active: { model: 'nomic-embed-text', query_prefix: 'search_query: ', dimensions: 768 },
    });
    expect(await generations(changed)).toEqual(['bge-m3 true']);
    expect(await searched(changed)).toEqual(['ollama/bge-m3', 0]);
    expect((await search(changed, { query: 'tide clock' })).results[0]?.snippet).toContain('tide clock');
    expect(await backfill(changed)).toMatchObject({ texts: 0, embedded: 0, is_active: true });
    expect(received(second)).toHaveLength(3);
  });

  it('is not undone by a server that was opened before, which goes on by words or with the new model', async () => {
    const server = await openFirst();
    const unused = await openFirst();
    expect(await searched(server)).toEqual(['ollama/nomic-embed-text', 0]);
    const changed = await openSecond();
    await backfill(changed);
    const sent = received(first).length;
    for (const loci of [server, unused]) {
      // Its server does not know bge-m3.
      expect(await searched(loci)).toEqual(['ollama/bge-m3', 1]);
      await embedNew(loci);
    }
    expect(received(first)).toHaveLength(sent);
    expect(await generations(changed)).toEqual(['bge-m3 true']);
  });

  it('happens without a command where texts are embedded in the background, once the new model answers', async () => {
    const changed = await openSecond();
    second.faults.push({ status: 404, body: { error: 'model "bge-m3" not found' } });
    expect(await embedNew(changed)).toMatchObject({ embedded: 0, embeddedBy: null });
    expect((await generations(changed))[0]).toMatch(/^nomic-embed-text .* true$/);
    expect(await embedNew(changed)).toMatchObject({ embedded: 3, embeddedBy: null });
    expect(await generations(changed)).toEqual(['bge-m3 true']);
    expect(await searched(changed)).toEqual(['ollama/bge-m3', 0]);
  });

  it('keeps the old vectors until texts that were written meanwhile have new ones, and if the new model refuses all', async () => {
    const old = await openFirst();
    const embed = letterVectors(1024);
    let refusesAll = true;
    let isWritten = false;
    const writing = await startProvider({
      format: OLLAMA,
      embed: async (texts, purpose) => {
        if (!refusesAll && !isWritten) await write(old, { content: 'Written meanwhile.' });
        isWritten = !refusesAll;
        return embed(texts, purpose);
      },
      refuse: ({ texts }) =>
        refusesAll && !texts.includes('loci')
          ? { status: 400, body: { error: 'content filter' } }
          : undefined,
    });
    onTestFinished(() => writing[Symbol.asyncDispose]());
    const changed = await open({ provider: 'ollama', model: 'bge-m3', url: writing.origin });
    expect(await backfill(changed)).toMatchObject({ is_active: false, refused: 3, remaining: 3 });
    expect(await searched(old)).toEqual(['ollama/nomic-embed-text', 0]);
    refusesAll = false;
    expect(await backfill(changed)).toMatchObject({ is_active: true, remaining: 0 });
    const { results } = await search(changed, { query: 'written meanwhile' });
    expect(results.find(({ snippet }) => snippet === 'Written meanwhile.')?.why).toContain('meaning #');
  });

  it('that was stopped between the switch and the removal is completed by the next backfill', async () => {
    const changed = await openSecond();
    const { vectors } = changed.store;
    await backfill(changed);
    await vectors.setGeneration(ADMIN_NAMESPACE, {
      add: { provider: 'ollama', model: 'left', dimensions: 8 },
    });
    expect(await generations(changed)).toEqual(['bge-m3 true', 'left false']);
    await backfill(changed);
    expect(await generations(changed)).toEqual(['bge-m3 true']);
  });

  it('is counted without sending or storing anything', async () => {
    const changed = await openSecond();
    const report = await backfill(changed, { dry_run: true });
    expect(report).toMatchObject({ texts: 3, embedded: 0, remaining: 3 });
    expect(report.tokens).toBeGreaterThan(20);
    expect(report.tokens).toBeLessThan(100);
    expect(received(second)).toEqual([]);
    expect(await generations(changed)).toEqual([
      'nomic-embed-text with ["search_query: ","search_document: "] true',
    ]);
  });

  it('needs a provider', async () => {
    const none = await open({ provider: 'none' });
    await expect(backfill(none)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
