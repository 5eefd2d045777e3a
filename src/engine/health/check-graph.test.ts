import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { openStore } from '../../store/registry.ts';
import { type EdgeDraft, recordNode } from '../../store/graph-model.ts';
import type { Check } from './check.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { doctor } from './doctor.ts';
import { write } from '../records/write.ts';
import { reindex } from './reindex.ts';
import { showNodes } from '../graph/show-nodes.ts';

const NOTES = {
  'Oven.md': '---\naliases: [Stove]\n---\nWe asked Miller Brothers.\n',
  'Log.md': 'Today the stove failed. The oven was old, says Miller Brothers.\n',
  'Plan.md': 'See the log.\n',
};
const OK = { result: 'ok', detail: '3 records, all edges and names correct' };

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  await writeNotes(join(folder.path, 'vault'), NOTES);
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  loci = await openInline(settings(folder.path, { vaults }));
  await indexVaults(loci);
});

afterEach(() => loci.close());

async function check(name: string): Promise<Check | undefined> {
  return (await doctor(loci)).find((each) => each.name === name);
}

/** Changes the file behind the back of the engine. */
function damage(sql: string): void {
  const database = new DatabaseSync(join(folder.path, 'loci.db'));
  const { changes } = database.prepare(sql).run();
  database.close();
  expect(changes).toBeGreaterThan(0);
}

describe('the check of concepts', () => {
  it('waits for what is not derived yet', async () => {
    expect(await check('graph')).toMatchObject(OK);
    await write(loci, { content: 'The stove is new.' });
    expect(await check('graph')).toMatchObject({ result: 'ok', detail: expect.stringContaining('not derived yet') }); // prettier-ignore
  });

  it.each([
    ['a name that is another', "UPDATE concept_name SET text = 'Cooker' WHERE kind = 'alias'", 'Oven.md'],
    ['a name that is missing', "DELETE FROM concept_name WHERE kind = 'alias'", 'Oven.md'],
    ['a mention in another line', "UPDATE concept_mention SET line = 9 WHERE key = 'oven'", 'Log.md'],
    ['a mention that is missing', "DELETE FROM concept_mention WHERE key = 'stove'", 'Log.md'],
    ['a record without names', "DELETE FROM concept_record WHERE record IN (SELECT id FROM record WHERE key = 'Log.md')", 'Log.md'], // prettier-ignore
    ['a note with another id', "UPDATE concept_record SET note = 'n_0' WHERE record IN (SELECT id FROM record WHERE key = 'Plan.md')", 'Plan.md'], // prettier-ignore
  ])('finds %s, which a plain reindex repairs', async (_, sql, note) => {
    damage(sql);
    expect(await check('graph')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/^names or mentions differ in \d records?: /) as string,
      hint: 'Run `loci doctor reindex`.',
    });
    expect((await check('graph'))?.detail).toContain(note);
    await reindex(loci);
    expect(await check('graph')).toMatchObject(OK);
    const { nodes } = await showNodes(loci, { nodes: ['Oven'], k: 9 });
    expect(nodes[0]!.edges.map(({ from, to }) => `${from.title} ${to.title}`)).toContain('Log Oven');
  });
});

describe('the check of similar texts', () => {
  function similar(from: number, to: number): EdgeDraft {
    const provenance = { record: from, passage: 0, lines: null, hash: 'h' };
    const [src, dst] = [recordNode(from), recordNode(to)];
    return {
      src,
      dst,
      type: 'similar_to',
      weight: 0.5,
      reason: 'their texts are similar (0.70)',
      provenance,
    };
  }

  async function putSimilar(pairs: readonly (readonly [number, number])[]): Promise<void> {
    const path = join(folder.path, 'loci.db');
    const store = await openStore({ path }, { create: false });
    const records = new Map(pairs.map(([from, to]) => [from, { nodes: [], edges: [similar(from, to)] }]));
    await store.records.commit('default', { graph: { lane: 'similar', records, shared: [] } });
    await store.close();
  }

  it('accepts edges in both directions', async () => {
    await putSimilar([
      [1, 2],
      [2, 1],
    ]);
    expect(await check('graph')).toMatchObject({ result: 'ok' });
  });

  it.each([
    ['a record that is gone', 99],
    ['a record from which none leads back', 2],
  ])('finds an edge to %s, which a plain reindex removes', async (_, to) => {
    await putSimilar([[1, to]]);
    expect(await check('graph')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/^similar texts lack one end in 1 record: /) as string,
    });
    await reindex(loci);
    expect(await check('graph')).toMatchObject({ result: 'ok' });
  });
});
