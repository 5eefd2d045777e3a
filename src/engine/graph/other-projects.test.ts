import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { showNodes } from './show-nodes.ts';
import { graphNotices } from './graph-notices.ts';

const folder = folderForEach();
let opened: EngineContext[];

beforeEach(async () => {
  opened = [];
  await writeNotes(join(folder.path, 'Notes'), {
    'Start.md': 'See [[Kitchen]] and [[Other]].\n',
    'Kitchen.md': '---\nproject: home\n---\n![[Start]]\n\n[[Tiles]]\n',
    'Tiles.md': '---\nproject: home\n---\nBlue.\n',
    'Other.md': 'Nothing.\n',
    'Alone.md': '---\nproject: home\n---\nNothing either.\n',
  });
});

afterEach(async () => {
  for (const loci of opened) await loci.close();
});

async function open(graph: object = {}): Promise<EngineContext> {
  const vaults = [{ name: 'Notes', path: join(folder.path, 'Notes') }];
  const loci = await openInline(settings(folder.path, { vaults, graph }));
  opened.push(loci);
  await indexVaults(loci);
  return loci;
}

const LINKS = { crossProject: true, crossProjectTypes: ['links_to'] };

describe('edges into other projects', () => {
  it('are counted apart from those that the limit hides', async () => {
    const loci = await open(LINKS);
    const counted = async (request: object) => {
      const { nodes } = await showNodes(loci, { nodes: ['Start'], k: 9, ...request });
      return [nodes[0]!.edges.length, nodes[0]!.not_shown.other_projects, nodes[0]!.degree];
    };
    const [shown, across, degree] = await counted({});
    // To and from “Kitchen” in another project; each direction with `links_to`, `embeds` or `mentions`.
    expect(across).toBeGreaterThanOrEqual(2);
    expect(shown! + across! + 1).toBe(degree);
    const [followed, left] = await counted({ allow_cross_project: true });
    expect(followed! + left!).toBe(shown! + across!);
    expect(left).toBeLessThan(across!);
    expect(await counted({ project: 'default', allow_cross_project: true })).toEqual([shown, across, degree]);
  });

  it.each([
    [{}, 'graph.crossProject is false and graph.crossProjectTypes is empty'],
    [{ crossProject: true }, 'graph.crossProjectTypes is empty'],
    [{ crossProjectTypes: ['links_to'] }, 'graph.crossProject is false'],
  ])('cannot be asked for with the settings %j, which a notice says', async (graph, reason) => {
    const loci = await open(graph);
    expect(await graphNotices(loci, { allow_cross_project: true })).toEqual([
      `allow_cross_project (--allow-cross-project) has no effect, because the settings do not allow it: ${reason}`,
    ]);
    expect(await graphNotices(loci, { allow_cross_project: false })).toEqual([]);
  });

  it('can be asked for without a notice when the settings allow it', async () => {
    const loci = await open(LINKS);
    expect(await graphNotices(loci, { allow_cross_project: true })).toEqual([]);
  });
});
