import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createContext } from './context.ts';
import { factOperations } from './nouns/facts.ts';
import { recordOperations } from './nouns/records.ts';
import { runOperation } from './run.ts';
import { parseInput } from './shared/input.ts';

it('finds by a tag what was written or stored with the same tag, with # or without, and changes it by its address', async () => {
  const context = await openContext();
  const { write, search, update } = recordOperations;
  await write.run(context, parseInput(write, { content: 'A kiln of brick.', tags: ['#pottery/'] }));
  const fact = factOperations['fact-store'];
  await fact.run(context, parseInput(fact, { key: 'clay', value: 'red', tags: ['#pottery'] }));
  for (const tags of [['pottery'], ['#pottery']]) {
    const { results } = await search.run(context, parseInput(search, { query: 'kiln', tags }));
    expect(results.map(({ citation }) => citation)).toEqual(['record/1']);
    const list = factOperations['fact-list'];
    expect((await list.run(context, parseInput(list, { tags }))).total).toBe(1);
  }
  for (const id of ['loci://record/1', 'record/1', 1])
    expect(parseInput(update, { id, title: 'Kiln' }).id).toBe(1);
});

it('records values of up to 64 characters in the history, and of longer ones the length', async () => {
  const context = await openContext();
  for (const length of [64, 65])
    await runOperation(recordOperations.search, context, { query: 'kiln', path: 'a'.repeat(length) });
  const { documents } = await factOperations.corpus.run(context, {});
  const [longer, shorter] = documents.map(({ content }) => content);
  expect(longer).toContain('65 characters');
  expect(longer).not.toContain('aaa');
  expect(shorter).toContain('a'.repeat(64));
});

/** The context of an agent, with a store of its own. */
async function openContext() {
  const home = mkdtempSync(join(tmpdir(), 'loci-run-'));
  const env = { LOCI_EMBEDDING_PROVIDER: 'none', LOCI_WRITES_ENABLED: 'true' };
  const context = createContext({ home, env, caller: { surface: 'mcp', trust: 'agent', actor: 'ada' } });
  await context.loci({ create: true });
  onTestFinished(async () => {
    await context.close();
    rmSync(home, { recursive: true });
  });
  return context;
}
