import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lifeOf, type Life } from '../../test/contract/life-samples.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, NOW, write } from '../../test/contract/store-samples.ts';
import { analyze } from '../core/text/analyze.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { embedPending } from '../ingest/embed.ts';
import type { RecordWrite } from '../store/model.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import type { Store } from '../store/store.ts';
import { deriveBelongsTo } from './belongs-to.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import { runSearch } from './search.ts';

const TODO = 'buy tile samples from Home Depot';
const WORDINGS = [
  'A backsplash of tiles along the counter.',
  'The wall behind the hob gets tiles, colour still open.',
  'Tiles behind the stove come last, after the electrician.',
  'Anna prefers glazed tile between counter and cupboards.',
  'Order of work: plumbing, plaster, worktop, then tiles up to the shelf.',
  'We have not chosen the tiles for the splash area: white or sage green.',
  'No paint above the worktop but tile, because of the steam.',
  'A porcelain tile floor with heating under it.',
  'Grey tile or wood for the floor, Anna decides.',
  'The old tiles come off in the first week.',
];

function remodel(wording: string): RecordWrite {
  const text = `Cabinets from the joiner in Weston, a third is paid. ${wording} New sockets before plastering. The budget is 14,000 with the floor.`;
  return note(text, { title: 'Kitchen remodel', uuid: 'remodel' });
}

describe('a todo that has one word of one sentence of a note', () => {
  let embedder: Embedder;
  let generation: number;

  beforeAll(async () => {
    embedder = (await openEmbedder({ provider: 'local' }))!;
  });

  afterAll(() => embedder.close());

  it.each(WORDINGS)('is not repeated in: %s', (wording) => {
    const words = new Set(analyze(TODO.replace('from', '')).map(({ term }) => term));
    const { draft } = remodel(wording);
    const repeated = analyze(`${draft.title} ${draft.content}`).filter(({ term }) => words.has(term));
    expect(repeated).toHaveLength(1);
  });

  async function embedAndDerive(store: Store): Promise<void> {
    await embedPending(store, embedder, generation);
    const vectors = { embedder, generation };
    await deriveBelongsTo({ store, namespace: 'n', vectors, excludedSources: [], now: NOW });
  }

  async function filled({ notes, todos }: Life): Promise<Store> {
    const store = openSqliteInMemory();
    const documents = [TODO, ...todos].map((text) =>
      note(text, { title: '', origin: 'source', source: 'tasks', trust: 'external' }),
    );
    await write(store, 'n', remodel(WORDINGS[0]!), ...notes.map(({ title, text }) => note(text, { title })));
    await write(store, 'n', ...documents);
    const { provider, model, dimensions } = embedder;
    const added = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
      add: { provider, model, dimensions },
    });
    generation = added.id;
    await embedAndDerive(store);
    return store;
  }

  /** The documents among ten results, and those that are related. */
  async function shown(store: Store, query: string): Promise<string[]> {
    const { hits, related } = await runSearch({
      ...{ store, namespace: 'n', query, filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING },
      vectors: { embedder, generation },
      related: { resultLimit: 10, limit: 5, excludedSources: [] },
    });
    const documents = [...hits, ...related].filter(({ passage }) => passage.record.origin === 'source');
    return documents.map(({ passage }) => passage.text);
  }

  it.each([
    ['small', lifeOf(1, 5)],
    ['large', lifeOf(8)],
  ])(
    'is related to the note in a %s life, however the sentence is worded, and no other todo is',
    { timeout: 300_000 },
    async (_, life) => {
      const store = await filled(life);
      for (const wording of WORDINGS) {
        await store.records.commit('n', { writes: [{ ...remodel(wording), id: 1 }] });
        await embedAndDerive(store);
        expect([wording, await shown(store, "let's talk about the kitchen remodel")]).toEqual([
          wording,
          [TODO],
        ]);
      }
    },
  );

  it('stays related to the note when a daily note quotes it', { timeout: 60_000 }, async () => {
    const { notes, todos } = lifeOf(1, 5);
    const daily = { title: '2026-11-20', text: `Rain all day.\n\n- [ ] ${TODO}\n- [ ] Water the plants` };
    const store = await filled({ notes: [...notes, daily], todos });
    expect(await shown(store, "let's talk about the kitchen remodel")).toEqual([TODO]);
  });
});
