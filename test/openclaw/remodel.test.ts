import { afterAll, expect, inject, it } from 'vitest';
import { freePort } from './free-port.ts';
import { Gateway, GatewayClient } from './gateway.ts';
import { furnish, TODO } from './household.ts';
import { startModelServer, takeRequests, textOf } from './model-server.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';
import { hits } from './shared.ts';

// Seed S's own sentence, with the bundled model, as a user has it: no word of the message names the todo.
const home = new OpenclawHome(undefined, 'local');
const model = await startModelServer();
let gateway: Gateway | null = null;

afterAll(async () => {
  await gateway?.stop();
  await model.close();
  home.remove();
});

it('a turn about the kitchen remodel gets the note, and the todo that no word of the message names', async () => {
  home.writeConfig({ ...baseConfig(home, await freePort(), model.url), plugins: {} });
  await home.openclaw(
    ...['plugins', 'install', `npm-pack:${inject('shared').tarball}`, '--force', '--accept-capabilities'],
  );
  await furnish(home);
  home.changeConfig({ plugins: baseConfig(home, 0, '')['plugins'] as object });
  gateway = await Gateway.start(home);
  const client = new GatewayClient(gateway.address);
  const found = (): Promise<string> =>
    hits("let's talk about the kitchen remodel", {}, client).then((all) => JSON.stringify(all));
  await expect.poll(found, { timeout: 60_000, interval: 500 }).toContain(TODO);
  await takeRequests(model.url);
  await client.chat(
    'Let’s talk about the kitchen remodel. CALL memory_search {"query":"let\'s talk about the kitchen remodel"}',
    { session: 'remodel' },
  );
  const last = (await takeRequests(model.url)).at(-1);
  const result = textOf(last?.messages.findLast(({ role }) => role === 'tool') ?? { role: 'tool' });
  expect(result).toContain('induction oven');
  expect(result).toContain(TODO);
});
