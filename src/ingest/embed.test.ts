import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LociError } from '../core/errors.ts';
import type { Progress } from '../core/progress.ts';
import type { Embedder } from '../embed/embedder.ts';
import { requireVectors } from '../embed/embedder.ts';
import type { Store } from '../store/store.ts';
import { countAllPending, embedPending, embedRecord, Refusals } from './embed.ts';
import { newDraft } from './record-draft.ts';
import { chunking, estimateModelTokens } from './passages.ts';

const NOW = Date.UTC(2026, 10, 22);
const CHUNKING = chunking('estimate', { maxTokens: 200, countTokens: estimateModelTokens });

let store: Store;
let generation: number;
let calls: string[][];

beforeEach(async () => {
  store = openSqliteInMemory();
  generation = (
    await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { provider: 'p', model: 'm', dimensions: 2 } })
  ).id;
  calls = [];
});

afterEach(() => store.close());

/** A fake embedder that fails after `failAt` calls. */
function embedder(failAt = Infinity): Embedder {
  return {
    provider: 'p',
    model: 'm',
    dimensions: 2,
    maxTokens: 256,
    countTokens: estimateModelTokens,
    embed: async (texts) => {
      if (calls.length >= failAt) throw new LociError('embedding_unavailable', 'the provider is down');
      calls.push([...texts]);
      return texts.map(() => new Float32Array([1, 0]));
    },
    close: async () => undefined,
  };
}

async function write(contents: readonly string[], namespace = 'n', metadata = {}): Promise<number[]> {
  const writes = contents.map(async (content) => {
    const draft = newDraft(
      {
        ...{ content, title: '', project: 'default', origin: 'memory', source: 'library', trust: 'operator' },
        ...{ key: null, category: 'general', recordType: 'fact', tags: [], metadata },
        ...{ createdAt: NOW, expiresAt: null },
      },
      NOW,
    );
    return { id: null, draft, passages: await CHUNKING.cut(draft) };
  });
  return store.records.commit(namespace, { writes: await Promise.all(writes), chunking: CHUNKING.signature });
}

