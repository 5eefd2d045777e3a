import { describe, expect, it } from 'vitest';
import { addVectors, embed, note, NOW, unit, write } from '../../test/contract/store-samples.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { deleteRecords } from '../../test/contract/written-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Store } from '../store/store.ts';
import { deriveBelongsTo } from './belongs-to.ts';
import { ORDINARY_SENTENCES } from './sentence-cosines.ts';

const NAMESPACE = 'n';
const SOURCE = { origin: 'source', source: 'tasks', title: '' } as const;

function derive(store: Store): Promise<number> {
  return deriveBelongsTo({ store, namespace: NAMESPACE, vectors: null, excludedSources: [], now: NOW });
}

/** The first note of a document. */
async function firstNote(store: Store, document: number): Promise<number | undefined> {
  const edges = await store.records.belongsTo(NAMESPACE, { documents: [document] });
  return edges.find(({ position }) => position === 1)?.note;
}

describe('deriveBelongsTo', () => {
  /** The notes 1 and 2, and the documents 3 and 4. */
  async function filled(): Promise<Store> {
    const store = openSqliteInMemory();
    await write(
      store,
      NAMESPACE,
      note('Tiles for the backsplash', { title: 'Tiles' }),
      note('Bread with rye flour', { title: 'Bread' }),
      note('buy tiles', SOURCE),
      note('order "rye flour" from the mill', SOURCE),
    );
    return store;
  }

  it('finds the note of each document, and has nothing to do afterwards', async () => {
    const store = await filled();
    expect(await derive(store)).toBe(2);
    expect([await firstNote(store, 3), await firstNote(store, 4)]).toEqual([1, 2]);
    expect(await derive(store)).toBe(0);
    const { lastChange, belongsTo } = await store.records.bounds(NAMESPACE);
    expect(belongsTo).toEqual({ upTo: lastChange, excludedSources: [], pass: null });
  });

  it('searches new documents again, and those that a new note concerns', async () => {
    const store = await filled();
    await derive(store);
    await write(store, NAMESPACE, note('wash the car', SOURCE));
    expect(await derive(store)).toBe(1);
    expect(await firstNote(store, 5)).toBeUndefined();
    await write(store, NAMESPACE, note('The car: wash it every spring, wax the car', { title: 'Car' }));
    expect(await derive(store)).toBe(1);
    expect(await firstNote(store, 5)).toBe(6);
    expect([await firstNote(store, 3), await firstNote(store, 4)]).toEqual([1, 2]);
  });

  it('searches the documents again that only the end of a new note concerns', async () => {
    const store = await filled();
    const bread = Array.from({ length: 40 }, (_, i) => note(`bake rye bread, loaf ${String(i)}`, SOURCE));
    await write(store, NAMESPACE, ...bread, note('wash the car', SOURCE));
    await derive(store);
    const text = `${'Rye bread to bake. '.repeat(200)} The car: wash it every spring.`;
    await write(store, NAMESPACE, note(text, { title: 'Weekends' }));
    expect(await derive(store)).toBeLessThan(40 + 3);
    expect(await firstNote(store, 45)).toBe(46);
  });

  it('searches the documents of a deleted note again', async () => {
    const store = await filled();
    await write(store, NAMESPACE, note('Tiles, older note about buying', { title: 'Old' }));
    await derive(store);
    const first = (await firstNote(store, 3))!;
    await deleteRecords(store, NAMESPACE, first);
    expect(await firstNote(store, 3)).toBeUndefined();
    await derive(store);
    expect(await firstNote(store, 3)).toBe(first === 1 ? 5 : 1);
  });

  it('stops between documents when it is aborted, and continues later', async () => {
    const store = await filled();
    const signal = AbortSignal.abort();
    const options = { store, namespace: NAMESPACE, vectors: null, excludedSources: [], now: NOW, signal };
    await expect(deriveBelongsTo(options)).rejects.toMatchObject({ code: 'aborted' });
    expect(await derive(store)).toBe(2);
  });

  it('continues an interrupted pass over all documents, and then considers what changed meanwhile', async () => {
    const store = await filled();
    const many = Array.from({ length: 120 }, (_, i) => note(`call number ${String(i)}`, SOURCE));
    await write(store, NAMESPACE, ...many);
    const interruption = new AbortController();
    const run = (signal: AbortSignal | undefined, searched: number[]): Promise<number> =>
      deriveBelongsTo({
        ...{ store, namespace: NAMESPACE, vectors: null, excludedSources: [], now: NOW },
        ...(signal !== undefined && { signal }),
        onProgress: (progress) => {
          if (progress.stage !== 'relating') return;
          searched.push(progress.done);
          if (progress.done === 110) interruption.abort();
        },
      });
    await expect(run(interruption.signal, [])).rejects.toMatchObject({ code: 'aborted' });
    const { lastChange, belongsTo } = await store.records.bounds(NAMESPACE);
    expect(belongsTo).toMatchObject({ upTo: 0, pass: { upTo: lastChange, document: 102 } });
    expect(await firstNote(store, 3)).toBe(1);
    await write(store, NAMESPACE, note('Older tiles: buy tiles, buy more tiles', { title: 'Buy tiles' }));
    const searched: number[] = [];
    expect(await run(undefined, searched)).toBe(22 + 1);
    expect(searched).toEqual([...Array.from({ length: 22 }, (_, i) => i + 1), 1]);
    expect(await firstNote(store, 3)).toBe(125);
    expect(await derive(store)).toBe(0);
  });

  it('searches all documents again when other vaults are excluded than before', async () => {
    const store = await filled();
    const hidden = { origin: 'vault', source: 'Work', key: 'buy.md', title: 'Buy tiles' } as const;
    await write(store, NAMESPACE, note('buy tiles', hidden));
    const without = (...excludedSources: string[]): Promise<number> =>
      deriveBelongsTo({ store, namespace: NAMESPACE, vectors: null, excludedSources, now: NOW });
    expect(await without('Work')).toBe(2);
    expect(await firstNote(store, 3)).toBe(1);
    expect(await without('Work')).toBe(0);
    expect(await without()).toBe(2);
    expect(await firstNote(store, 3)).toBe(5);
  });

  describe('with vectors', () => {
    /** Embeds everything alike, and records the passages that it is asked for. */
    function model(passages: string[]): Embedder {
      return {
        ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 100 },
        embed: (texts, { purpose }) => {
          const isOrdinary = texts.length === ORDINARY_SENTENCES.length;
          if (purpose === 'passage' && !isOrdinary) passages.push(...texts);
          return Promise.resolve(texts.map(() => unit(1, 1, 1)));
        },
        countTokens: (text) => text.length,
        close: () => Promise.resolve(),
      };
    }

    async function deriveWith(
      store: Store,
      generation: number,
      without: readonly string[],
    ): Promise<string[]> {
      const embedded: string[] = [];
      await embed(store, generation, NAMESPACE, () => unit(1, 1, 1));
      await deriveBelongsTo({
        ...{ store, namespace: NAMESPACE, excludedSources: without, now: NOW },
        vectors: { embedder: model(embedded), generation },
      });
      return embedded;
    }

    it('embeds the sentences of notes once, and none of excluded vaults', async () => {
      const store = openSqliteInMemory();
      const hidden = { origin: 'vault', source: 'Work', key: 'hidden.md', title: 'Hidden' } as const;
      await write(
        store,
        NAMESPACE,
        note('Cabinets in May. Then the tiles.', { title: 'Kitchen' }),
        note('Secret tiles. For nobody.', hidden),
        note('buy tiles', SOURCE),
      );
      const generation = await addVectors(store);
      const kitchen = ['Kitchen: Cabinets in May.', 'Kitchen: Then the tiles.'];
      expect(await deriveWith(store, generation, ['Work'])).toEqual(kitchen);
      await write(store, NAMESPACE, note('order the tiles', SOURCE));
      expect(await deriveWith(store, generation, ['Work'])).toEqual([]);
      expect(await deriveWith(store, generation, [])).toEqual([
        'Hidden: Secret tiles.',
        'Hidden: For nobody.',
      ]);
    });

    it('embeds only the sentences of the best passage of a long note', async () => {
      const store = openSqliteInMemory();
      const passages = Array.from({ length: 500 }, (_, i) => `Chapter ${String(i)}. It rains. They wait.`);
      await write(store, NAMESPACE, note([...passages, 'Old tiles. In a chapel.'], { title: 'Novel' }));
      await write(store, NAMESPACE, note('buy tiles', SOURCE));
      const embedded = await deriveWith(store, await addVectors(store), []);
      expect(embedded).toEqual(['Novel: Old tiles.', 'Novel: In a chapel.']);
    });
  });

  it('does not treat a store without documents as unfinished', async () => {
    const store = openSqliteInMemory();
    await write(store, NAMESPACE, note('Tiles'));
    expect(await derive(store)).toBe(0);
    expect((await store.records.bounds(NAMESPACE)).belongsTo.upTo).toBe(1);
  });
});
