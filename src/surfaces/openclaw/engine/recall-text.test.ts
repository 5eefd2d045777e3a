import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatewayMemory, PromptFiles } from '../gateway-memory.ts';
import type { BootstrapEvent, PluginApi, TurnContext } from '../host/api.ts';
import { operatorTurn, type Turn } from '../host/turn.ts';
import type { StartupPrompt } from '../prompt.ts';
import { registerRecall } from '../recall.ts';
import { GatewayEngine } from './engine.ts';
import { recallText } from './recall-text.ts';
import * as tools from './run-tool.ts';
import { indexVaults } from '../../../engine/reading/index-vaults.ts';
import { write } from '../../../engine/records/write.ts';
import { listReceipts, readReceipts } from '../../../engine/packs/receipts.ts';
import { verifyReceipt } from '../../../engine/packs/verify-receipt.ts';

const MAIN = operatorTurn('main');
const MESSAGE = 'What about the oven door?';

let folder: string;
let engine: GatewayEngine;
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loci-recall-'));
  mkdirSync(join(folder, 'main'), { recursive: true });
  mkdirSync(join(folder, 'vault'));
  logged = [];
  await open();
});

afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<void> {
  engine = await GatewayEngine.open({
    plugin: 'memory-loci',
    config: {
      home: join(folder, 'home'),
      embedding: { provider: 'none' },
      skills: [],
      writes: { enabled: true },
      vaults: [{ name: 'vault', path: join(folder, 'vault') }],
      autoRecall: { enabled: true, minScore: 0 },
    },
    workspaces: () => [{ agent: 'main', folder: join(folder, 'main'), extraPaths: [] }],
    log: (message) => logged.push(message),
  });
}

/** The parts of a prompt that are there before a message. */
interface PromptParts {
  readonly startup?: string;
  readonly files?: readonly { readonly name: string; readonly content: string }[];
}

interface RecalledOptions extends PromptParts {
  readonly turn?: Turn;
  readonly context?: TurnContext;
  readonly settings?: object;
}

/** What auto-recall puts after a message. The receipts are stored when the engine is closed. */
async function recalled(
  message: string,
  { startup = '', files = [], turn = MAIN, context = {}, settings = {} }: RecalledOptions = {},
): Promise<string> {
  let hook: ((event: unknown, turn: unknown) => Promise<{ appendContext: string } | undefined>) | undefined;
  let bootstrap: ((event: BootstrapEvent) => void) | undefined;
  const api = {
    pluginConfig: { autoRecall: settings },
    on: (_: string, handler: typeof hook) => (hook = handler),
    registerHook: (_: string, handler: typeof bootstrap) => (bootstrap = handler),
  } as unknown as PluginApi;
  const memory = {
    turns: { of: () => turn },
    open: async () => ({ engine, recallText }),
    promptFiles: new PromptFiles(),
    log: (text: string) => logged.push(text),
  } as unknown as GatewayMemory;
  registerRecall(api, memory, { last: () => [startup] } as unknown as StartupPrompt);
  bootstrap!({ sessionKey: 's', context: { bootstrapFiles: files } });
  const answer = await hook!(
    { prompt: message },
    {
      trigger: 'user',
      agentId: 'main',
      sessionKey: 's',
      runId: 'r',
      toolAuthority: { allows: () => true, assertActive: () => undefined },
      ...context,
    },
  );
  return answer?.appendContext ?? '';
}

it('auto-recall writes a receipt into each namespace that the text comes from, which says where its bytes are', async () => {
  writeFileSync(join(folder, 'vault/Oven.md'), '# Oven\n\nThe oven door has a marzipan handle.\n');
  await indexVaults(await engine.loci());
  const own = await engine.loci(engine.namespaceOf('main'));
  await write(own, { content: 'The oven door closes softly.', title: 'Door' });
  const text = await recalled(MESSAGE);
  expect(text).toContain('marzipan handle');
  expect(text).toContain('closes softly');
  const namespaces = [engine.config.namespace, engine.namespaceOf('main')];
  const stored = async (): Promise<number[]> =>
    Promise.all(
      namespaces.map(
        async (name) => (await listReceipts(await engine.loci(name), { limit: 5 })).receipts.length,
      ),
    );
  // The text does not wait for its receipts.
  await expect.poll(stored).toEqual([1, 1]);

  const prompt = `${text}\n\n${MESSAGE}`;
  for (const [namespace, words, citation] of [
    [engine.config.namespace, 'marzipan handle', 'Oven.md#L3-L3'],
    [engine.namespaceOf('main'), 'closes softly', 'record/1'],
  ] as const) {
    const loci = await engine.loci(namespace);
    const { receipts } = await readReceipts(loci, { limit: 5 });
    expect(receipts).toMatchObject([{ kind: 'recall', candidates: [{ included: true, reason: null }] }]);
    expect(JSON.stringify(receipts)).not.toMatch(/oven|marzipan|softly|door/i);
    const verified = await verifyReceipt(loci, { prompt });
    expect(verified.receipts).toMatchObject([{ whole: true }]);
    const shown = verified.receipts[0]!.pieces.map((piece) => ({
      text: Buffer.from(prompt).subarray(piece.prompt!.start, piece.prompt!.end).toString(),
      citation: piece.citation,
      state: piece.state,
    }));
    expect(shown).toContainEqual({
      text: expect.stringContaining(words) as string,
      citation,
      state: 'same',
    });
  }
  expect(logged).toEqual([]);
});