describe('embedPending', () => {
  it('embeds each text once in each namespace, and embeds nothing again in a second run', async () => {
    await write(['oven', 'oven', 'tiles']);
    await write(['oven'], 'other');
    const progress: Progress[] = [];
    const onProgress = (report: Progress): void => void progress.push(report);
    const done = await embedPending(store, embedder(), generation, { onProgress });
    expect(calls.flat().toSorted()).toEqual(['oven', 'oven', 'tiles']);
    expect(done).toBe(3);
    expect(await countAllPending(store, generation)).toBe(0);
    const work = { done: 'oventilesoven'.length, total: 'oventilesoven'.length };
    expect(progress.at(-1)).toEqual({ stage: 'embedding', subject: '', done: 3, total: 3, work });
    expect(await embedPending(store, embedder(), generation)).toBe(0);
    expect(calls).toHaveLength(2);
  });

  it('embeds the statements of the messages of users as well, except for refused ones', async () => {
    const message = 'Which tiles are hard? I live in Basel now.\nI like grey!';
    const pasted = Array.from({ length: 7 }, (_, n) => `Sentence ${String(n)}.`).join('\n');
    await write([message, pasted, 'I like grey.'], 'n', { role: 'user', session: 's' });
    await write(['Take grey ones. They are hard.'], 'n', { role: 'assistant', session: 's' });
    await write(['I am a note. I say two things.'], 'n', { role: 'user' });
    const hashOf = new Map(
      (await store.vectors.pending('n', generation, { limit: 9 })).passages.map(({ hash, text }) => [
        text,
        hash,
      ]),
    );
    const refusing: Embedder = {
      ...embedder(),
      embed: async (texts) => {
        calls.push([...texts]);
        return requireVectors(
          texts.map((text) =>
            text === 'I like grey!' ? 'because' : new Float32Array(text === message ? [1, 0] : [0, 1]),
          ),
        );
      },
    };
    expect(await embedPending(store, refusing, generation)).toBe(5);
    expect(calls.flat().filter((text) => !hashOf.has(text))).toEqual([
      'I live in Basel now.',
      'I like grey!',
    ]);
    const sentences = await store.vectors.sentences('n', generation, [...hashOf.values()]);
    expect([...sentences]).toEqual([[hashOf.get(message), [new Float32Array([0, 1])]]]);
  });

  it('keeps the finished batches when the provider fails, and continues with the rest', async () => {
    await write(Array.from({ length: 300 }, (_, n) => `text ${String(n)}`));
    const failing = embedPending(store, embedder(2), generation);
    await expect(failing).rejects.toMatchObject({ code: 'embedding_unavailable' });
    const done = calls.flat().length;
    expect([calls.length, (await store.vectors.pending('n', generation, { totals: true })).texts]).toEqual([
      2,
      300 - done,
    ]);
    expect(await embedPending(store, embedder(), generation)).toBe(300 - done);
    expect(new Set(calls.flat()).size).toBe(calls.flat().length);
  });

  it('ends, and sends each text once, when there are more refused passages than fit into a round', async () => {
    // The same content is in many records, and before all others.
    await write([...Array.from({ length: 5000 }, () => 'refused'), 'oven', 'tiles']);
    const refusing: Embedder = {
      ...embedder(),
      embed: (texts) => {
        calls.push([...texts]);
        const results = texts.map((text) => (text === 'refused' ? 'because' : new Float32Array([1, 0])));
        return Promise.resolve().then(() => requireVectors(results));
      },
    };
    const refusals = new Refusals();
    const progress: Progress[] = [];
    const onProgress = (report: Progress): void => void progress.push(report);
    expect(await embedPending(store, refusing, generation, { refusals, onProgress })).toBe(2);
    expect(calls.flat().toSorted()).toEqual(['oven', 'refused', 'tiles']);
    expect(progress.at(-1)).toMatchObject({ done: 3, total: 3 });
    expect(refusals.texts).toMatchObject([{ namespace: 'n', why: 'because' }]);
    expect(await embedPending(store, refusing, generation, { refusals })).toBe(0);
    expect(calls.flat()).toHaveLength(3);
  });

  it('stops between batches when the signal fires', async () => {
    await write(Array.from({ length: 300 }, (_, n) => `text ${String(n)}`));
    const stop = new AbortController();
    const options = { signal: stop.signal, onProgress: ({ done }: Progress) => done > 0 && stop.abort() };
    await expect(embedPending(store, embedder(), generation, options)).rejects.toMatchObject({
      code: 'aborted',
    });
    expect((await store.vectors.pending('n', generation, { totals: true })).texts).toBe(
      300 - calls[0]!.length,
    );
    expect(calls.flat().length).toBeLessThan(300);
  });

  it('goes on with the other namespaces when one is deleted meanwhile', async () => {
    await write(['oven'], 'deleted');
    await write(['tiles'], 'other');
    const fake = embedder();
    const by = { at: NOW, actor: 'operator', surface: 'cli' };
    const deleting: Embedder = {
      ...fake,
      embed: async (texts, options) => {
        if (calls.length === 0) await store.admin.removeNamespace('deleted', { by, limit: 1, after: null });
        return fake.embed(texts, options);
      },
    };
    expect(await embedPending(store, deleting, generation)).toBe(1);
    expect(await store.admin.stats('other')).toMatchObject({ vectors: 1 });
  });

  it('gives the model the next batch before the last one is finished', async () => {
    await write(Array.from({ length: 300 }, (_, n) => `text ${String(n)}`));
    const fake = embedder();
    const second = Promise.withResolvers<undefined>();
    const waiting: Embedder = {
      ...fake,
      embed: async (texts, options) => {
        const vectors = await fake.embed(texts, options);
        if (calls.length > 1) second.resolve(undefined);
        await second.promise;
        return vectors;
      },
    };
    expect(await embedPending(store, waiting, generation)).toBe(300);
    expect(new Set(calls.flat()).size).toBe(300);
  });
});

describe('embedRecord', () => {
  it('embeds the passages of one record, and leaves the others pending', async () => {
    await write(['waiting']);
    const [id] = await write(['oven']);
    const passages = (await store.records.passagesOf('n', [id!])).get(id!)!;
    const record = { namespace: 'n', title: '', metadata: {} };
    await embedRecord(store, embedder(), generation, record, [...passages, ...passages]);
    expect(calls).toEqual([['oven']]);
    expect((await store.vectors.pending('n', generation, { totals: true })).texts).toBe(1);
  });
});
