import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialSamples } from '../../../test/contract/credential-samples.ts';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { write } from '../records/write.ts';
import { exportGraph } from './export-graph.ts';
import { showNodes, findPath } from './show-nodes.ts';
import { graphConcepts, graphConflicts } from './concepts.ts';
import { timeline } from '../packs/timeline.ts';

const SECRETS = credentialSamples(1)
  .filter(({ kind }) => ['AWS access key', 'Google API key', 'JSON Web Token'].includes(kind))
  .map(({ secret }) => secret);
const [KEY = '', OTHER = '', LONG = ''] = SECRETS;
const MASK = '[secret masked: AWS access key]';

const NOTES = {
  'Server.md': `---\ntitle: Server ${KEY}\naliases: [Machine ${KEY}]\ntags: [${KEY}]\n---\n# Login ${KEY}\n\nSee [[Backup]].\n\n- [ ] Change ${KEY}\n\nIts name is “Key ${KEY}”.\n`,
  'Backup.md': `---\naliases: [Machine ${KEY}]\n---\nKey ${OTHER} opens it. See [[Plan]]. Machine ${KEY} and “Key ${KEY}”.\n`,
  'Plan.md': 'Nothing yet.\n',
  'Router.md': `---\ntitle: Router ${KEY}\n---\nThe first.\n`,
  'Second router.md': `---\ntitle: Router ${KEY}\n---\nThe second.\n`,
  'Wifi.md': 'At home: password: "Zebra-Quartz77"\n',
  'Guests.md': 'For guests, password: "Zebra-Quartz77"\n',
};

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  await writeNotes(join(folder.path, 'vault'), NOTES);
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  loci = await openInline(settings(folder.path, { vaults, writes: { secrets: 'allow' } }));
  await indexVaults(loci);
  // A record without a title is named by the beginning of its text.
  await write(loci, { content: `${KEY} is the key.\n${'word '.repeat(18)}` });
  // A title that ended in the middle of a credential could not be masked.
  await write(loci, { content: `${'word '.repeat(15)}${LONG}` });
  await indexVaults(loci);
});

afterEach(() => loci.close());

/** The answer, as JSON, has a mask and no part of a credential. */
function expectMasked(answer: unknown): void {
  const text = JSON.stringify(answer, (_, value: unknown) => (value instanceof Map ? [...value] : value));
  for (const secret of SECRETS) expect(text).not.toContain(secret.slice(0, 8));
  expect(text).toContain(MASK);
}

describe('credentials in the graph', () => {
  it('are masked in an export', async () => {
    let text = '';
    for await (const piece of exportGraph(loci)) text += piece;
    expectMasked(JSON.parse(text));
    expect(text).toContain(`under ‘Login ${MASK}’`);
  });

  it('are masked where nodes are shown, with what several steps lead to', async () => {
    const { nodes } = await showNodes(loci, { nodes: ['Server.md', 'Plan'], depth: 2, k: 20 });
    expect(nodes.map(({ title }) => title)).toEqual([`Server ${MASK}`, 'Plan']);
    expectMasked(nodes[0]);
    expectMasked(nodes[1]);
    expect(nodes[1]!.near.length).toBeGreaterThan(0);
  });

  it('are masked in a path, whose places are still cited', async () => {
    const found = await findPath(loci, { from: 'Server.md', to: 'Plan' });
    expectMasked(found);
    expect(found.steps.map(({ provenance }) => provenance.citation)).toEqual(
      ['Server.md#Login ' + KEY, 'Backup.md'].map(() => expect.any(String) as string),
    );
  });
});

describe('credentials in concepts', () => {
  it('are masked in lists and conflicts', async () => {
    expectMasked((await graphConcepts(loci, { limit: 100 })).concepts.map(({ label, names }) => ({ label, names }))); // prettier-ignore
    expectMasked((await graphConflicts(loci)).conflicts); // prettier-ignore
  });

  it('are no names but titles: no phrase, alias or tag, so that the graph has no node of one', async () => {
    const { concepts } = await graphConcepts(loci, { limit: 100 });
    const names = concepts.flatMap((each) => each.names.map(({ name }) => name));
    for (const part of ['Zebra', 'Machine', 'Key ']) expect(names.join()).not.toContain(part);
    let exported = '';
    for await (const piece of exportGraph(loci)) exported += piece;
    expect(exported).toContain('Wifi');
    expect(exported).not.toContain('Zebra');
  });
});

describe('credentials in a timeline', () => {
  it('are masked in its lines and its text', async () => {
    const { entries } = await timeline(loci, { budget: 2000 });
    expectMasked(entries.map(({ title }) => title));
  });
});
