import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/contract/engines.ts';
import { indexMemory } from './index-memory.ts';

it('indexes memory files for words where the embedding provider does not answer, and says so', async () => {
  await using folder = await temporaryFolder();
  const workspace = join(folder.path, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'MEMORY.md'), 'The oven will be induction.');
  // Nothing listens at this port.
  const embedding = { provider: 'ollama', model: 'nomic-embed-text', url: 'http://127.0.0.1:1' };
  const indexed = await indexMemory(
    { home: join(folder.path, 'loci'), embedding },
    [{ agent: 'main', folder: workspace, extraPaths: [] }],
    {},
  );
  expect(indexed).toMatchObject([
    {
      agent: 'main',
      files: 1,
      problems: [expect.stringMatching(/^found by their words for now: .*127\.0\.0\.1:1/)],
    },
  ]);
});
