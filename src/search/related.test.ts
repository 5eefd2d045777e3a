import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Life, lifeOf } from '../../test/contract/life-samples.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, NOW, write } from '../../test/contract/store-samples.ts';
import { analyze } from '../core/text/analyze.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { embedPending } from '../ingest/embed.ts';
import type { RecordDraft, RecordWrite } from '../store/model.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import type { SearchFilter } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { deriveBelongsTo } from './belongs-to.ts';
import { confidenceOf } from './rank/confidence.ts';
import { DEFAULT_RANKING, SOURCE_POLICY, type SourcePolicies } from './rank/ranking.ts';
import type { VectorIndexRef } from './run.ts';
import { runSearch } from './search.ts';

let embedder: Embedder;
beforeAll(async () => {
  embedder = (await openEmbedder({ provider: 'local' }))!;
});
afterAll(() => embedder.close());

const todo = (text: string, overrides: Partial<RecordDraft> = {}): RecordWrite =>
  note(text, { title: '', origin: 'source', source: 'tasks', trust: 'external', ...overrides });

const NOTES = [
  note('The kitchen remodel: new cabinets come on Monday, the hall must be free then. See [[Tiles]].', {
    title: 'Kitchen remodel',
    key: 'Kitchen remodel.md',
    metadata: { links: [{ target: 'Tiles' }] },
  }),
  note('Samples from three shops; the blue ones are out of stock until May.', {
    title: 'Tiles',
    key: 'Tiles.md',
  }),
  ...Array.from({ length: 12 }, (_, i) =>
    note(`Sourdough, loaf ${String(i)}: flour, water and salt.`, { title: `Loaf ${String(i)}` }),
  ),
];
function notesWithTilesIn(project: string): RecordWrite[] {
  return NOTES.map((each) =>
    each.draft.title === 'Tiles' ? { ...each, draft: { ...each.draft, project } } : each,
  );
}

const TODOS = [
  todo('Clear the hall for the cabinets'),
  todo('New handles for the cabinets by Monday'),
  todo('New handles for the cabinets by Monday!', { metadata: { completed: true } }),
  todo('buy tile samples from the shops'),
  todo('Renew the passports for Lisbon'),
  todo('Worm tablet for the dog'),
];

async function embedAll(store: Store): Promise<number> {
  const { provider, model, dimensions } = embedder;
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { provider, model, dimensions } });
  await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
  await embedPending(store, embedder, id);
  return id;
}

