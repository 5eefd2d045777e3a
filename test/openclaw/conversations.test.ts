import { beforeAll, expect, it } from 'vitest';
import { RECALLING } from './household.ts';
import { textOf } from './model-server.ts';
import { gateway, modelRequests } from './shared.ts';

/** Scopes of somebody who may send messages to agents, but does not own the gateway. */
const GUEST = 'operator.read,operator.write';
const ASK = 'CALL memory_search {"query":"What is the boat called?","corpus":"sessions"}';

beforeAll(async () => {
  // Conversations from before the plugin has read them for the first time are left out.
  await gateway.chat(ASK, { session: 'direct:phone' });
  await gateway.chat('My boat is called Albatross.', { session: 'direct:ada' });
  await gateway.chat('Our boat is called Pelican.', { session: 'telegram:group:42' });
  await gateway.chat('My boat is called Gannet.', { session: 'direct:bob', scopes: GUEST });
});

it('what the owner has said in a private session is found in another one, and nothing else', async () => {
  const answer = await gateway.chat(ASK, { session: 'direct:phone' });
  expect(answer).toMatch(/"snippet":"User: My boat is called Albatross\./);
  expect(answer).toContain('"source":"sessions"');
  expect(answer).not.toMatch(/Pelican|Gannet/);
  const [, path = ''] = /"path":"([^"]+)","[^{}]*Albatross/.exec(answer) ?? [];
  const read = await gateway.chat(`CALL memory_get ${JSON.stringify({ path })}`, { session: 'direct:phone' });
  expect(read).toContain('User: My boat is called Albatross.\\nAssistant: OK');
});

it.each([
  ['another agent', { agent: 'kids', session: 'direct:phone' }],
  ['somebody else', { session: 'direct:guest', scopes: GUEST }],
  ['the owner in a session in which somebody else has spoken', { session: 'direct:bob' }],
  ['the owner in a group', { session: 'telegram:group:42' }],
])('%s does not find it', async (_, options) => {
  expect(await gateway.chat(ASK, options)).not.toContain('Albatross');
});

it('a search without `corpus` does not find it', async () => {
  const answer = await gateway.chat('CALL memory_search {"query":"What is the boat called?"}', {
    session: 'direct:phone',
  });
  expect(answer).toMatch(/^RESULT /);
  expect(answer).not.toContain('Albatross');
});

it('the recall of OpenClaw finds it, but nothing of the session that it recalls for, and nothing for others', async () => {
  const session = `direct:${RECALLING}`;
  const recalled = async (options: { readonly scopes?: string }): Promise<string> => {
    await modelRequests();
    await gateway.chat('Do you remember what I said earlier? CALL memory_search {"query":"boat called"}', {
      session,
      ...options,
    });
    const ofRecall = (await modelRequests()).filter(
      ({ tools }) => tools.includes('memory_search') && !tools.includes('memory_get'),
    );
    return ofRecall
      .flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool').map(textOf))
      .join();
  };
  await gateway.chat('This boat is called Plover.', { session });
  const forOwner = await recalled({});
  expect(forOwner).toContain('User: My boat is called Albatross.');
  expect(forOwner).not.toMatch(/Plover|Pelican|Gannet/);
  const forGuest = await recalled({ scopes: GUEST });
  expect(forGuest).toBe('');
});
