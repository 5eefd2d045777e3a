import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createLocalEmbedder } from './local.ts';
import { SELF_TEST_DIGEST, testKernel } from './model/kernel.ts';

const LOCAL = fileURLToPath(new URL('local.ts', import.meta.url));

/** Embeds 40 texts in a process of its own, twice, and prints the digest of all vectors of the second time. */
const SCRIPT = `
  import { createHash } from 'node:crypto';
  const { createLocalEmbedder } = await import(${JSON.stringify(LOCAL)});
  const embedder = createLocalEmbedder({ threads: 1, revectorize: process.argv[1] === 'on' });
  const texts = Array.from({ length: 40 }, (_, i) => 'Größe ' + i + ': ' + 'the oven moves to the wall; '.repeat(i));
  await embedder.embed(texts, { purpose: 'passage' });
  await embedder.embed(texts.slice(0, 3), { purpose: 'query' });
  const vectors = await embedder.embed(texts, { purpose: 'passage' });
  const digest = createHash('sha256');
  for (const vector of vectors) digest.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  console.log(digest.digest('hex'));
  await embedder.close();
`;

function digestOf(revectorize: 'on' | 'off'): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT, revectorize], {
    encoding: 'utf8',
  }).trim();
}

describe('revectorization', () => {
  it('changes no bit of a vector', () => {
    const digest = digestOf('off');
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf('on')).toBe(digest);
  });
});

describe('testKernel', () => {
  it('accepts the vectors of this machine', async () => {
    const embedder = createLocalEmbedder({ threads: 1 });
    let text = '';
    const remember = (texts: readonly string[]): Float32Array => {
      text = texts[0]!;
      return new Float32Array();
    };
    expect(() => testKernel({ embed: remember })).toThrow('computes wrong vectors');
    expect(embedder.countTokens(text)).toBeLessThanOrEqual(embedder.maxTokens);
    const [vector] = await embedder.embed([text], { purpose: 'passage' });
    await embedder.close();
    let runs = 0;
    testKernel({
      embed: () => {
        runs++;
        return vector!;
      },
    });
    expect(runs).toBeGreaterThan(1);
    expect(SELF_TEST_DIGEST).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names the setting when a single bit differs, also in a later run', async () => {
    const embedder = createLocalEmbedder({ threads: 1 });
    const vectors: Float32Array[] = [];
    const texts: string[] = [];
    expect(() => testKernel({ embed: ([text = '']) => (texts.push(text), new Float32Array()) })).toThrow();
    vectors.push(...(await embedder.embed(texts, { purpose: 'passage' })));
    await embedder.close();
    const wrong = vectors[0]!.slice();
    new Uint32Array(wrong.buffer)[100]! ^= 1;
    const runs = [vectors[0]!, wrong];
    expect(() => testKernel({ embed: () => runs.shift()! })).toThrow(
      expect.objectContaining({
        code: 'embedding_unavailable',
        hint: expect.stringContaining('embedding.revectorize'),
      }),
    );
  });
});
