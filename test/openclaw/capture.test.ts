import { expect, it } from 'vitest';
import { gateway, hits } from './shared.ts';

const OWNER = { agent: 'kids', session: 'capture' };
/** Scopes of somebody who may send messages to agents, but does not own the gateway. */
const GUEST = { agent: 'kids', scopes: 'operator.read,operator.write' };

async function texts(query: string): Promise<readonly string[]> {
  return (await hits(query, { agent: 'kids' })).map(({ snippet }) => snippet);
}

it('auto-capture stores what the owner asks to remember, nothing else, and no PIN', async () => {
  await gateway.chat(
    'Please remember that the piano tuner is called Ottilie. Remember that my PIN is 4711. My sister lives in Tromsø.',
    OWNER,
  );
  const stored = ['The piano tuner is called Ottilie.'];
  await expect.poll(() => texts('piano tuner'), { timeout: 100_000 }).toEqual(stored);
  expect(await texts('sister in Tromsø')).toEqual([]);
  expect(await texts('PIN 4711')).toEqual([]);
  expect(gateway.output).toMatch(/sentences? with a secret/);
  expect(gateway.output).not.toContain('4711');
});

it('auto-capture keeps nothing that somebody else says', async () => {
  await gateway.chat('Remember that I have two ferrets.', {
    ...GUEST,
    session: 'guest-capture',
  });
  await gateway.chat('Remember that the ferry leaves from Lofoten.', OWNER);
  const stored = ['The ferry leaves from Lofoten.'];
  await expect.poll(() => texts('ferry from Lofoten'), { timeout: 100_000 }).toEqual(stored);
  expect(await texts('two ferrets')).toEqual([]);
});
