import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import {
  addVectors,
  ALL_LIVE,
  embed,
  matchingPassages,
  note,
  unit,
  write,
} from '../../test/contract/store-samples.ts';
import { LociError } from '../core/errors.ts';
import type { Embedder } from '../embed/embedder.ts';
import { RefusedTextsError } from '../embed/embedder.ts';
import type { Store } from '../store/store.ts';
import { ORDINARY_SENTENCES, SentenceCosines } from './sentence-cosines.ts';

const EAST: Float32Array = unit(1, 0, 0);

/** Embeds texts about tiles to the east, and others to the north. Records what it is asked. */
class Model implements Embedder {
  readonly provider = 'test';
  readonly model = 'm';
  readonly dimensions = 3;
  readonly maxTokens = 100;
  readonly calls: (readonly string[])[] = [];
  failure: ((texts: readonly string[]) => Error | null) | null = null;

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.calls.push(texts);
    const error = this.failure?.(texts) ?? null;
    return error === null ? Promise.resolve(texts.map(vectorOf)) : Promise.reject(error);
  }
  countTokens(text: string): number {
    return text.length;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

function vectorOf(text: string): Float32Array {
  return text.includes('tiles') ? EAST : unit(0, 1, 0);
}

describe('SentenceCosines', () => {
  async function filled(...texts: string[]): Promise<{ store: Store; generation: number }> {
    const store = openSqliteInMemory();
    await write(store, 'n', ...texts.map((text) => note(text, { title: 'Kitchen' })));
    const generation = await addVectors(store);
    await embed(store, generation, 'n', () => unit(1, 1, 1));
    return { store, generation };
  }

  async function cosines(
    { store, generation }: { readonly store: Store; readonly generation: number },
    sentences: SentenceCosines,
  ): Promise<number[]> {
    const ids = await matchingPassages(store, 'n', 'kitchen');
    const { passages } = await store.search.passages('n', ids, ALL_LIVE);
    const found = await sentences.of(passages, { generation, vector: EAST });
    const inOrder = passages.toSorted((a, b) => a.id - b.id);
    return inOrder.flatMap(({ hash }) => (found.has(hash) ? [Math.round(100 * found.get(hash)!) / 100] : []));
  }

  const open = (index: { store: Store; generation: number }, embedder: Embedder): SentenceCosines =>
    new SentenceCosines({ store: index.store, namespace: 'n', vectors: { ...index, embedder } });

  it('are those of the best sentence, which is embedded once with the title', async () => {
    const index = await filled('Cabinets in May. A backsplash of tiles.', 'The floor. The lamps.');
    const model = new Model();
    expect(await cosines(index, open(index, model))).toEqual([1, 0]);
    const texts = ['Cabinets in May.', 'A backsplash of tiles.', 'The floor.', 'The lamps.'];
    expect(model.calls).toEqual([texts.map((text) => `Kitchen: ${text}`)]);
    // Another process, or this one after a restart.
    expect(await cosines(index, open(index, model))).toEqual([1, 0]);
    expect(model.calls).toHaveLength(1);
  });

  it('are none for a passage of one sentence', async () => {
    const index = await filled('A backsplash of tiles.');
    const model = new Model();
    expect(await cosines(index, open(index, model))).toEqual([]);
    expect(model.calls).toEqual([]);
  });

  it('are limited to the first sentences of a passage', async () => {
    const index = await filled('Go. '.repeat(500));
    const model = new Model();
    await cosines(index, open(index, model));
    expect(model.calls.flat().length).toBeLessThanOrEqual(24);
  });

  it('are those of stored sentences while the model is down, which is tried once', async () => {
    const index = await filled('Cabinets. Pale tiles.');
    const model = new Model();
    await cosines(index, open(index, model));
    await write(index.store, 'n', note('The floor. The tiles.', { title: 'Kitchen' }));
    await embed(index.store, index.generation, 'n', () => unit(1, 1, 1));
    model.failure = () => new LociError('embedding_unavailable', 'down');
    const sentences = open(index, model);
    expect(await cosines(index, sentences)).toEqual([1]);
    expect(await cosines(index, sentences)).toEqual([1]);
    expect(model.calls).toHaveLength(2);
    model.failure = null;
    expect(await cosines(index, open(index, model))).toEqual([1, 1]);
  });

  it('are those of the other sentences if the provider refuses some, and these are not sent again', async () => {
    const index = await filled('Cabinets. Pale tiles. Bad words.');
    const model = new Model();
    model.failure = (texts) =>
      new RefusedTextsError(texts.map((text) => (text.includes('Bad') ? 'refused' : vectorOf(text))));
    expect(await cosines(index, open(index, model))).toEqual([1]);
    expect(await cosines(index, open(index, model))).toEqual([1]);
    expect(model.calls).toHaveLength(1);
  });

  it('are asked for again after the provider refused all of them', async () => {
    const index = await filled('Cabinets. Pale tiles.');
    const model = new Model();
    model.failure = (texts) => new RefusedTextsError(texts.map(() => 'HTTP 500'));
    expect(await cosines(index, open(index, model))).toEqual([]);
    model.failure = null;
    expect(await cosines(index, open(index, model))).toEqual([1]);
  });

  it('with ordinary sentences need the model once, and none while it is down', async () => {
    const index = await filled('A backsplash of tiles.');
    const model = new Model();
    const query = { generation: index.generation, vector: EAST };
    model.failure = () => new LociError('embedding_unavailable', 'down');
    expect(await open(index, model).ofOrdinary(query)).toBeNull();
    model.failure = null;
    const found = await open(index, model).ofOrdinary(query);
    expect(found).toHaveLength(ORDINARY_SENTENCES.length);
    expect(await open(index, model).ofOrdinary(query)).toEqual(found);
    expect(model.calls).toEqual([ORDINARY_SENTENCES, ORDINARY_SENTENCES]);
  });

  it('fail when the caller aborts', async () => {
    const index = await filled('Cabinets. Pale tiles.');
    const model = new Model();
    model.failure = () => new LociError('aborted', 'stopped');
    await expect(cosines(index, open(index, model))).rejects.toMatchObject({ code: 'aborted' });
  });
});
