import { readdirSync } from 'node:fs';
import { onTestFinished, describe, expect, it, vi } from 'vitest';
import { OLLAMA, type ProviderServer, startProvider } from '../embedding/provider-server.ts';
import { Notes } from './adapter.ts';

const BIRDS = ['heron', 'egret', 'stork'];
const BOATS = ['ferry', 'barge', 'canoe'];

/** A model that knows birds and boats. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const [i, words] of [BIRDS, BOATS].entries())
    if (words.some((word) => text.toLowerCase().includes(word))) vector[i] = 1;
  return vector;
}

async function startModel(dimensions = 8): Promise<ProviderServer & { embedded: () => string[] }> {
  const server = await startProvider({
    format: OLLAMA,
    embed: (texts) => Promise.resolve(texts.map((text) => vectorOf(text, dimensions))),
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const embedded = (): string[] => server.requests.flatMap(({ texts }) => texts);
  // The provider measures how long an answer takes.
  return { ...server, embedded: () => embedded().filter((text) => text !== 'loci') };
}

function settings({ origin }: ProviderServer, model = 'birds', dimensions = 8) {
  return { embedding: { provider: 'ollama', url: origin, model, dimensions } };
}

const NOTES = { 'a/x.md': 'A heron.', 'a/y.md': 'A ferry.', 'b/z.md': 'An egret.' };
const BY_MEANING = { query: 'storks', mode: 'semantic', limit: 2 } as const;

describe('the vectors of the lancedb adapter', () => {
  it('find by meaning, and no note that is the same is embedded again', async () => {
    const notes = new Notes();
    notes.write(NOTES);
    const model = await startModel();
    const first = await notes.open(settings(model));
    await first.registerPools([notes.pool('a'), notes.pool('b')]);
    expect((await notes.found(first, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
    await first.close();
    const { length } = model.embedded();
    const second = await notes.open(settings(model));
    await second.registerPools([notes.pool('a'), notes.pool('b')]);
    expect((await notes.found(second, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
    expect(model.embedded().slice(length)).toEqual([expect.stringContaining('storks')]);
  });

  it('are in the table of the agents that see their pool now', async () => {
    const notes = new Notes();
    notes.write(NOTES);
    const model = await startModel();
    const first = await notes.open(settings(model));
    await first.registerPools([notes.pool('a'), { ...notes.pool('b'), agents: ['other'] }]);
    expect(await notes.found(first, BY_MEANING)).toEqual(['a/x.md', 'a/y.md']);
    await first.close();
    const pools = [notes.pool('a'), { ...notes.pool('b'), agents: ['main'] }];
    for (let time = 0; time < 2; time++) {
      const adapter = await notes.open(settings(model));
      await adapter.registerPools(pools);
      expect((await notes.found(adapter, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
      expect(await notes.found(adapter, { ...BY_MEANING, agentId: 'other' })).toEqual(['a/x.md', 'a/y.md']);
      expect(await adapter.status()).toMatchObject({ ok: true, details: { notes: 3 } });
      await adapter.close();
    }
    expect(notes.tableFolders()).toHaveLength(2);
  });

  it('are made anew for another model, and never compared with those of another', async () => {
    const notes = new Notes();
    notes.write(NOTES);
    for (const [name, dimensions] of [
      ['birds', 8],
      ['others', 8],
      ['others', 16],
    ] as const) {
      const model = await startModel(dimensions);
      const adapter = await notes.open(settings(model, name, dimensions));
      await adapter.registerPools([notes.pool('a'), notes.pool('b')]);
      expect(model.embedded()).toHaveLength(3);
      expect((await notes.found(adapter, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
      await adapter.close();
      expect(notes.tableFolders()).toHaveLength(1);
    }
  });

  it('are added when the model answers again, and words find everything meanwhile', async () => {
    const notes = new Notes();
    notes.write(NOTES);
    const model = await startModel();
    model.faults.push(...Array.from({ length: 20 }, () => ({ status: 500 })));
    const adapter = await notes.open(settings(model));
    await adapter.registerPools([notes.pool('a'), notes.pool('b')]);
    expect(await notes.found(adapter, 'heron')).toEqual(['a/x.md']);
    const status = await adapter.status();
    expect(status).toMatchObject({ ok: false });
    expect(status.message).toMatch(
      /^3 texts without a vector, found by words: .+\nqueries are searched by words only: /s,
    );
    expect(await notes.found(adapter, BY_MEANING)).toEqual([]);
    model.faults.length = 0;
    await vi.waitFor(
      async () => {
        expect((await notes.found(adapter, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
      },
      { timeout: 100_000, interval: 200 },
    );
    expect(await adapter.status()).toMatchObject({ ok: true });
  });

  it('are not made without a model, which the capabilities say', async () => {
    const notes = new Notes();
    notes.write(NOTES);
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    expect(adapter.capabilities).toEqual({ semantic: false, keyword: true });
    expect(await notes.found(adapter, { query: 'heron', mode: 'semantic' })).toEqual([]);
    expect(await adapter.status()).toMatchObject({ ok: true, details: { embedding: 'none' } });
    expect(readdirSync(notes.tables)).not.toContain('embedding-state.json');
  });

  it('leave out texts that the model refuses, which words find', async () => {
    const notes = new Notes();
    notes.write({ ...NOTES, 'a/refused.md': 'A refused heron.' });
    const model = await startProvider({
      format: OLLAMA,
      embed: (texts) => Promise.resolve(texts.map((text) => vectorOf(text, 8))),
      refuse: ({ texts }) =>
        texts.some((text) => text.includes('refused')) ? { status: 400, body: { error: 'bad' } } : undefined,
    });
    onTestFinished(() => model[Symbol.asyncDispose]());
    const adapter = await notes.open(settings(model));
    await adapter.registerPools([notes.pool('a'), notes.pool('b')]);
    expect((await notes.found(adapter, BY_MEANING)).sort()).toEqual(['a/x.md', 'b/z.md']);
    expect(await notes.found(adapter, { query: 'refused', mode: 'keyword' })).toEqual(['a/refused.md']);
  });
});
