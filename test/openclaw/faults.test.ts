import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { freePort } from './free-port.ts';
import { Gateway } from './gateway.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';
import { hits } from './shared.ts';

/** The configuration of the memory-shadowdb plugin, as its documentation shows it, without its `connectionString`. */
const SHADOWDB_CONFIG = {
  table: 'memories',
  embedding: { provider: 'ollama', model: 'nomic-embed-text', dimensions: 768 },
  search: { vectorWeight: 0.7, textWeight: 0.3, recencyWeight: 0.15 },
  writes: { enabled: true, autoEmbed: true, retention: { purgeAfterDays: 30 } },
  startup: {
    enabled: true,
    mode: 'digest',
    maxChars: 6000,
    maxCharsByModel: { opus: 6000, sonnet: 5000 },
  },
};

const home = new OpenclawHome();
const STORE = join(home.lociHome, 'loci.db');
const BROKEN = 'This is no database. '.repeat(1000);
let gateway: Gateway;

function plugins(config: object): object {
  const { plugin } = inject('shared');
  return {
    load: { paths: [plugin] },
    slots: { memory: 'memory-loci' },
    entries: { 'memory-core': { enabled: false }, 'memory-loci': { enabled: true, config } },
  };
}

beforeAll(async () => {
  mkdirSync(home.lociHome);
  writeFileSync(STORE, BROKEN);
  home.writeConfig({
    ...baseConfig(home, await freePort(), inject('shared').modelUrl),
    plugins: plugins(SHADOWDB_CONFIG),
  });
  gateway = await Gateway.start(home);
});

afterAll(async () => {
  await gateway.stop();
  home.remove();
});

it('with a broken store, turns go on, and each tool says what is wrong and what to do', async () => {
  const { status, value } = await gateway.invoke('memory_search', { query: 'attic' });
  expect([status, value]).toMatchObject([200, { unavailable: true, disabled: true, results: [] }]);
  expect((value as { readonly action: string }).action).not.toBe('');
  expect(await gateway.chat('Hello')).toBe('OK');
  expect(readFileSync(STORE, 'utf8')).toBe(BROKEN);
});

it('memory comes back without a restart once the store is repaired', async () => {
  rmSync(STORE);
  await expect
    .poll(async () => (await gateway.invoke('memory_search', { query: 'attic' })).value, { timeout: 100_000 })
    .toMatchObject({ results: [], notice: expect.stringContaining('Nothing found') as unknown });
});

it('the configuration of memory-shadowdb works, and the log names what Loci does not have', async () => {
  const { value } = await gateway.invoke('memory_write', { content: 'The attic is dry.' });
  expect(value).toMatchObject({ status: 'ok' });
  expect(await hits('attic', {}, gateway)).toHaveLength(1);
  for (const key of ['table', 'embedding.provider']) expect(gateway.output).toContain(key);
});

it('a change of the settings in openclaw.json holds without a restart of the process', async () => {
  const { pid } = gateway;
  const statusOfWrite = async (): Promise<number | string> => {
    // While the gateway applies the change, a request may fail.
    const searched = await hits('attic', {}, gateway).catch(() => []);
    if (searched.length !== 1) return 'memory is not there yet';
    return (await gateway.invoke('memory_write', { content: 'The cellar is damp.' })).status;
  };
  home.changeConfig({ plugins: plugins({ ...SHADOWDB_CONFIG, writes: { enabled: false } }) });
  await expect.poll(statusOfWrite, { timeout: 100_000, interval: 500 }).toBe(404);
  home.changeConfig({ plugins: plugins(SHADOWDB_CONFIG) });
  await expect.poll(statusOfWrite, { timeout: 100_000, interval: 500 }).toBe(200);
  expect(gateway.pid).toBe(pid);
});

it('every write that was answered survives a gateway that is killed while it writes', async () => {
  const answered: string[] = [];
  const writing = Array.from({ length: 200 }, async (_, i) => {
    const word = `parcel${String(i)}x`;
    const { value } = await gateway.invoke('memory_write', { content: `The shelf has ${word}.` });
    if (value['status'] === 'ok') answered.push(word);
    if (answered.length === 20) await gateway.stop('SIGKILL');
  });
  const outcomes = await Promise.allSettled(writing);
  gateway = await Gateway.start(home);
  // Some were not answered, so that the gateway was killed while it wrote.
  expect(outcomes.filter(({ status }) => status === 'rejected')).not.toHaveLength(0);
  expect(answered.length).toBeGreaterThanOrEqual(20);
  const isFound = async (word: string): Promise<boolean> =>
    (await hits(word, {}, gateway)).some(({ snippet }) => snippet.includes(word));
  for (const word of answered) {
    // A gateway that has just started may answer before its memory does, and a search has a limit of time. What is lost stays lost.
    await expect.poll(() => isFound(word).catch(() => false), { message: word }).toBe(true);
  }
});
