// What a provider says of a text may quote it. Nobody but the caller who sent it may read that.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { letterVectors, OPENAI, startProvider } from '../../../test/embedding/provider-server.ts';
import { JINA_RERANK, startReranker } from '../../../test/embedding/rerank-server.ts';
import type { EngineContext } from '../context.ts';
import { write } from './write.ts';
import { search } from './search.ts';

const STATE_FILE = 'embedding-state.json';
const SECRET = 'Alice private diary:\n"Zebulon" proposed';
/** Pydantic's form of a refusal, and the text escaped, cut off and in another alphabet. */
const QUOTES: readonly (readonly [string, unknown])[] = [
  ['whole', { detail: [{ msg: 'Input is too odd', input: SECRET }] }],
  ['as JSON in JSON', { error: { message: JSON.stringify(JSON.stringify(SECRET)) } }],
  ['cut off', { message: `bad input: ${SECRET.slice(6, 17)}` }],
];
/** Pieces of the text as they appear in any of the quotes. */
const PIECES = /private|diary|Zebulon|proposed/;

interface Stores {
  readonly alice: EngineContext;
  readonly bob: EngineContext;
  /** What processes share. */
  readonly state: () => Promise<string>;
}

async function open(values: Readonly<Record<string, unknown>>): Promise<Stores> {
  const folder = await temporaryFolder();
  const loci = await openInline(
    settings(folder.path, { search: { minScore: 0 }, writes: { enabled: true }, ...values }),
  );
  onTestFinished(async () => {
    await loci.close();
    await folder[Symbol.asyncDispose]();
  });
  const as = (namespace: string): EngineContext => loci.as({ ...loci.caller, namespace, trust: 'agent' });
  const file = join(folder.path, STATE_FILE);
  return { alice: as('alice'), bob: as('bob'), state: () => readFile(file, 'utf8').catch(() => '') };
}

it.each(QUOTES)('a search and a write have no text of another namespace: quoted %s', async (_, body) => {
  const server = await startProvider({ format: OPENAI, embed: letterVectors(8) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { alice, bob, state } = await open({
    embedding: { provider: 'openai-compatible', model: 'm', dimensions: 8, url: `${server.origin}/v1` },
  });
  await write(bob, { content: 'The oven moves to the other wall.' });
  server.faults.push(...Array.from({ length: 50 }, () => ({ status: 422, body })));
  const written = await write(alice, { content: SECRET });
  expect(written.embedded).toBe(false);
  const found = await search(bob, { query: 'oven' });
  expect(found.missing).toMatchObject([
    { signal: 'vector', why: expect.stringContaining('HTTP 422') as string },
  ]);
  const other = await write(bob, { content: 'A tide clock hangs in the school.' });
  expect(other).toMatchObject({ embedded: false, why: expect.stringContaining('HTTP 422') as string });
  await expect.poll(state).toContain('HTTP 422');
  expect(JSON.stringify([written.why, found, other, await state()])).not.toMatch(PIECES);
});

it.each(QUOTES)('a search with a reranker has no text of another namespace: quoted %s', async (_, body) => {
  const server = await startReranker(JINA_RERANK);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const rerank = { provider: 'server', url: `${server.origin}/v1`, deadline: '5s' };
  const { alice, bob } = await open({ rerank, embedding: { provider: 'none' } });
  for (const content of [SECRET, 'The oven of Zebulon', 'Zebulon has no oven'])
    for (const loci of [alice, bob])
      await write(loci, { content: content === SECRET && loci === bob ? 'oven' : content });
  server.faults.push({ status: 422, body });
  const first = await search(alice, { query: 'Zebulon' });
  expect(first.notices).toEqual([expect.stringContaining('HTTP 422')]);
  const second = await search(bob, { query: 'oven' });
  expect(second.notices).toEqual([expect.stringContaining('HTTP 422')]);
  expect(JSON.stringify([first.notices, second.notices])).not.toMatch(PIECES);
});
