import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPack, type Pack } from '../../src/engine/packs/memory-pack.ts';
import { graphGaps } from '../../src/engine/graph/graph-notices.ts';
import { openInline, settings, temporaryFolder, writeNotes } from '../contract/engines.ts';
import { overwrite, sql } from './broken-tables.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { search } from '../../src/engine/records/search.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { showReceipt } from '../../src/engine/packs/receipts.ts';
import { graphStatus } from '../../src/engine/graph/graph-status.ts';
import { showNodes } from '../../src/engine/graph/show-nodes.ts';
import { reindex } from '../../src/engine/health/reindex.ts';
import { graphIndex } from '../../src/engine/packs/graph-index.ts';

const NOW = Date.UTC(2026, 10, 21);
const QUERY = 'oven autumn';
const NOTES = {
  'Kitchen.md': '# Kitchen\n\nThe oven comes in autumn. See [[Quotes]].\n',
  'Quotes.md': '# Offers\n\nThe second firm asks for 900 and is preferred.\n',
  'Garden.md': '# Garden\n\nThe rake hangs in the shed, and the autumn is wet.\n',
};
/** What only the graph finds. */
const EXPANSION = 'The second firm asks for 900';

/** A busy machine may take longer than the usual deadline. */
const NO_DEADLINE = { deadline: 0 };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let vaults: readonly { readonly name: string; readonly path: string }[];
let baseline: { readonly text: string; readonly results: string };
let withGraph: string;
let copies = 0;

async function resultsOf(loci: EngineContext): Promise<string> {
  const { results } = await search(loci, { query: QUERY });
  return JSON.stringify(results);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const path = join(folder.path, 'Notes');
  await writeNotes(path, NOTES);
  vaults = [{ name: 'Notes', path }];
  const loci = await openInline(settings(folder.path, { vaults, graph: NO_DEADLINE }), { now: () => NOW });
  await indexVaults(loci);
  const { text } = await memoryPack(loci, { query: QUERY, budget: 1000 });
  baseline = { text, results: await resultsOf(loci) };
  withGraph = (await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true })).text;
  await loci.close();
});

afterAll(() => folder[Symbol.asyncDispose]());

/** Opens a copy of the store that was broken while nobody had it open. */
async function openBroken(
  breakFile: (path: string) => void,
  graph: object = NO_DEADLINE,
  inlineStore = true,
): Promise<EngineContext> {
  const home = join(folder.path, `copy ${String(copies++)}`);
  mkdirSync(home);
  const path = join(home, 'loci.db');
  copyFileSync(join(folder.path, 'loci.db'), path);
  breakFile(path);
  return openInline(settings(home, { vaults, graph }), { now: () => NOW, inlineStore });
}

function laneOf({ receipt }: Pack): object | undefined {
  return receipt.lanes.find(({ name }) => name === 'graph');
}

/** Another process has the leases under which the graph is derived. */
const LEASE = `INSERT OR REPLACE INTO lease (namespace, name, holder, token, until)
  SELECT 'default', value, '1@other/x', 99, ${String(NOW + 9000)} FROM json_each('["graph","concepts"]')`;

/** A view in place of the table, which counts to a number that takes about half a second first. */
const SLOW_PROGRESS = `
  ALTER TABLE graph_progress RENAME TO slow_progress;
  CREATE VIEW graph_progress AS
    WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1500000)
    SELECT p.* FROM slow_progress AS p WHERE (SELECT count(*) FROM n) > 0;`;

