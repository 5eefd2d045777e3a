import { describe, expect, it } from 'vitest';
import type { LociAdapter, MemoryPoolDefinition } from '../../src/adapters/contract.ts';
import { Notes } from './adapter.ts';

describe('pools of lancedb that different agents see', () => {
  it('are ranked as if they were in one table', async () => {
    const notes = new Notes();
    const herons = Array.from({ length: 60 }, (_, i) => [
      `open/${String(i)}.md`,
      i < 3 ? 'heron stork' : 'heron x',
    ]);
    notes.write({
      ...(Object.fromEntries(herons) as Record<string, string>),
      'own/stork.md': 'heron stork',
      'own/egret.md': 'heron egret',
      'own/heron.md': 'heron heron',
    });
    const pools = [notes.pool('open'), notes.pool('own')];
    const scoresWith = async (registered: readonly MemoryPoolDefinition[]): Promise<unknown> => {
      const adapter = await notes.open();
      await adapter.registerPools(registered);
      const scores = await scoresOf(adapter);
      await adapter.close();
      return scores;
    };
    const together = await scoresWith(pools);
    expect(together).toHaveProperty('egret', 1);
    expect(await scoresWith([pools[0]!, { ...pools[1]!, agents: ['main'] }])).toEqual(together);
  });

  it('tell nothing of each other, also with an index of their words', async () => {
    const notes = new Notes();
    const write = (pool: string, text: string): void => {
      for (let i = 0; i < 150; i++) notes.write({ [`${pool}/${String(i)}.md`]: `${text} ${String(i)}` });
    };
    write('open', 'A stork and a ferry.');
    notes.write({ 'open/heron.md': 'A heron and a ferry.', 'open/egret.md': 'An egret and a canoe.' });
    write('hidden', 'Nothing.');
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('open'), { ...notes.pool('hidden'), agents: ['other'] }]);
    const recall = (): Promise<unknown> =>
      adapter.recall({ agentId: 'main', query: 'heron stork egret', limit: 200 });
    const before = await recall();
    expect(before).toHaveLength(152);
    write('hidden', 'A heron. A heron. A heron.');
    await adapter.indexPaths([notes.path('hidden')]);
    expect(await recall()).toEqual(before);
  });

  it('may have the same folder, of which an agent gets each note once', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.', 'a/y.md': 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools([{ ...notes.pool('own', 'a'), agents: ['main'] }, notes.pool('open', 'a')]);
    for (const [agentId, pool] of [
      ['main', 'own'],
      ['other', 'open'],
    ] as const) {
      const results = await adapter.recall({ agentId, query: 'heron' });
      expect(results.map(({ metadata }) => [metadata?.['path'], metadata?.['pool']]).sort()).toEqual([
        ['x.md', pool],
        ['y.md', pool],
      ]);
    }
  });
});

/** The scores of notes by title, rounded. */
async function scoresOf(adapter: LociAdapter): Promise<Record<string, number>> {
  const query = 'heron stork egret ferry';
  const results = await adapter.recall({ agentId: 'main', query, limit: 100 });
  expect(results).toHaveLength(63);
  return Object.fromEntries(
    results.map(({ metadata, score }) => [String(metadata?.['title']), Math.round(score! * 1000) / 1000]),
  );
}
