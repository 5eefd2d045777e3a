import { recordLinks } from '../../src/engine/browse/backlinks.ts';
import { showRecord } from '../../src/engine/browse/record-page.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { recallFact, listFacts, storeFact } from '../../src/engine/facts/facts.ts';
import { findPath, showNodes } from '../../src/engine/graph/show-nodes.ts';
import { updateRelations } from '../../src/engine/graph/update-relations.ts';
import { graphIndex } from '../../src/engine/packs/graph-index.ts';
import { graphPack } from '../../src/engine/packs/graph-pack.ts';
import { memoryPack } from '../../src/engine/packs/memory-pack.ts';
import { timeline } from '../../src/engine/packs/timeline.ts';
import { get } from '../../src/engine/records/get.ts';
import { search } from '../../src/engine/records/search.ts';
import { injectStartup, setStartup } from '../../src/engine/startup/startup.ts';
import { openInline, settings } from './engines.ts';
import { fillWithConversations } from './conversation-store.ts';

/** Tables of which a read may read no more than the rows that it asks for. */
export const KEYED_TABLES = [
  ...['record', 'passage', 'passage_text', 'embedding', 'sentence_vector', 'name', 'link', 'belongs_to'],
  ...['graph_node', 'graph_edge', 'concept_record', 'concept_name', 'concept_mention', 'item', 'audit'],
];

const SIZES = { turns: 20, notes: 300 };
const MODEL = { provider: 'openai-compatible', model: 'letters', dimensions: 8 };

/**
 * Opens an engine on a store of conversations.
 * @param server the address of a provider of `letterVectors(8)` in the format of OpenAI
 * @param store further settings of the store
 */
export function openConversations(
  folder: string,
  server: string,
  store: Readonly<Record<string, unknown>> = {},
): Promise<EngineContext> {
  const { path } = settings(folder).store;
  return openInline(
    settings(folder, {
      store: { path, ...store },
      embedding: { ...MODEL, url: `${server}/v1` },
      writes: { enabled: true },
    }),
  );
}

/** Fills a store with conversations of 20 turns, by default 1,000 of them, and with 300 notes, and derives the graph. */
export async function fillConversations(loci: EngineContext, sessions = 1000): Promise<void> {
  await fillWithConversations(loci.store, loci.namespace, MODEL, { ...SIZES, sessions });
  await storeFact(loci, { key: 'city', value: 'Lisbon' });
  await setStartup(loci, { key: 'units', content: 'Answer in metric units.' });
  await updateRelations(loci);
}

/** Every way in which agents read. Each answer must have something. */
export async function readEverything(loci: EngineContext): Promise<void> {
  const answers: Record<string, readonly unknown[]> = {};
  for (const query of [
    'word31 invoice',
    'what did we say about the gardn and word117',
    '"word31 word48" holiday',
    'dentist last week',
    'Note 12',
  ])
    answers[query] = (await search(loci, { query })).results;
  const filters = { project: 'default', tags: ['tag3'], origins: ['vault' as const] };
  answers['filters'] = (await search(loci, { query: 'oven garden recipe', ...filters })).results;
  answers['get'] = [await get(loci, { citation: 'Note 7.md' }), await get(loci, { citation: 'Note 9' })];
  answers['show'] = [await showRecord(loci, { citation: 'Note 7.md', passages: true })];
  answers['links'] = (await recordLinks(loci, { citation: 'Note 7.md' })).links;
  const query = 'word31 invoice';
  answers['pack'] = [await memoryPack(loci, { query, budget: 2000 })];
  answers['pack with graph'] = [await memoryPack(loci, { query, budget: 2000, use_graph: true })];
  answers['graph index'] = (await graphIndex(loci, { query, k: 5 })).candidates;
  answers['graph pack'] = [await graphPack(loci, { nodes: ['Note 7', 'Note 8'] })];
  answers['graph show'] = (await showNodes(loci, { nodes: ['Note 7'], depth: 2 })).nodes;
  answers['graph path'] = [await findPath(loci, { from: 'Note 7', to: 'Note 14' })];
  answers['timeline'] = (await timeline(loci, { anchor: 'Note 7.md', before: 5, after: 5 })).entries;
  answers['fact'] = [
    await recallFact(loci, { key: 'city' }),
    await listFacts(loci, { category: 'user_facts' }),
  ];
  answers['startup'] = [await injectStartup(loci, { session: 's' })];
  const empty = Object.entries(answers).filter(([, answer]) => answer.length === 0);
  if (empty.length > 0) throw new Error(`nothing was found: ${empty.map(([name]) => name).join(', ')}`);
}
