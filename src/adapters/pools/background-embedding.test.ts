import { expect, it, vi } from 'vitest';
import { BackgroundEmbedding } from './background-embedding.ts';

it('embedding that has failed is tried again after some time, and the status says why until it succeeds', async () => {
  for (const retryAfterMs of [60_000, 0]) {
    const embed = vi.fn(async () => null).mockRejectedValueOnce(new Error('unauthorized'));
    const background = new BackgroundEmbedding(embed, retryAfterMs);
    background.start();
    await background.settled();
    expect(background.problemsOf(2)).toEqual(['2 texts without a vector, found by words: unauthorized']);
    background.retry();
    await background.settled();
    expect(background.problem === null).toBe(retryAfterMs === 0);
    expect(background.problemsOf(0)).toEqual([]);
    await background.close();
  }
});
