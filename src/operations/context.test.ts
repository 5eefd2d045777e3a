import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/e2e/loci-command.ts';
import { createContext } from './context.ts';

describe('a context', () => {
  it('creates the store for a write although a concurrent read finds none', async () => {
    const home = join(temporaryFolder(), 'home');
    const context = createContext({
      home,
      env: { LOCI_EMBEDDING_PROVIDER: 'none' },
      caller: { surface: 'mcp', trust: 'agent' },
    });
    try {
      const [read, write] = await Promise.allSettled([context.loci(), context.loci({ create: true })]);
      expect(read).toMatchObject({ status: 'rejected', reason: { code: 'store_not_found' } });
      expect(write).toMatchObject({ status: 'fulfilled' });
    } finally {
      await context.close();
    }
  });

  it.each([
    ['reads a changed file again', {}, 7],
    ['keeps the settings of a host', { hostSettings: { tree: { project: 'p' }, place: 'host' } }, 3],
    ['keeps settings whose commands run without approval', { trustsSettings: true }, 3],
  ])('%s', async (_, options, limit) => {
    const home = temporaryFolder();
    const file = join(home, 'loci.yaml');
    writeFileSync(file, 'search: { limit: 3 }\n');
    const caller = { surface: 'library', trust: 'operator' } as const;
    const context = createContext({ home, env: { LOCI_EMBEDDING_PROVIDER: 'none' }, caller, ...options });
    try {
      const before = await context.loci({ create: true });
      writeFileSync(file, 'search: { limit: 7 }\n');
      const after = await context.loci();
      expect([before.config.search.limit, after.config.search.limit]).toEqual([3, limit]);
    } finally {
      await context.close();
    }
  });
});
