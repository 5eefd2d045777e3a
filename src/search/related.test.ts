import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_LIVE, note, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { embedPending } from '../ingest/embed.ts';
import type { RecordDraft, RecordWrite } from '../store/model.ts';
import type { SearchFilter } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { relatedDocuments } from './related.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import { runSearch } from './search.ts';
import { SOURCE_POLICY, effectiveWeight, type SourcePolicies } from './rank/source-policy.ts';

const todo = (text: string, overrides: Partial<RecordDraft> = {}): RecordWrite =>
  note(text, { title: '', origin: 'source', source: 'tasks', trust: 'external', ...overrides });

const NOTES = [
  note('The kitchen remodel: new cabinets come on Monday, the hall must be free then.', {
    title: 'Kitchen remodel',
  }),
  ...Array.from({ length: 12 }, (_, i) =>
    note(`The kitchen remodel, week ${String(i)}: walls, floor and tiles.`, { title: `Week ${String(i)}` }),
  ),
];
const TODOS = [
  todo('Clear the hall for the cabinets'),
  todo('Order handles for the cabinets of the remodel'),
  todo('Order handles for the cabinets of the remodel!', { metadata: { completed: true } }),
  todo('Renew the passports for Lisbon'),
  todo('Worm tablet for the dog'),
];

describe('relatedDocuments', () => {
  let embedder: Embedder;

  beforeAll(async () => {
    embedder = (await openEmbedder({ provider: 'local' }))!;
  });

  afterAll(() => embedder.close());

  interface RelatedOptions {
    readonly except?: readonly string[];
    readonly limit?: number;
    readonly policies?: SourcePolicies;
    readonly filter?: SearchFilter;
    readonly vectors?: boolean;
    readonly query?: string;
  }

  /** A store of the notes and todos with their vectors. */
  async function filled(): Promise<{ store: Store; generation: number }> {
    const store = openSqliteInMemory();
    await write(store, 'n', ...NOTES, ...TODOS);
    const { provider, model, dimensions } = embedder;
    const generation = (await store.vectors.addGeneration(ADMIN_NAMESPACE, { provider, model, dimensions }))
      .id;
    await store.vectors.activateGeneration(ADMIN_NAMESPACE, generation);
    await embedPending(store, embedder, generation);
    return { store, generation };
  }

  async function related(options: RelatedOptions = {}): Promise<string[]> {
    const {
      except = [],
      limit = 5,
      policies,
      filter = ALL_LIVE,
      vectors = true,
      query = 'the kitchen remodel',
    } = options;
    const { store, generation } = await filled();
    const outcome = await runSearch({
      ...{ store, namespace: 'n', query, filter, limit, ranking: DEFAULT_RANKING },
      vectors: vectors ? { embedder, generation } : null,
      related: { resultLimit: limit, limit: 5, excludedSources: except },
      ...(policies !== undefined && { policies }),
    });
    const shown = new Set(outcome.hits.map(({ passage }) => passage.record.id));
    expect(outcome.related.every(({ passage }) => !shown.has(passage.record.id))).toBe(true);
    return outcome.related.map(({ passage }) => passage.text);
  }

  it('finds a document that shares words with the best note but none with the query', async () => {
    const texts = await related();
    expect(texts).toContain('Clear the hall for the cabinets');
    expect(texts).toContain('Order handles for the cabinets of the remodel');
    expect(texts).not.toContain('Worm tablet for the dog');
    expect(texts).not.toContain('Renew the passports for Lisbon');
  });

  it('obeys the limit, and ranks a completed document below an equal open one', async () => {
    const texts = await related();
    expect(texts.length).toBeLessThanOrEqual(5);
    const open = texts.indexOf('Order handles for the cabinets of the remodel');
    expect(open).toBeGreaterThanOrEqual(0);
    expect(texts.indexOf('Order handles for the cabinets of the remodel!')).toBeGreaterThan(open);
  });

  it('finds nothing when the filter excludes sources, or no document has the required phrase', async () => {
    expect(await related({ filter: { ...ALL_LIVE, origins: ['vault'] } })).toEqual([]);
    expect(await related({ query: '"kitchen remodel"' })).toEqual([]);
  });

  it('leaves out excluded sources', async () => expect(await related({ except: ['tasks'] })).toEqual([]));

  it('leaves out documents below the minimum score of their source', async () => {
    const strict = new Map([['tasks', { ...SOURCE_POLICY, minScore: 0.99 }]]);
    expect(await related({ policies: strict })).toEqual([]);
  });

  it('never has more confidence than the best result, for any weight of its source', async () => {
    const { store, generation } = await filled();
    const { run, hits, retrieved } = await runSearch({
      ...{ store, namespace: 'n', filter: ALL_LIVE, vectors: { embedder, generation } },
      ...{ query: 'clear the hall for the cabinets', limit: 20, ranking: DEFAULT_RANKING },
    });
    // The todo is not in the ranking, as if a hundred notes ranked above it.
    const notes = hits.filter(({ passage }) => passage.record.origin === 'vault');
    const policies = new Map([['tasks', { ...SOURCE_POLICY, weight: 2 }]]);
    const related = { resultLimit: 5, limit: 5, excludedSources: [] };
    const found = await relatedDocuments({ ...run, policies, related }, notes, retrieved);
    expect(found[0]?.passage.text).toBe('Clear the hall for the cabinets');
    expect(found[0]?.answerConfidence.share).toBe(1);
    expect(found[0]?.confidence).toBe(notes[0]?.answerConfidence.confidence);
  });

  it('finds nothing when the results have a low confidence', async () =>
    expect(await related({ query: 'quarterly earnings of the zoo' })).toEqual([]));

  it('uses the ranking alone without vectors', async () => {
    const texts = await related({ vectors: false, limit: 1, query: 'handles for the cabinets' });
    expect(texts).toEqual(['Order handles for the cabinets of the remodel!']);
  });
});

describe('effectiveWeight', () => {
  it.each([
    ['as near as the best notes', 0.5, 0.5, 0.4],
    ['far from them', 0.1, 0.7, 0.4],
    ['nearer by the margin', 0.55, 0.5, 0.5],
    ['much nearer', 0.75, 0.5, 0.9],
    ['nearer still', 0.99, 0.5, 1],
  ])('depends on the cosine of the document: %s', (_, cosine, ofNotes, weight) =>
    expect(effectiveWeight(0.5, cosine, ofNotes)).toBeCloseTo(weight, 9),
  );

  it('is the configured weight without vectors, without notes, and from 1 on', () => {
    expect(effectiveWeight(0.5, null, 0.5)).toBe(0.5);
    expect(effectiveWeight(0.5, 0.9, null)).toBe(0.5);
    expect(effectiveWeight(1.5, 0.9, 0.1)).toBe(1.5);
    expect(effectiveWeight(0, 0.9, 0.1)).toBe(0);
  });
});
