import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderForAll, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { memoryPack } from './memory-pack.ts';
import { graphIndex } from './graph-index.ts';

const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
/** Longer than what is searched around a section. */
const PRIVATE_KEY_LINES = Array.from({ length: 200 }, (_, i) => `${'Kx9'.repeat(20)}${String(1000 + i)}`);
const PRIVATE_KEY = `-----BEGIN RSA PRIVATE KEY-----\n${PRIVATE_KEY_LINES.join('\n')}\n-----END RSA PRIVATE KEY-----`;

const folder = folderForAll();
let loci: EngineContext;

beforeAll(async () => {
  const path = join(folder.path, 'notes');
  await writeNotes(path, {
    'Capybara.md': `# Capybara\n\nA pond.\n\n${PRIVATE_KEY}\n\nThe capybara pond is deep.\n`,
    'Lynx.md': '# Lynx\n\nThe lynx den is by the river. [[other]]\n',
    'other.md': `---\ntitle: deploy ${KEY} thing\n---\nNothing here.\n`,
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`${String(i)}.md`, `A wall ${String(i)}.\n`]),
    ),
  });
  loci = await openInline(settings(folder.path, { vaults: [{ path }], graph: { deadline: 0 } }));
  await indexVaults(loci);
});

afterAll(() => loci.close());

it('no part of a long private key is in a pack, wherever the section begins', async () => {
  const { text } = await memoryPack(loci, { query: 'capybara pond', budget: 1800 }, { minScore: 0 });
  expect(text).toContain('The capybara pond is deep.');
  expect(text).toContain('[secret masked]');
  expect(text).not.toContain('Kx9Kx9');
});

it('a neighbour whose title is a credential is not in the index of the graph, nor in a pack with the graph', async () => {
  for (const k of [1, 3]) {
    const { text, expansions } = await graphIndex(loci, { query: 'lynx den river', k, budget: 900 });
    expect(text).toContain('Lynx');
    expect(text + JSON.stringify(expansions)).not.toContain('ghp_');
  }
  const pack = await memoryPack(
    loci,
    { query: 'lynx den river', budget: 900, use_graph: true },
    { minScore: 0 },
  );
  expect(pack.text + JSON.stringify(pack.items)).not.toContain('ghp_');
});
