import { expect, it } from 'vitest';
import { STARTUP } from './household.ts';
import { gateway, hits, home, modelRequests, systemText } from './shared.ts';
import { textOf } from './model-server.ts';

/** Scopes of somebody who may send messages to agents, but does not own the gateway. */
const GUEST = 'operator.read,operator.write';

it('each agent finds its own memory files', async () => {
  await expect.poll(() => hits('rabbit', { agent: 'kids' }), { timeout: 100_000 }).toHaveLength(1);
  await expect.poll(() => hits('gas man'), { timeout: 100_000 }).toHaveLength(1);
});

it('no agent finds the memory files of another', async () => {
  expect(await hits('rabbit', { agent: 'main' })).toEqual([]);
  expect(await hits('gas man', { agent: 'kids' })).toEqual([]);
});

it('no agent finds, reads or changes what another has written', async () => {
  const written = await gateway.invoke('memory_write', { content: 'The safe opens with 4711.' });
  const { id, citation } = written.value as { readonly id: number; readonly citation: string };
  const other = { agent: 'kids' };
  const changed = await gateway.invoke('memory_update', { id, content: 'changed' }, other);
  const deleted = await gateway.invoke('memory_delete', { id }, other);
  const forged = await gateway.invoke('memory_get', { path: `agent:main:${citation}` }, other);
  const guessed = await gateway.invoke('memory_get', { path: citation }, other);
  expect(await hits('safe opens 4711', other)).toEqual([]);
  expect([changed.value, deleted.value]).toMatchObject([{ status: 'error' }, { status: 'error' }]);
  for (const { value } of [forged, guessed]) expect(JSON.stringify(value)).not.toContain('safe opens');
  expect(await hits('safe opens 4711')).toHaveLength(1);
});

it('no agent sees the memory of another in a whole turn', async () => {
  await modelRequests();
  const answer = await gateway.chat('CALL memory_search {"query":"gas man"}', { agent: 'kids' });
  expect(answer).toMatch(/^RESULT .*"results":\[\]/);
  const seen = (await modelRequests()).flatMap(({ messages }) => messages.map(textOf)).join('\n');
  expect(seen).toContain('The rabbit eats no cabbage');
  expect(seen).not.toContain('The gas man comes');
});

it('both agents find what the owner has in the vault', async () => {
  expect((await hits('induction oven', { agent: 'kids' }))[0]?.path).toBe('default:Kitchen remodel.md');
  expect((await hits('induction oven', { agent: 'main' }))[0]?.path).toBe('default:Kitchen remodel.md');
});

it('`openclaw memory` shows what the agent can recall, and names no folder that it has as missing', async () => {
  const run = async (...words: string[]): Promise<unknown> =>
    JSON.parse((await home.openclaw('memory', '--agent', 'kids', ...words, '--json')).stdout);
  const [found, status] = await Promise.all([run('search', 'induction oven rabbit'), run('status')]);
  const { results } = found as { readonly results: readonly { readonly source: string }[] };
  expect(results.map(({ source }) => source).toSorted()).toEqual(['notes', 'workspace of kids']);
  expect(status).toMatchObject({
    namespace: 'agent:kids',
    vaults: [{ name: 'workspace of kids', changes: { added: 0, changed: 0, gone: 0 } }],
    unconfigured_vaults: [],
    shared: [{ namespace: 'default', vaults: [{ name: 'notes' }], unconfigured_vaults: [] }],
  });
});

it('somebody who does not own the gateway reads and writes nothing, and the owner still does', async () => {
  const guest = { scopes: GUEST };
  for (const [tool, args] of Object.entries({
    memory_search: { query: 'gas man' },
    memory_get: { path: 'MEMORY.md' },
    memory_write: { content: 'A guest was here.' },
    memory_store: { key: 'guest', value: 'was here' },
  })) {
    const { status, value } = await gateway.invoke(tool, args, guest);
    // Reading is answered with why it is refused.
    const isRefused = status === 404 || JSON.stringify(value).includes('this turn may not read memory');
    expect([tool, isRefused]).toEqual([tool, true]);
    expect(JSON.stringify(value)).not.toContain('gas man comes');
  }
  expect(await hits('gas man')).toHaveLength(1);
  expect(await hits('guest was here')).toEqual([]);
});

it('a whole turn of somebody who does not own the gateway is offered no memory, and recalls nothing', async () => {
  const session = 'guest';
  await modelRequests();
  await gateway.chat('When does the gas man come?', { session, scopes: GUEST });
  await gateway.chat('CALL memory_write {"content":"A stranger was here."}', { session, scopes: GUEST });
  const requests = await modelRequests();
  expect(requests.length).toBeGreaterThan(1);
  for (const request of requests) {
    expect(request.tools.filter((name) => name.startsWith('memory_'))).toEqual([]);
    expect(systemText(request)).not.toContain(STARTUP);
    expect(request.messages.map(textOf).join('\n')).not.toContain('<loci-recall');
  }
  expect(await hits('stranger was here')).toEqual([]);
});

it('a subagent finds what the session may that has started it', async () => {
  const args = { task: 'Look it up. CALL memory_search {"query":"gas man"}' };
  await gateway.chat(`CALL tool_call ${JSON.stringify({ id: 'sessions_spawn', args })}`, {
    session: 'parent',
  });
  const texts: string[] = [];
  // Its report is a turn of two requests, after which nothing of it disturbs other tests.
  const reports = async (): Promise<number> => {
    for (const { messages } of await modelRequests()) texts.push(messages.map(textOf).join('\n'));
    return texts.filter((text) => text.includes('A background task completed')).length;
  };
  await expect.poll(reports, { timeout: 100_000 }).toBeGreaterThanOrEqual(2);
  const ofSubagent = texts.filter((text) => text.includes('[Subagent Task]'));
  expect(ofSubagent.some((text) => text.includes('gas man comes on Friday'))).toBe(true);
});