describe('relatedDocuments', () => {
  interface RelatedOptions {
    readonly except?: readonly string[];
    readonly limit?: number;
    readonly policies?: SourcePolicies;
    readonly filter?: SearchFilter;
    readonly vectors?: boolean;
    readonly query?: string;
    readonly tilesProject?: string;
  }

  /** Stores that are only read, by their project of tiles and whether they have vectors. */
  const stores = new Map<string, ReturnType<typeof filled>>();

  async function filled(
    tilesProject: string,
    vectors: boolean,
  ): Promise<{ store: Store; index: VectorIndexRef | null }> {
    const store = openSqliteInMemory();
    await write(store, 'n', ...notesWithTilesIn(tilesProject), ...TODOS);
    const generation = await embedAll(store);
    const index = vectors ? { embedder, generation } : null;
    await deriveBelongsTo({ store, namespace: 'n', vectors: index, excludedSources: [], now: NOW });
    return { store, index };
  }

  async function related(options: RelatedOptions = {}): Promise<Record<string, string>> {
    const { except = [], limit = 5, policies, filter = ALL_LIVE, vectors = true } = options;
    const project = options.tilesProject ?? 'default';
    const kind = `${project} ${String(vectors)}`;
    stores.set(kind, stores.get(kind) ?? filled(project, vectors));
    const { store, index } = await stores.get(kind)!;
    const outcome = await runSearch({
      ...{ store, namespace: 'n', query: options.query ?? 'the kitchen remodel', filter, limit: 3 },
      ...{ ranking: DEFAULT_RANKING, vectors: index, operators: true },
      related: { resultLimit: 3, limit, excludedSources: except },
      ...(policies !== undefined && { policies }),
    });
    const shown = new Set(outcome.hits.map(({ passage }) => passage.record.id));
    expect(outcome.related.every(({ passage }) => !shown.has(passage.record.id))).toBe(true);
    for (const { confidence, confidenceParts } of outcome.related)
      expect(confidence).toBeCloseTo(confidenceOf(confidenceParts), 9);
    return Object.fromEntries(
      outcome.related.map(({ passage, belongsTo }) => [passage.text, belongsTo.title]),
    );
  }

  it('are open documents that find the best note first, or a note that it links to (S15)', async () => {
    expect(await related()).toEqual({
      'Clear the hall for the cabinets': 'Kitchen remodel',
      'New handles for the cabinets by Monday': 'Kitchen remodel',
      'buy tile samples from the shops': 'Tiles',
    });
  });

  it('are found by words alone without a model', async () => {
    expect(Object.keys(await related({ vectors: false }))).toContain('buy tile samples from the shops');
  });

  it('leave out those of a linked note that the filter excludes', async () => {
    const filter = { ...ALL_LIVE, project: 'default' };
    const linked = 'buy tile samples from the shops';
    expect(Object.keys(await related({ filter }))).toContain(linked);
    const without = Object.keys(await related({ filter, tilesProject: 'secret' }));
    expect(without).toContain('Clear the hall for the cabinets');
    expect(without).not.toContain(linked);
  });

  it('leave out what the operators of the query exclude', async () => {
    const found = async (operators: string): Promise<string[]> =>
      Object.keys(await related({ query: `the kitchen remodel ${operators}` }));
    expect(await found('-handles')).toEqual([
      'Clear the hall for the cabinets',
      'buy tile samples from the shops',
    ]);
    expect(await found('path:kitchen')).toEqual([]);
  });

  it('obey the limit', async () => expect(Object.keys(await related({ limit: 1 }))).toHaveLength(1));

  it('are none when the filter excludes sources, or no document has the required phrase', async () => {
    expect(await related({ filter: { ...ALL_LIVE, origins: ['vault'] } })).toEqual({});
    expect(await related({ query: '"kitchen remodel"' })).toEqual({});
  });

  it('leave out excluded sources', async () => expect(await related({ except: ['tasks'] })).toEqual({}));

  it('leave out documents below the minimum score of their source', async () => {
    const strict = new Map([['tasks', { ...SOURCE_POLICY, minScore: 0.999 }]]);
    expect(await related({ policies: strict })).toEqual({});
  });

  it('are none when no note answers the query', async () =>
    expect(await related({ query: 'quarterly earnings of the zoo' })).toEqual({}));
});

it('a document belongs to the only note there is if ordinary sentences are further from it', async () => {
  const related = async (text: string): Promise<Record<string, number>> => {
    const store = openSqliteInMemory();
    await write(store, 'n', note(text, { title: 'Kitchen remodel' }));
    await write(store, 'n', todo('buy tile samples'), todo('Pay the new invoice on Monday'));
    const vectors = { embedder, generation: await embedAll(store) };
    await deriveBelongsTo({ store, namespace: 'n', vectors, excludedSources: [], now: NOW });
    const { related: found } = await runSearch({
      ...{ store, namespace: 'n', query: 'the kitchen remodel', filter: ALL_LIVE, limit: 1, vectors },
      ...{ ranking: DEFAULT_RANKING, related: { resultLimit: 1, limit: 5, excludedSources: [] } },
    });
    return Object.fromEntries(found.map(({ passage, confidence }) => [passage.text, confidence]));
  };
  const text = 'A floor of porcelain tile. The joiner comes on Monday with the new doors.';
  expect(Object.keys(await related(text))).toEqual(['buy tile samples']);
  expect(await related('The floor is oak. The joiner measures the doors.')).toEqual({});
});

