import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { letterVectors, OLLAMA, startProvider } from '../../../test/embedding/provider-server.ts';
import { importMemory } from './import.ts';
import { totals } from '../health/status.ts';

it('imports do not wait for a slow provider, which embeds what all of them wrote', async () => {
  await using folder = await temporaryFolder();
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const vectors = letterVectors(384);
  await using server = await startProvider({
    format: OLLAMA,
    embed: async (texts, purpose) => {
      await released;
      return vectors(texts, purpose);
    },
  });
  const embedding = { provider: 'ollama', model: 'all-minilm', url: server.origin };
  const loci = await openInline(settings(folder.path, { embedding }));
  try {
    for (const name of ['oven', 'tiles']) {
      const files = [{ path: `memory/${name}.md`, content: `# ${name}\n\nThe ${name} came in spring.` }];
      const report = await importMemory(loci, { files }, { maxEmbeddingMs: 1 });
      expect(report.records.added).toBe(1);
      expect(report.why).toContain('still being embedded');
    }
    expect((await totals(loci)).pending).toBe(2);
    release(undefined);
    await expect.poll(async () => (await totals(loci)).pending).toBe(0);
  } finally {
    release(undefined);
    await loci.close();
  }
});
