import { expect, it } from 'vitest';
import { gateway, hits, home, modelRequests } from './shared.ts';
import { textOf } from './model-server.ts';

/** Scopes of somebody who may send messages to agents, but does not own the gateway. */
const GUEST = 'operator.read,operator.write';

it('each agent finds its own memory files', async () => {
  await expect.poll(() => hits('rabbit', { agent: 'kids' }), { timeout: 20_000 }).toHaveLength(1);
  await expect.poll(() => hits('gas man'), { timeout: 20_000 }).toHaveLength(1);
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

it('somebody who does not own the gateway reads the memory of the agent alone, and writes nothing', async () => {
  const guest = { scopes: GUEST };
  const written = await gateway.invoke('memory_write', { content: 'A guest was here.' }, guest);
  const stored = await gateway.invoke('memory_store', { key: 'guest', value: 'was here' }, guest);
  const read = await gateway.invoke('memory_get', { path: 'default:Kitchen remodel.md' }, guest);
  expect(written.value).toMatchObject({
    status: 'error',
    action: expect.stringContaining('nonOwner.write') as unknown,
  });
  expect(stored.value).toMatchObject({ status: 'error' });
  expect(JSON.stringify(read.value)).not.toContain('induction');
  expect(await hits('induction oven', guest)).toEqual([]);
  expect(await hits('gas man', guest)).toHaveLength(1);
  expect(await hits('guest was here')).toEqual([]);
});

it('a whole turn of somebody who does not own the gateway is refused a write too', async () => {
  const answer = await gateway.chat('CALL memory_write {"content":"A stranger was here."}', {
    session: 'guest',
    scopes: GUEST,
  });
  expect(answer).toContain('this turn may not write memory');
  expect(await hits('stranger was here')).toEqual([]);
});
