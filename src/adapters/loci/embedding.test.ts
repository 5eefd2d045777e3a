import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { LociAdapter, MemoryQuery } from '../contract.ts';
import { createAdapter } from '../create-adapter.ts';

const HANGS = Array.from({ length: 1000 }, () => 'hang' as const);

let home: string;
let server: ProviderServer;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  home = resources.use(await temporaryFolder()).path;
  server = resources.use(await startProvider({ format: OLLAMA, embed: letterVectors(768) }));
  await writeNotes(join(home, 'notes'), { 'a.md': 'oven', 'b.md': 'nove' });
});

afterEach(() => resources.disposeAsync());

const embedding = (model = 'nomic-embed-text') => ({ provider: 'ollama', model, url: server.origin });

/** An adapter that has registered the notes. */
async function registered(model?: string): Promise<LociAdapter> {
  const adapter = await createAdapter(
    { memory: { adapter: 'loci' }, embedding: embedding(model) },
    { home, onWarning: () => undefined },
  );
  resources.defer(() => adapter.close());
  await adapter.registerPools([{ id: 'notes', tier: 'hot', path: join(home, 'notes') }]);
  return adapter;
}

async function found(adapter: LociAdapter, mode?: MemoryQuery['mode']): Promise<unknown[]> {
  const results = await adapter.recall({
    agentId: 'ada',
    query: 'oven',
    ...(mode !== undefined && { mode }),
  });
  return results.map(({ metadata }) => metadata?.['path']).sort();
}

it('notes are found by meaning, by words, or by both', async () => {
  const adapter = await registered();
  expect(await found(adapter, 'keyword')).toEqual(['a.md']);
  expect(await found(adapter, 'semantic')).toEqual(['a.md', 'b.md']);
  expect(await found(adapter)).toEqual(['a.md', 'b.md']);
  expect(await adapter.status()).toMatchObject({ ok: true, details: { waiting: 0 } });
});

it('while the provider does not answer, words find notes, closing does not wait, and the next process goes on', async () => {
  server.faults.push(...HANGS);
  const adapter = await registered();
  expect(await found(adapter)).toEqual(['a.md']);
  expect(await found(adapter, 'semantic')).toEqual([]);
  expect((await adapter.status()).message).toContain('2 texts without a vector');
  await adapter.close();
  server.faults.length = 0;
  const next = await registered();
  await expect.poll(() => found(next, 'semantic')).toEqual(['a.md', 'b.md']);
});

it('the vectors of another model answer until those of a new one are made in the background', async () => {
  await (await registered()).close();
  const adapter = await registered('nomic-embed-text:latest');
  expect(await found(adapter)).toEqual(['a.md', 'b.md']);
  expect(await found(adapter, 'semantic')).toEqual(['a.md', 'b.md']);
  // The status has the notices of the last recall.
  const recalled = async (): Promise<unknown[]> => [
    ...(await found(adapter, 'semantic')),
    (await adapter.status()).message ?? '',
  ];
  await expect
    .poll(recalled, { timeout: 10_000 })
    .toEqual(['a.md', 'b.md', expect.not.stringContaining('nomic-embed-text') as string]);
});
