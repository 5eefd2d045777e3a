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
});
