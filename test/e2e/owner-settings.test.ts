import { describe, expect, it } from 'vitest';
import { copyOfVault } from './loci-command.ts';
import { startServer } from './rest-server.ts';

describe('the settings of the owner', () => {
  it('are not revealed to another caller whose search finds nothing', async () => {
    const vaults = [{ name: 'diary', path: copyOfVault() }];
    const server = await startServer({ namespace: 'olivia', vaults });
    const explanationFor = async (subject: string): Promise<unknown> => {
      const token = await server.token(subject, 'read');
      const response = await server.request('/api/v1/memory/search?query=oven', { token });
      return (response.json as { readonly nothing: unknown }).nothing;
    };
    expect(await explanationFor('alice')).toMatchObject({
      namespace: 'alice',
      empty: true,
      unread_vaults: [],
    });
    expect(await explanationFor('olivia')).toMatchObject({ namespace: 'olivia', unread_vaults: ['diary'] });
  });
});
