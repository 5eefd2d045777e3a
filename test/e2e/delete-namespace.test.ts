import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeleteNamespaceOutput } from '../../src/engine/access/delete-namespace.ts';
import type { NamespacesOutput } from '../../src/engine/health/status.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { loadToolbox } from '../../src/surfaces/mcp/toolbox.ts';
import { copyExampleVault, openInline, settings } from '../contract/engines.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';
import { startServer, type TestServer } from './rest-server.ts';

const PATH = '/api/v1/delete/namespace';

async function serverWithAlice(): Promise<{ server: TestServer; alice: string; operator: string }> {
  const server = await startServer();
  const alice = await server.token('alice', 'admin');
  for (const content of ['the marble is in the cellar', 'the oven is new'])
    await server.request('/api/v1/memory/write', { token: alice, body: { content } });
  return { server, alice, operator: await server.token('ops', 'operator') };
}

describe('delete-namespace over HTTP', () => {
  it('counts, asks for the name, deletes, and refuses the tokens of the namespace afterwards', async () => {
    const { server, alice, operator } = await serverWithAlice();
    const send = (body: object, token = operator) => server.request(PATH, { token, body });
    const counted = await send({ namespace: 'alice', dry_run: true });
    expect(counted.json).toMatchObject({ records: 2, tokens: 1, deleted: 0, finished: false });
    for (const confirm of [{}, { confirm: 'Alice' }])
      expect((await send({ namespace: 'alice', ...confirm })).problem).toMatchObject({
        ...{ status: 400, code: 'invalid_input' },
        detail: 'confirm must be "alice", the name of the namespace; 2 records would be deleted for ever',
      });
    const { json } = await send({ namespace: 'alice', confirm: 'alice' });
    expect(json).toMatchObject({ records: 2, finished: true });
    const { rows, deleted } = json as DeleteNamespaceOutput;
    // Runs are recorded in the background.
    expect(deleted).toBeGreaterThanOrEqual(rows);
    expect(rows).toBeGreaterThanOrEqual((counted.json as DeleteNamespaceOutput).rows);
    const status = async () => (await server.request('/api/v1/status', { token: alice })).status;
    await expect.poll(status).toBe(401);
    expect((await send({ namespace: 'alice', confirm: 'alice' })).status).toBe(404);
  });

  it('is refused to those who are not operators, for what is in use, and has no tool of MCP', async () => {
    const { server, alice, operator } = await serverWithAlice();
    const send = (namespace: string, token: string) =>
      server.request(PATH, { token, body: { namespace, confirm: namespace } });
    expect((await send('ops', alice)).status).toBe(403);
    expect((await send('default', operator)).problem.detail).toBe(
      '"default" is the namespace of the settings',
    );
    expect((await send('ops', operator)).problem.detail).toBe('"ops" is the namespace of the caller');
    const { byTool } = await loadToolbox();
    expect([byTool.has('reindex'), byTool.has('delete_namespace')]).toEqual([true, false]);
  });
});

describe('loci status delete-namespace', () => {
  it('deletes it for processes that still have it in their settings, until a token makes it again', async () => {
    const home = temporaryFolder();
    const folder = join(home, 'vault');
    await copyExampleVault(folder);
    await loci(['config', 'init'], { home });
    const store = { path: join(home, 'loci.db') };
    const ofAlice = settings(home, { namespace: 'alice', store, vaults: [{ name: 'notes', path: folder }] });
    const engine = await openInline(ofAlice);
    await indexVaults(engine);
    const found = await lociJson<DeleteNamespaceOutput>(
      ['status', 'delete-namespace', 'alice', '--dry-run'],
      {
        home,
      },
    );
    expect(found.records).toBeGreaterThan(5);
    const refused = await loci(['status', 'delete-namespace', 'alice'], { home });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('confirm must be "alice"')]);
    const deleted = await loci(['status', 'delete-namespace', 'alice', '--confirm', 'alice'], { home });
    expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringMatching(/^Deleted alice: /)]);
    await expect(indexVaults(engine)).rejects.toMatchObject({
      code: 'gone',
      hint: expect.stringContaining('Take it out of the settings'),
    });
    expect((await loci(['doctor'], { home })).stdout).toMatch(/^ok +audit +1 entry/m);
    const listed = await lociJson<NamespacesOutput>(['status', 'namespaces'], { home });
    expect(listed.deleted).toMatchObject([{ namespace: 'alice' }]);
    expect(listed.namespaces.map(({ namespace }) => namespace)).toEqual(['default']);
    await loci(['serve', 'token', 'create', '--subject', 'alice'], { home });
    expect(await indexVaults(engine)).toMatchObject({ sources: [{ added: found.records }] });
    await engine.close();
  });
});
