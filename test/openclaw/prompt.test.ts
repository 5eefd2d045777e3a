import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { loci, STARTUP } from './household.ts';
import { gateway, home, modelRequests, systemText } from './shared.ts';

it('the model is told the startup text, how to use memory, and the curated memory of the workspace', async () => {
  await modelRequests();
  await gateway.chat('Hello', { session: 'hello' });
  const [request] = await modelRequests();
  const system = request === undefined ? '' : systemText(request);
  expect(system).toContain(STARTUP);
  expect(system).toContain('## Memory (Loci)');
  expect(system).toContain('The gas man comes on Friday');
});

it('the model is offered the tools to recall and to remember, not only through a search for tools', async () => {
  await modelRequests();
  await gateway.chat('Hello', { session: 'tools' });
  const [request] = await modelRequests();
  expect(request?.tools).toEqual(
    expect.arrayContaining(['memory_search', 'memory_get', 'memory_write', 'memory_store']),
  );
});

it('the prompt before the messages has the same bytes in ten turns', async () => {
  await modelRequests();
  for (let turn = 0; turn < 10; turn++)
    await gateway.chat(`This is turn ${String(turn)}.`, { session: 'ten' });
  const [first = '', ...later] = (await modelRequests()).map(systemText);
  expect(later).toHaveLength(9);
  expect(first).toContain(STARTUP);
  for (const text of later)
    expect(hashOf(text), `not as in the first turn: ${differenceOf(first, text)}`).toBe(hashOf(first));
});

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where two texts begin to differ, with what the second has there. */
function differenceOf(before: string, after: string): string {
  const at = [...after].findIndex((character, i) => character !== before[i]);
  return JSON.stringify([before, after].map((text) => text.slice(Math.max(0, at - 40), at + 120)));
}

it('the next turn has a startup entry that the owner has changed meanwhile', async () => {
  await gateway.chat('Hello', { session: 'change' });
  await loci(home, 'startup', 'set', 'tone', 'Be brief in the evening.');
  await modelRequests();
  await gateway.chat('Hello again', { session: 'change' });
  const [request] = await modelRequests();
  expect(request === undefined ? '' : systemText(request)).toContain('Be brief in the evening.');
});
