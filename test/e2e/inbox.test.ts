import { expect, it } from 'vitest';
import type { InboxOutput } from '../../src/engine/inbox/inbox-fields.ts';
import { openInline, settings } from '../contract/engines.ts';
import { update } from '../../src/engine/records/update.ts';
import { write } from '../../src/engine/records/write.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { openLoci } from '../../src/surfaces/library/open.ts';
import { connectStdio } from './mcp-session.ts';
import { startServer } from './rest-server.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

async function homeWithChanges(): Promise<string> {
  const home = temporaryFolder();
  await loci(['config', 'init'], { home });
  const owner = await openInline(settings(home, { writes: { enabled: true } }));
  const agent = owner.as({
    ...owner.caller,
    actor: 'claude',
    surface: 'mcp',
    trust: 'agent',
    session: 's\u001b[1',
  });
  const { id } = await write(owner, { content: 'mine\n', title: 'Mine' });
  await update(agent, { id, content: 'theirs\n' });
  await write(agent, { content: 'The oven is induction.', title: 'Oven' });
  await owner.close();
  return home;
}

it('`loci inbox` shows what agents changed, and keeps and undoes it', async () => {
  const home = await homeWithChanges();
  const run = (...words: string[]): ReturnType<typeof loci> => loci(['inbox', ...words], { home });
  const { stdout } = await run();
  expect(stdout).toMatch(
    /^claude via mcp · 1 written, 1 changed · .+ · group [0-9a-f]{12}\nsession s\u241b\[1\n {2}3 .+ write {2}record\/2 {2}Oven\n +The oven is induction\.\n/,
  );
  expect(stdout).toMatch(/\n {2}2 .+ update {2}record\/1 {2}Mine\n(.*\n)*.*-mine\n.*\+theirs\n/);
  const { groups, total } = await lociJson<InboxOutput>(['inbox', 'list'], { home });
  expect([total, groups[0]!.session]).toEqual([2, 's\u001b[1']);
  const asked = await loci(['inbox', 'undo', '--group', groups[0]!.id], { home, answer: 'n\n' });
  expect(asked.stderr).toContain(`Undo all changes of group ${groups[0]!.id}?`);
  expect((await run()).stdout).toBe(stdout);
  expect((await run('undo', '2')).stdout).toMatch(
    /^Undid 1 change\.\n {2}record\/1 {2}changed back {2}Mine\n`loci inbox undo --undo [0-9a-f-]{36}` takes this back\.\n$/,
  );
  expect(await run('keep', '3')).toMatchObject({ stdout: 'Kept 1 change; the inbox is empty.\n', code: 0 });
  expect((await run()).stdout).toBe('The inbox is empty: you have seen all that agents have changed.\n');
  expect(await run('undo', '2')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('not in the inbox: change 2') as string,
  });
});

it('`loci inbox` says that a text is the present one where it was changed again', async () => {
  const home = await homeWithChanges();
  await loci(['update', '2', '--content', 'The oven is gas.'], { home });
  expect((await loci(['inbox'], { home })).stdout).toMatch(
    /write {2}record\/2 {2}Oven\n +now: The oven is gas\.\n/,
  );
});

it('`loci inbox undo` fails if nothing could be undone, and says why', async () => {
  const home = await homeWithChanges();
  await loci(['update', '1', '--content', 'mine again'], { home });
  const { stdout, code } = await loci(['inbox', 'undo', '2'], { home });
  expect([stdout, code]).toEqual([
    expect.stringMatching(/Undid 0 changes, 1 could not be undone\.\n.*changed again: update by/),
    5,
  ]);
});

it('has the session that each surface names', async () => {
  const server = await startServer({}, { mcp: mcpHandler });
  const token = await server.token('default', 'write');
  const content = { content: 'x' };
  const request = (headers: Record<string, string>) =>
    server.request('/api/v1/memory/write', { token, headers, method: 'POST', body: content });
  expect((await request({ 'X-Loci-Session': 'rest-1' })).status).toBe(200);
  expect((await request({})).status).toBe(200);
  for (const session of ['x'.repeat(513), 'undo:1'])
    expect((await request({ 'X-Loci-Session': session })).problem).toMatchObject({ code: 'invalid_input' });
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'memory_write', arguments: content },
  };
  const headers = { 'X-Loci-Session': 'mcp-1', Accept: 'application/json, text/event-stream' };
  expect((await server.request('/mcp', { token, headers, method: 'POST', body: call })).status).toBe(200);
  expect((await server.request('/api/v1/inbox/list', { token })).problem).toMatchObject({
    code: 'forbidden',
  });
  const { home } = server;
  await server.close();
  for (const _ of [1, 2]) {
    const client = await connectStdio({ home });
    await client.callTool({ name: 'memory_write', arguments: content });
    await client.close();
  }
  const library = await openLoci({ home });
  await library.as({ namespace: 'default', actor: 'program', session: 'library-1' }).write(content);
  await library.write(content);
  expect(() => library.as({ namespace: 'default', session: ' x' })).toThrow('session');
  const { groups } = await library.inboxList();
  await library.close();
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
  expect(groups.map(({ agent, surface, session }) => [agent, surface, session])).toEqual([
    ['program', 'library', 'library-1'],
    ['test-client', 'mcp', uuid],
    ['test-client', 'mcp', uuid],
    [expect.any(String), 'mcp', 'mcp-1'],
    [expect.any(String), 'rest', null],
    [expect.any(String), 'rest', 'rest-1'],
  ]);
});