describe('a pack that asks for the graph, and a search, while', () => {
  it('nothing is broken, have what the graph leads to', async () => {
    expect(withGraph).toContain(EXPANSION);
    expect(baseline.text).not.toContain(EXPANSION);
    const loci = await openBroken(() => undefined);
    expect((await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true })).text).toBe(withGraph);
    await loci.close();
  });

  it.each<[name: string, breakFile: (path: string) => void, failure: string]>([
    ['the nodes are missing', sql('DROP TABLE graph_node'), 'store_failed'],
    ['the progress is missing', sql('DROP TABLE graph_progress'), 'store_failed'],
    ['an index is missing', sql('DROP INDEX graph_edge_dst'), 'store_failed'],
    ['the edges are overwritten', overwrite('graph_edge*'), 'store_corrupt'],
    ['the progress is overwritten', overwrite('graph_progress*'), 'store_corrupt'],
    [
      'the graph is being built by another process',
      sql(`DELETE FROM graph_progress; ${LEASE}`),
      'store_busy',
    ],
  ])('%s, are as without it', async (_, breakFile, failure) => {
    const loci = await openBroken(breakFile);
    const pack = await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true });
    expect(pack.text).toBe(baseline.text);
    expect(laneOf(pack)).toMatchObject({ status: 'failed', failure, candidates: 0 });
    expect(await graphGaps(loci, pack.receipt.lanes, {})).toEqual([
      expect.stringContaining(
        failure === 'store_busy' ? 'it is being built: ask again' : `(${failure}): tell the user to run`,
      ),
    ]);
    expect((await showReceipt(loci, { id: pack.receipt_id! })).receipt).toEqual(pack.receipt);
    expect(await resultsOf(loci)).toBe(baseline.results);
    await loci.close();
  });

  it.each([
    [
      'is merely behind',
      'UPDATE graph_progress SET up_to = 1, similar_up_to = 1; UPDATE concept_progress SET up_to = 1',
    ],
    ['is half built', "UPDATE graph_progress SET rules = 'building:' || rules"],
    ['lacks some comparisons of records', "UPDATE graph_progress SET rules = 'comparing ' || rules"],
    ['never had its concepts', 'UPDATE concept_progress SET up_to = 0'],
    ['was never built', 'DELETE FROM graph_progress'],
  ])('the graph %s, derive the rest and have what it leads to', async (_, statement) => {
    const loci = await openBroken(sql(statement));
    const pack = await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true });
    expect(laneOf(pack)).toMatchObject({ status: 'answered' });
    expect(pack.text).toBe(withGraph);
    expect(await graphGaps(loci, pack.receipt.lanes, {})).toEqual([]);
    expect(await graphStatus(loci)).toMatchObject({ condition: 'current' });
    await loci.close();
  });

  it('the build of the graph was continued, have what it leads to', async () => {
    const loci = await openBroken(
      sql("UPDATE graph_progress SET rules = 'comparing ' || rules; UPDATE concept_progress SET up_to = 0"),
    );
    expect(await graphStatus(loci)).toMatchObject({ condition: 'building' });
    await indexVaults(loci);
    expect(await graphStatus(loci)).toMatchObject({ condition: 'current' });
    expect((await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true })).text).toBe(withGraph);
    await loci.close();
  });

  it.each([
    'graph_node graph_edge graph_stale graph_progress',
    'concept_record concept_name concept_mention concept_changed concept_progress name',
  ])('tables were missing until a reindex, have what the graph leads to: %s', async (tables) => {
    const loci = await openBroken(sql(tables.replaceAll(/\w+/g, 'DROP TABLE $&;')));
    await expect(showNodes(loci, { nodes: ['Kitchen'], k: 5 })).rejects.toMatchObject({
      hint: expect.stringContaining('loci doctor reindex') as string,
    });
    await reindex(loci);
    expect(await graphStatus(loci)).toMatchObject({ condition: 'current' });
    expect((await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true })).text).toBe(withGraph);
    await loci.close();
  });

  it('the graph is slower than its deadline, are as without it, and the pack does not wait', async () => {
    const loci = await openBroken(sql(SLOW_PROGRESS), { deadline: 100 }, false);
    const pack = await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true });
    expect(pack.text).toBe(baseline.text);
    expect(laneOf(pack)).toMatchObject({ status: 'late', failure: null, candidates: 0 });
    // The reader of the store still counts, and this call waits for it: nothing else does.
    let hasCounted = false;
    const counted = graphStatus(loci).then(() => {
      hasCounted = true;
    });
    expect(await graphGaps(loci, pack.receipt.lanes, {})).toEqual([
      expect.stringContaining('took longer than graph.deadline: ask once more'),
    ]);
    expect(hasCounted).toBe(false);
    await counted;
    expect(await resultsOf(loci)).toBe(baseline.results);
    await loci.close();
  });

  it('another process writes to the store, are as always: nothing waits for a lock', async () => {
    let path = '';
    const loci = await openBroken((copy) => (path = copy));
    using other = new DatabaseSync(path);
    other.exec('BEGIN EXCLUSIVE; DELETE FROM graph_edge; DELETE FROM graph_node;');
    const pack = await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true });
    expect(pack.text).toBe(withGraph);
    expect(laneOf(pack)).toMatchObject({ status: 'answered' });
    expect(pack.receipt_id).toBeNull();
    expect(await resultsOf(loci)).toBe(baseline.results);
    other.exec('ROLLBACK');
    await loci.close();
  });

  it('the graph is broken, an index has the candidates, named by their citations', async () => {
    const loci = await openBroken(sql('DROP TABLE graph_edge'));
    const index = await graphIndex(loci, { query: QUERY, k: 5, budget: 900 });
    expect(index.candidates.map(({ id }) => id)).toEqual(['Kitchen.md', 'Garden.md']);
    expect(index.expansions).toEqual([]);
    expect(index.receipt.lanes.find(({ name }) => name === 'graph')).toMatchObject({ status: 'failed' });
    await loci.close();
  });

  it('the graph is off, are as without it', async () => {
    const loci = await openBroken(() => undefined, { enabled: false });
    const pack = await memoryPack(loci, { query: QUERY, budget: 1000, use_graph: true });
    expect(pack.text).toBe(baseline.text);
    expect(laneOf(pack)).toMatchObject({ status: 'off', failure: null, candidates: 0 });
    expect(await resultsOf(loci)).toBe(baseline.results);
    await loci.close();
  });
});