/** Subjects of notes that have nothing to do with tiles, and what is said of them. */
const SUBJECTS = [
  'The piano,needs tuning,twice a year;the felt under the pedals is worn',
  'Grandmother,her pills,the pharmacy on the square sorts them into weeks',
  'The allotment,leeks and chard,the water butt leaks at the tap',
  'Norwegian,lesson nine,the words for weather and the modal verbs',
  'The bicycle,a new chain,the rear wheel rubs on the left side',
  'Choir,the Fauré requiem,second tenors come in too early on page twelve',
  'Income tax,receipts,the train tickets to Ghent count as travel',
  'The cat,her thyroid,half a pellet in the evening with fish paste',
  'Book club,the Portuguese novel,nobody got past the first chapter',
  'Balcony,tomatoes,the north corner has no sun before eleven',
  'School,parents evening,ask about the maths teacher and the heating',
  'Running,the half marathon,no speed work until the knee is quiet',
  'The car,winter tyres,the garage keeps them until November',
  'Wine,the cellar list,the Riesling of the wet year is to be drunk first',
  'Photography,the darkroom,fixer has to be changed after forty prints',
];

/** Notes that a person may have written, each about another subject or another day. */
function otherNotes(count: number): RecordWrite[] {
  return Array.from({ length: count }, (_, i) => {
    const [subject = '', matter = '', detail = ''] = SUBJECTS[i % SUBJECTS.length]!.split(',');
    const round = Math.floor(i / SUBJECTS.length);
    const title = round === 0 ? subject : `${subject}, entry ${String(round)}`;
    return note(`${subject}: ${matter}. ${detail}. Noted for the ${String(round + 1)}th time.`, { title });
  });
}

describe('the todo "buy tile samples from Home Depot" (S15)', () => {
  it.each([2, 30, 200])(
    'is related to the kitchen remodel among %i notes',
    { timeout: 180_000 },
    async (size) => {
      const store = openSqliteInMemory();
      const remodel = note(
        'Cabinets from the joiner in Weston, paid to a third. The wall behind the hob gets a tile backsplash, colour open.',
        { title: 'Kitchen remodel' },
      );
      await write(store, 'n', remodel, ...otherNotes(size - 1), todo('buy tile samples from Home Depot'));
      await write(store, 'n', todo('worm tablet for the dog'), todo('renew the library card'));
      const generation = await embedAll(store);
      const vectors = { embedder, generation };
      await deriveBelongsTo({ store, namespace: 'n', vectors, excludedSources: [], now: NOW });
      const search = async (query: string, limit: number): Promise<string[]> => {
        const { hits, related } = await runSearch({
          ...{ store, namespace: 'n', query, filter: ALL_LIVE, limit, ranking: DEFAULT_RANKING, vectors },
          related: { resultLimit: limit, limit: 5, excludedSources: [] },
        });
        const shown = [...hits, ...related].filter(({ passage }) => passage.record.origin === 'source');
        return shown.map(({ passage }) => passage.text);
      };
      expect(await search("let's talk about the kitchen remodel", 1)).toEqual([
        'buy tile samples from Home Depot',
      ]);
      expect(await search("let's talk about the piano", 1)).toEqual([]);
    },
  );
});

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
  let generation: number;

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
    await write(store, 'n', remodel(WORDINGS[0]!), ...notes.map(({ title, text }) => note(text, { title })));
    await write(store, 'n', ...[TODO, ...todos].map((text) => todo(text)));
    generation = await embedAll(store);
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
    ['small', lifeOf(1, 5), WORDINGS],
    ['large', lifeOf(4), WORDINGS.slice(0, 2)],
  ])(
    'is related to the note in a %s life, however the sentence is worded, and no other todo is',
    { timeout: 300_000 },
    async (_, life, wordings) => {
      const store = await filled(life);
      for (const wording of wordings) {
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
