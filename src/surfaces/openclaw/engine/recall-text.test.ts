import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { GatewayMemory } from '../gateway-memory.ts';
import type { PluginApi } from '../host/api.ts';
import { operatorTurn } from '../host/turn.ts';
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

/** What auto-recall puts before a message. The receipts are stored when the engine is closed. */
async function recalled(message: string): Promise<string> {
  let hook: ((event: unknown, turn: unknown) => Promise<{ prependContext: string } | undefined>) | undefined;
  const api = { on: (_: string, handler: typeof hook) => (hook = handler) } as unknown as PluginApi;
  const memory = {
    turns: { of: () => MAIN },
    open: async () => ({ engine, recallText }),
    log: (text: string) => logged.push(text),
  } as unknown as GatewayMemory;
  registerRecall(api, memory);
  const turn = {
    trigger: 'user',
    agentId: 'main',
    sessionKey: 's',
    runId: 'r',
    toolAuthority: { allows: () => true, assertActive: () => undefined },
  };
  const answer = await hook!({ prompt: message }, turn);
  return answer?.prependContext ?? '';
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
