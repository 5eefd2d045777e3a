import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { type GraphShowOutput, showNodes } from './show-nodes.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { graphStatus } from './graph-status.ts';
import { get } from '../records/get.ts';
import { timeline } from '../packs/timeline.ts';

const HIDDEN = {
  'Layoff.md': '---\ntags: [xlayoff]\nproject: staff\n---\nThe kitchen. Miller Brothers.\n',
  'Layoff2.md': 'The kitchen. Miller Brothers.\n',
  'Layoff3.md': 'The kitchen and [[Garden]]. Miller Brothers.\n',
  'Garden.md': 'The hidden garden.\n',
};
const VISIBLE = {
  'Kitchen.md': 'See [[Oven]].\n',
  'Oven.md': 'See [[Kitchen]].\n',
  'outside/Garden.md': 'The open garden.\n',
};

/** The hint for a name to which none is similar. */
const NO_NOTE = 'Search again for a current citation.';

const folder = folderForEach();
let owner: EngineContext;
let agent: EngineContext;

beforeEach(async () => {
  await writeNotes(join(folder.path, 'hidden'), HIDDEN);
  await writeNotes(join(folder.path, 'open'), VISIBLE);
  const vaults = [
    { name: 'Hidden', path: join(folder.path, 'hidden'), includeInContext: false },
    { name: 'Open', path: join(folder.path, 'open') },
  ];
  owner = await openInline(settings(folder.path, { vaults }));
  await indexVaults(owner);
  agent = owner.as({ namespace: owner.caller.namespace, actor: 'a', surface: 'rest', trust: 'agent' });
});

afterEach(() => owner.close());

function show(loci: EngineContext, name: string) {
  return showNodes(loci, { nodes: [name], k: 50 });
}

async function shown(loci: EngineContext, name: string): Promise<GraphShowOutput['nodes'][number]> {
  return (await show(loci, name)).nodes[0]!;
}

async function whyUnknown(loci: EngineContext, name: string): Promise<string> {
  return (await show(loci, name)).unknown[0]!.reason;
}

describe('the graph of an agent from which a vault is hidden', () => {
  it('has no phrase, tag or project that only the hidden notes have', async () => {
    const { edges } = await shown(owner, 'Hidden:Layoff2.md');
    const phrase = edges.find(({ to }) => to.title === 'Miller Brothers')!.to;
    for (const name of [phrase.id, '#xlayoff', 'staff']) {
      expect((await shown(owner, name)).degree).toBeGreaterThan(0);
      expect((await show(agent, name)).nodes).toEqual([]);
    }
    expect(await whyUnknown(agent, phrase.id)).toBe(`no node has the id ${phrase.id}`);
    const projects = (await graphStatus(agent)).projects.map(({ project }) => project);
    expect(projects).not.toContain('staff');
  });

  it('counts the edges of a node that lead to visible nodes', async () => {
    const { degree, edges } = await shown(agent, 'Kitchen');
    // The edge to the project is not shown.
    expect(degree).toBe(edges.length + 1);
    expect((await shown(owner, 'Kitchen')).degree).toBeGreaterThan(degree);
  });

  it('answers the name of a hidden note as one that does not exist, without a hint', async () => {
    const record = await get(owner, { citation: 'Hidden:Layoff.md' });
    for (const name of [
      'Layoff',
      'Layoff.md',
      'Hidden:Layoff.md',
      `record/${String(record.id)}`,
      'Layoff.md#L1',
    ]) {
      expect(await whyUnknown(agent, name)).toBe(`nothing in memory is called ${JSON.stringify(name)}`);
      const error = await timeline(agent, { anchor: name, before: 1, after: 1, budget: 500 }).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'not_found', hint: NO_NOTE });
    }
  });

  it('finds the visible note of a name that a hidden one has too', async () => {
    expect((await shown(agent, 'Garden')).citation).toBe('outside/Garden.md');
    await expect(get(agent, { citation: 'Layof.md' })).rejects.toMatchObject({
      code: 'not_found',
      hint: NO_NOTE,
    });
    await expect(get(owner, { citation: 'Layof.md' })).rejects.toMatchObject({
      hint: expect.stringContaining('Layoff.md') as string,
    });
  });

  it('lets the agent read a hidden note that it names, and its time when it names the source', async () => {
    expect((await get(agent, { citation: 'Layoff.md' })).title).toBe('Layoff');
    const request = { anchor: 'Layoff.md', sources: ['Hidden'], before: 1, after: 1, budget: 500 };
    const { entries } = await timeline(agent, request);
    expect(entries.find(({ position }) => position === 'anchor')?.title).toBe('Layoff');
  });
});
