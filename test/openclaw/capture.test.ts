import { expect, it } from 'vitest';
import { gateway, hits, home } from './shared.ts';

const OWNER = { agent: 'kids', session: 'capture' };
/** Scopes of somebody who may send messages to agents, but does not own the gateway. */
const GUEST = { agent: 'kids', scopes: 'operator.read,operator.write' };

interface Proposals {
  readonly proposals: readonly { readonly id: number; readonly text: string }[];
}

async function texts(query: string): Promise<readonly string[]> {
  return (await hits(query, { agent: 'kids' })).map(({ snippet }) => snippet);
}

it('auto-capture stores what the owner asks to remember, proposes the rest, and keeps no PIN', async () => {
  await gateway.chat(
    'Please remember that the piano tuner is called Ottilie. My PIN is 4711. My sister lives in Tromsø.',
    OWNER,
  );
  const stored = ['The piano tuner is called Ottilie.'];
  await expect.poll(() => texts('piano tuner'), { timeout: 100_000 }).toEqual(stored);
  expect(await texts('sister in Tromsø')).toEqual([]);
  expect(await texts('PIN 4711')).toEqual([]);
  expect(gateway.output).toMatch(/sentences? with a secret/);
  expect(gateway.output).not.toContain('4711');
  const { stdout } = await home.openclaw('loci', 'capture', '--agent', 'kids', 'list', '--json');
  const { proposals } = JSON.parse(stdout) as Proposals;
  expect(proposals).toMatchObject([{ text: 'My sister lives in Tromsø.' }]);
  const { id } = proposals[0]!;
  const accepted = await gateway.invoke(
    'memory_proposals',
    { action: 'accept', ids: [id] },
    { agent: 'kids' },
  );
  expect(accepted.value).toMatchObject({ status: 'ok', accepted: [{ id }] });
  expect(await texts('sister in Tromsø')).toEqual(['My sister lives in Tromsø.']);
});

it('auto-capture keeps nothing that somebody else says, and shows nobody else what it proposes', async () => {
  await gateway.chat('Remember that I have two ferrets. My brother lives in Narvik.', {
    ...GUEST,
    session: 'guest-capture',
  });
  await gateway.chat('Remember that the ferry leaves from Lofoten.', OWNER);
  const stored = ['The ferry leaves from Lofoten.'];
  await expect.poll(() => texts('ferry from Lofoten'), { timeout: 100_000 }).toEqual(stored);
  expect(await texts('two ferrets')).toEqual([]);
  const list = { action: 'list' };
  const own = await gateway.invoke('memory_proposals', list, { agent: 'kids' });
  expect(own.value).toMatchObject({ proposals: [], total: 0 });
  const foreign = await gateway.invoke('memory_proposals', list, GUEST);
  expect(foreign.status).toBe(404);
});
