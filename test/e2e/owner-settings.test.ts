import { describe, expect, it } from 'vitest';
import { copyOfVault } from './loci-command.ts';
import { startServer } from './rest-server.ts';

describe('the settings of the owner', () => {
  it('are not revealed to another caller whose search finds nothing', async () => {
    const vaults = [{ name: 'diary', path: copyOfVault() }];
    const server = await startServer({ namespace: 'olivia', vaults });
    const nothing = async (subject: string): Promise<unknown> => {
      const token = await server.token(subject, 'read');
      const answer = await server.ask('/api/v1/memory/search?query=oven', { token });
      return (answer.json as { readonly nothing: unknown }).nothing;
    };
    expect(await nothing('alice')).toMatchObject({ namespace: 'alice', empty: true, unread_vaults: [] });
    expect(await nothing('olivia')).toMatchObject({ namespace: 'olivia', unread_vaults: ['diary'] });
  });
});