it('auto-recall writes no receipt when nothing was recalled', async () => {
  expect(await recalled('What about the teapot?')).toBe('');
  await engine.close();
  await open();
  expect((await listReceipts(await engine.loci(), { limit: 5 })).receipts).toEqual([]);
});

it('auto-recall keeps to its length, cites records of shared namespaces with their names, and has the same bytes each time', async () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) =>
    `The oven door number ${String(i)} is made of steel. `.repeat(9),
  );
  writeFileSync(join(folder, 'vault/Oven.md'), `# Oven\n\n${paragraphs.join('\n\n')}\n`);
  await indexVaults(await engine.loci());
  const text = await recalled(MESSAGE);
  expect(text.length).toBeGreaterThan(1000);
  expect(text.length).toBeLessThanOrEqual(2400);
  const [, citation = ''] = /^◆ (\S+)/m.exec(text) ?? [];
  expect(citation).toMatch(new RegExp(`^${engine.config.namespace}:Oven\\.md#L\\d+-L\\d+$`));
  const read = await tools.readMemory(engine, { path: citation }, { turn: MAIN });
  expect(read).toMatchObject({ status: 'ok', text: expect.stringContaining('made of steel') as string });
  expect(await recalled(MESSAGE)).toBe(text);
});

it('auto-recall does not repeat what the prompt has, and gives nothing in its place that is only like it', async () => {
  const own = await engine.loci(engine.namespaceOf('main'));
  await write(own, { content: '# Oven\n\n- The oven door closes softly.', title: 'Oven' });
  await write(own, { content: 'The door of the garden is green.', title: 'Garden' });
  const file = { name: 'MEMORY.md', content: '# Oven\n\n- The oven door closes softly.\n- More.\n' };
  const question = 'How does the oven door close, softly?';
  const settings = { minScore: 0.3 };
  Object.assign(engine.settings.autoRecall, settings);
  expect(await recalled(question)).toContain('closes softly');
  expect(await recalled(question, { files: [file] })).toBe('');
  expect(await recalled(question, { startup: 'Oven\nThe oven door closes softly.' })).toBe('');
  // The host cuts a long file, so that the prompt may lack the line.
  const long = { ...file, content: file.content + 'x'.repeat(20_000) };
  expect(await recalled(question, { files: [long] })).toContain('closes softly');
  expect(await recalled(question, { startup: 'Oven\nThe oven door' })).toContain('closes softly');
});

it('auto-recall leaves out turns that no message of a user started, unless the settings name them', async () => {
  await write(await engine.loci(engine.namespaceOf('main')), { content: 'The oven door closes softly.' });
  const subagent = { sessionKey: 'agent:main:subagent:1' };
  const contexts = { cron: { trigger: 'cron' }, heartbeat: { trigger: 'heartbeat' }, subagent };
  for (const [trigger, context] of Object.entries(contexts)) {
    expect(await recalled(MESSAGE, { context })).toBe('');
    const settings = { triggers: [trigger] };
    expect(await recalled(MESSAGE, { context, settings })).toContain('closes softly');
    expect(await recalled(MESSAGE, { settings })).toBe('');
  }
});

it('auto-recall gives somebody else than the owner nothing of the owner', async () => {
  await write(await engine.loci(), { content: 'The oven door closes softly.' });
  await write(await engine.loci('agent:main'), { content: 'The oven door is hot.' });
  expect(await recalled(MESSAGE)).toContain('closes softly');
  expect(await recalled(MESSAGE, { turn: { ...MAIN, isOwner: false, peer: 'bob' } })).toBe('');
});

it('auto-recall has the newest value of all namespaces first, and an earlier one names it', async () => {
  const [old, current] = [
    'The collection day of the paper bin is Monday.',
    'The day of the paper bin is Thursday.',
  ];
  mkdirSync(join(folder, 'main/memory'));
  writeFileSync(join(folder, 'main/memory/2025-02-11.md'), old);
  await engine.workspaces.refresh();
  await write(await engine.loci(), { content: current });
  const text = await recalled('What is the collection day of the paper bin?');
  expect(text.indexOf(current)).toBeGreaterThan(0);
  expect(text.indexOf(old)).toBeGreaterThan(text.indexOf(current));
  expect(text).toMatch(/◆ memory\/2025-02-11\.md#L1-L1 earlier: see default:record\/1 \(\d+ \w+ \d{4}\)/);
  const past = await recalled('What was the collection day of the paper bin before?');
  expect(past).toContain(old);
  expect(past).not.toContain('earlier: see');
});
