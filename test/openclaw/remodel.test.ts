import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { parseConfig } from '../../src/config/document.ts';
import { REFERENCE } from '../contract/shadowdb-settings.ts';
import { freePort } from './free-port.ts';
import { Gateway, GatewayClient } from './gateway.ts';
import { furnish, loci, TODO } from './household.ts';
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
  home.changeConfig({
    plugins: {
      slots: { memory: 'memory-loci' },
      entries: {
        'memory-core': { enabled: false },
        'memory-loci': {
          enabled: true,
          hooks: { allowConversationAccess: true },
          config: { autoRecall: { enabled: true } },
        },
      },
    },
  });
  gateway = await Gateway.start(home);
  const client = new GatewayClient(gateway.address);
  const found = (): Promise<string> =>
    hits("let's talk about the kitchen remodel", {}, client).then((all) => JSON.stringify(all));
  await expect.poll(found, { timeout: 100_000, interval: 500 }).toContain(TODO);
  await takeRequests(model.url);
  await client.chat(
    'Let’s talk about the kitchen remodel. CALL memory_search {"query":"let\'s talk about the kitchen remodel"}',
    { session: 'remodel' },
  );
  const last = (await takeRequests(model.url)).at(-1);
  const result = textOf(last?.messages.findLast(({ role }) => role === 'tool') ?? { role: 'tool' });
  expect(result).toContain('induction oven');
  expect(result).toContain(TODO);

  await client.chat('Let’s talk about the kitchen remodel.', { session: 'recall' });
  const [first] = await takeRequests(model.url);
  const told = first?.messages.map(textOf).join('\n');
  expect(told).toContain('induction oven');
  expect(told).toContain(TODO);
});

it('settings of memory-shadowdb, pasted while the gateway runs, take no memory down, and name what to run here', async () => {
  const plans = join(home.folder, 'plans');
  mkdirSync(plans);
  writeFileSync(join(plans, 'Attic.md'), 'The attic gets a window.');
  const { connectionString: _, ...pasted } = parseConfig(REFERENCE, 'openclaw.json').raw;
  const { slots, entries } = home.readConfig()['plugins'] as { slots: object; entries: object };
  const config = { ...pasted, vaults: [{ name: 'plans', path: plans }] };
  home.changeConfig({
    plugins: { slots, entries: { ...entries, 'memory-loci': { enabled: true, config } } },
  });
  const client = new GatewayClient(gateway!.address);
  const search = (): Promise<Record<string, unknown>> =>
    client.invoke('memory_search', { query: "let's talk about the kitchen remodel" }).then(
      ({ value }) => value,
      () => ({}),
    );
  await expect
    .poll(search, { timeout: 100_000, interval: 500 })
    .toMatchObject({ warning: expect.stringContaining('or `openclaw loci embed backfill`') as string });
  // By its meaning, with the vectors of before.
  expect(JSON.stringify(await search())).toContain(TODO);
  const { value } = await client.invoke('memory_write', { content: 'The oven comes in May.' });
  expect(value).toMatchObject({ status: 'ok', embedded: true });

  const plain = (): Promise<string> => loci(home, 'sources', 'list');
  await expect.poll(plain, { timeout: 100_000, interval: 500 }).toMatch(/^plans .*set elsewhere/m);
  expect(await plain()).toContain('plugins.entries.memory-loci.config had it');
  const { stdout } = await home.openclaw('loci', 'sources', 'list');
  expect(stdout).toMatch(/^plans .*fresh/m);
  expect(stdout).toMatch(/loci\.yaml had it .*`openclaw loci sources remove notes`/);
});
