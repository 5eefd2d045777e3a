import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../embedder.ts';
import { createLocalEmbedder } from './local.ts';

const embedder = createLocalEmbedder({ threads: 2 });
afterAll(() => embedder.close());

/** Enough texts to start the indexing threads. */
const passages = Array.from(
  { length: 32 },
  (_, i) => `Note ${i}: ${'the oven goes to the wall, '.repeat(i % 12)}`,
);

async function embedOne(text: string, by: Embedder = embedder): Promise<Float32Array> {
  const [vector] = await by.embed([text], { purpose: 'query' });
  return vector ?? new Float32Array();
}

describe('createLocalEmbedder', () => {
  it('has the name, dimensions and limits of the model', () => {
    expect(embedder).toMatchObject({
      provider: 'local',
      model: 'all-MiniLM-L6-v2',
      dimensions: 384,
      maxTokens: 256,
    });
  });

  it('knows words, but no emoji and no text without letters', () => {
    const shares = ['oven', '42', '→ €', '🍕', 'ฉันชอบกินข้าว'].map((text) => embedder.knownShare!(text));
    expect(shares).toEqual([1, 1, 0, 0, 0]);
  });

  it('returns no vectors for no texts', async () => {
    expect(await embedder.embed([], { purpose: 'passage' })).toEqual([]);
  });

  it('returns a unit vector for any string', async () => {
    const unusual = [
      '',
      ' ',
      '\0',
      '\ud800',
      'x\udfff\ud83dy',
      '🎉',
      'a'.repeat(5000),
      '\u200b\u0301',
      '[SEP][PAD]',
    ];
    const vectors = await embedder.embed(unusual, { purpose: 'query' });
    expect(vectors.map((vector) => vector.length)).toEqual(unusual.map(() => 384));
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(vectors[1]).toEqual(vectors[0]);
  });

  it('returns the same bits on every machine', async () => {
    const texts = ['', 'kitchen remodel', 'Где духовка?', '厨房的装修预算', 'const a = b ?? 0; // why'];
    const hash = createHash('sha256');
    for (const vector of await embedder.embed(texts, { purpose: 'query' })) hash.update(vector);
    // A store has vectors of many versions of this program, so that a text must always get the same vector.
    expect(hash.digest('hex')).toBe('2c8caf153810920958e84991f42c10bb57e5d5e3bf4397265a9fbb37a35ad35e');
  });

  it('returns the same bits for any batch and any number of threads', async () => {
    const batch = await embedder.embed(passages, { purpose: 'passage' });
    const single = createLocalEmbedder({ threads: 1 });
    const reversed = await single.embed(passages.toReversed(), { purpose: 'passage' });
    await single.close();
    expect(batch).toHaveLength(passages.length);
    expect(reversed.toReversed()).toEqual(batch);
    for (const i of [0, 7, 31]) expect(await embedOne(passages[i] ?? '')).toEqual(batch[i]);
  });

  it('gives each vector its own buffer', async () => {
    const [vector] = await embedder.embed(['a', 'b'], { purpose: 'query' });
    expect(vector?.buffer.byteLength).toBe(384 * 4);
  });

  it('embeds a query while passages are being embedded', async () => {
    const order: string[] = [];
    const indexing = embedder
      .embed([...passages, ...passages], { purpose: 'passage' })
      .then(() => order.push('passages'));
    await embedOne('where does the oven go').then(() => order.push('query'));
    await indexing;
    expect(order).toEqual(['query', 'passages']);
  });

  it('embeds all of a long text, including its end', async () => {
    const head = 'the oven goes to the other wall '.repeat(40);
    const [a, b] = [await embedOne(`${head} and Anna pays`), await embedOne(`${head} zebras graze in Kenya`)];
    expect(Math.hypot(...a)).toBeCloseTo(1, 5);
    expect(a).not.toEqual(b);
  });

  it('embeds a query of 100,000 characters', async () => {
    expect(Math.hypot(...(await embedOne('what about the oven '.repeat(5000))))).toBeCloseTo(1, 5);
  });

  it('counts tokens with [CLS] and [SEP]', () => {
    expect(embedder.countTokens('')).toBe(2);
    expect(embedder.countTokens('the kitchen')).toBe(4);
    expect(embedder.countTokens('\ud800\0')).toBe(2);
  });

  it('stops when the signal fires, before and during the work', async () => {
    const aborted = { purpose: 'passage', signal: AbortSignal.abort() } as const;
    await expect(embedder.embed(['a'], aborted)).rejects.toMatchObject({ code: 'aborted' });
    const controller = new AbortController();
    const long = embedder.embed([...passages, ...passages], {
      purpose: 'passage',
      signal: controller.signal,
    });
    controller.abort();
    await expect(long).rejects.toMatchObject({ code: 'aborted' });
    expect(await embedOne('still here')).toHaveLength(384);
  });

  it('aborts running calls when it is closed, and rejects later ones', async () => {
    const short = createLocalEmbedder({ threads: 1 });
    const call = short.embed(passages, { purpose: 'passage' });
    await Promise.all([expect(call).rejects.toMatchObject({ code: 'aborted' }), short.close()]);
    await expect(short.embed(['a'], { purpose: 'query' })).rejects.toMatchObject({
      code: 'embedding_unavailable',
    });
    await short.close();
  });

  it('does not keep a process alive if it is not closed', async () => {
    const script = `
      import { createLocalEmbedder } from ${JSON.stringify(new URL('./local.ts', import.meta.url).href)};
      const embedder = createLocalEmbedder({ threads: 2 });
      const texts = Array.from({ length: 6 }, (_, i) => 'word '.repeat(150) + i);
      const vectors = await embedder.embed(texts, { purpose: 'passage' });
      const [query] = await embedder.embed(['word'], { purpose: 'query' });
      console.log(vectors.length, query.length);
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      {
        timeout: 50_000,
      },
    );
    expect(stdout.trim()).toBe('6 384');
  });
});
