import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { loci, STARTUP } from './household.ts';
import { textOf } from './model-server.ts';
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

/** The answer to the last one is in the prompt, as a part of MEMORY.md. */
const QUESTIONS = [
  'what did we decide about the induction oven?',
  'when do the cabinets come?',
  'which tiles are along the counter?',
  'when does the gas man come on Friday?',
];

it('in twenty turns, each request begins with all of the one before, up to the end of its message', async () => {
  const said = Array.from({ length: 20 }, (_, i) => `Turn ${String(i)}: ${QUESTIONS[i % QUESTIONS.length]!}`);
  await modelRequests();
  for (const message of said) await gateway.chat(message, { session: 'twenty' });
  const requests = await modelRequests();
  for (const [i, { messages }] of requests.entries()) {
    const text = messages.map(textOf).join('\n');
    expect(text.split('The gas man comes'), said[i]).toHaveLength(2);
    if ((i + 1) % QUESTIONS.length > 0) expect(text, said[i]).toContain('<loci-recall');
  }
  const bytes = requests.map(({ messages }) => JSON.stringify(messages));
  for (const [i, message] of said.slice(0, -1).entries()) {
    const stable = bytes[i]!.slice(0, bytes[i]!.indexOf(message) + message.length);
    expect(
      hashOf(bytes[i + 1]!.slice(0, stable.length)),
      `turn ${String(i)}: ${differenceOf(stable, bytes[i + 1]!)}`,
    ).toBe(hashOf(stable));
  }
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
