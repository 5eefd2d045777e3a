import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../src/engine/open.ts';
import { graphStatus } from '../src/engine/graph/graph-status.ts';
import { memoryPack } from '../src/engine/packs/memory-pack.ts';
import { indexVaults } from '../src/engine/reading/index-vaults.ts';
import { search } from '../src/engine/records/search.ts';
import { write } from '../src/engine/records/write.ts';
import { settings, temporaryFolder } from './contract/engines.ts';

/** How many statements the work runs. A bulk write is one, whatever the number of its rows. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const texts = new Map<string, number>();
  let count = 0;
  const onStatement = (text: unknown): void => {
    count++;
    texts.set(String(text), (texts.get(String(text)) ?? 0) + 1);
  };
  subscribe('loci.store.statement', onStatement);
  try {
    await work();
  } finally {
    unsubscribe('loci.store.statement', onStatement);
  }
  if (process.env['SHOW_STATEMENTS'] !== undefined)
    console.log(
      [...texts]
        .sort(([, a], [, b]) => b - a)
        .map(([text, n]) => `${String(n)} ${text.replaceAll(/\s+/g, ' ')}`)
        .join('\n'),
    );
  return count;
}

const NOTES = 300;
const TOPICS = ['oven', 'hob', 'warm bread', 'garden', 'New York City'];

it('a store runs few statements, whatever the number of records', async () => {
  await using folder = await temporaryFolder();
  const vault = { name: 'notes', path: join(folder.path, 'vault') };
  await mkdir(vault.path);
  for (let i = 0; i < NOTES; i++) {
    const topic = TOPICS[i % TOPICS.length]!;
    const text = `---\ntags: [t${String(i % 7)}]\n---\n# Note ${String(i)}\n\nAbout the ${topic}, see [[Note ${String((i * 7) % NOTES)}]].\n`;
    await writeFile(join(vault.path, `Note ${String(i)}.md`), text);
  }
  const config = settings(folder.path, { vaults: [vault] });
  const loci = await openEngine(config, { inlineStore: true });
  onTestFinished(() => loci.close());
  const counts: Record<string, number> = {};
  const count = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    counts[name] = await statementsOf(work);
  };
  await count('300 notes indexed', () => indexVaults(loci));
  await count('nothing changed', () => indexVaults(loci));
  await search(loci, { query: 'bread' });
  await count('a search', () => search(loci, { query: 'warm oven' }));
  await count('one memory written', () => write(loci, { content: 'The oven is warm.' }));
  await graphStatus(loci, {});
  const query = 'warm oven';
  await count('a pack', () => memoryPack(loci, { query, budget: 2000 }));
  // The first one derives the graph of what was written.
  await count('a pack with graph after a write', () =>
    memoryPack(loci, { query, budget: 2000, use_graph: true }),
  );
  await count('a pack of other notes', () => memoryPack(loci, { query: 'New York City', budget: 2000 }));
  await count('a pack with graph', () =>
    memoryPack(loci, { query: 'New York City', budget: 2000, use_graph: true }),
  );
  expect(counts).toEqual({
    '300 notes indexed': expect.toSatisfy((n) => n < 600),
    'nothing changed': expect.toSatisfy((n) => n <= 18),
    'a search': expect.toSatisfy((n) => n <= 26),
    'one memory written': expect.toSatisfy((n) => n <= 14),
    'a pack': expect.toSatisfy((n) => n <= 30),
    'a pack with graph after a write': expect.toSatisfy((n) => n <= 150),
    'a pack of other notes': expect.toSatisfy((n) => n <= 40),
    'a pack with graph': expect.toSatisfy((n) => n <= 55),
  });
});
