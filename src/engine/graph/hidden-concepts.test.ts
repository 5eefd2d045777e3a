import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { graphConcepts, graphConflicts } from './concepts.ts';
import { stepTarget } from './graph-fields.ts';
import { showNodes } from './show-nodes.ts';

const HIDDEN = {
  'Layoff.md': '---\naliases: [Layoff plan, Wolfram]\ntags: [xlayoff]\n---\nMiller Brothers help.\n',
  'Layoff2.md': '---\naliases: [Wolfram]\ntags: [xlayoff, shared]\n---\nMiller Brothers and “Slow Heat”.\n',
};
const VISIBLE = {
  'Oven.md': '---\naliases: [Stove]\ntags: [shared]\n---\nThe word is “Slow Heat”.\n',
  'Cellar.md': '---\ntags: [shared]\n---\nThe stove, and Wolfram.\n',
};
/** Words that only the hidden notes have. */
const SECRET = /layoff|xlayoff|miller/i;

const folder = folderForEach();
let owner: EngineContext;
let agent: EngineContext;

function open(hidden: {
  readonly includeInContext?: boolean;
  readonly enabled?: boolean;
}): Promise<EngineContext> {
  const vaults = [
    { name: 'Hidden', path: join(folder.path, 'hidden'), ...hidden },
    { name: 'Open', path: join(folder.path, 'open') },
  ];
  return openInline(settings(folder.path, { vaults }));
}

function agentOf(loci: EngineContext): EngineContext {
  return loci.as({ namespace: loci.caller.namespace, actor: 'a', surface: 'rest', trust: 'agent' });
}

beforeEach(async () => {
  await writeNotes(join(folder.path, 'hidden'), HIDDEN);
  await writeNotes(join(folder.path, 'open'), VISIBLE);
  owner = await open({ includeInContext: false });
  await indexVaults(owner);
  agent = agentOf(owner);
});

afterEach(() => owner.close());

async function labels(loci: EngineContext): Promise<string[]> {
  return (await graphConcepts(loci, { limit: 100 })).concepts.map(({ label }) => label).sort();
}

describe('concepts of hidden sources', () => {
  it('are shown to the owner, with all names', async () => {
    expect(await labels(owner)).toEqual(['Cellar', 'Layoff', 'Layoff2', 'Miller Brothers', 'Oven', 'Slow Heat', 'shared', 'xlayoff']); // prettier-ignore
    expect((await graphConflicts(owner)).conflicts.map(({ name }) => name)).toEqual(['Wolfram']);
  });

  it('do not exist for an agent, which sees neither their names nor their mentions', async () => {
    const page = await graphConcepts(agent, { limit: 100 });
    expect(page.concepts.map(({ label }) => label).sort()).toEqual(['Cellar', 'Oven', 'shared']);
    expect(page.total).toBe(3);
    expect(JSON.stringify(page)).not.toMatch(SECRET);
    expect((await graphConflicts(agent)).conflicts).toEqual([]);
    expect(page.concepts.map(({ label, named_by }) => `${label} ${String(named_by)}`).sort()).toEqual([
      'Cellar 0',
      'Oven 1',
      'shared 2',
    ]);
    for (const name of ['Layoff', 'Layoff plan', 'Wolfram', 'xlayoff', 'Miller Brothers', 'Slow Heat'])
      expect((await graphConcepts(agent, { name })).concepts).toEqual([]);
  });

  it('keep no name from being a concept in the graph of an agent', async () => {
    await writeNotes(join(folder.path, 'hidden'), { 'Ada Lovelace.md': 'Hidden.\n' });
    await writeNotes(join(folder.path, 'open'), {
      'One.md': 'We met “Ada Lovelace”.\n',
      'Two.md': 'Say “Ada Lovelace”.\n',
    });
    await indexVaults(owner);
    const [concept] = (await graphConcepts(agent, { name: 'Ada Lovelace' })).concepts;
    const titles = async (loci: EngineContext, name: string): Promise<string[]> => {
      const { nodes } = await showNodes(loci, { nodes: [name], k: 9 });
      return nodes.flatMap(({ edges }) => edges.map((edge) => stepTarget(edge).title)).sort();
    };
    expect(await titles(agent, concept!.id)).toEqual(['One', 'Two']);
    expect(await titles(agent, 'One')).toEqual(['Ada Lovelace']);
    expect(await titles(owner, concept!.id)).toEqual([]);
    const { nodes } = await showNodes(agent, { nodes: ['One'], depth: 2, k: 9 });
    expect(nodes[0]!.near.map(({ title }) => title)).toEqual(['Two']);
  });

  it('do not exist for the owner either while the source is disabled', async () => {
    await owner.close();
    owner = await open({ enabled: false });
    expect(await labels(owner)).toEqual(['Cellar', 'Oven', 'shared']);
    expect(await labels(agentOf(owner))).toEqual(['Cellar', 'Oven', 'shared']);
    expect((await graphConcepts(owner, { name: 'Layoff' })).concepts).toEqual([]);
  });
});
