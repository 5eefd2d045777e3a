import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorTurn, type Turn } from '../host/turn.ts';
import type { ExtraPath } from './agent-workspaces.ts';
import { GatewayEngine } from './engine.ts';
import {
  captureFacts,
  corpusDocuments,
  readMemory,
  runWrite,
  searchMemory,
  storeConversation,
} from './run-tool.ts';
import { write } from '../../../engine/records/write.ts';
import { get } from '../../../engine/records/get.ts';

const MAIN = operatorTurn('main');
const STRANGER: Turn = { agent: 'main', isOwner: false, isSandboxed: false };

describe('the engine of a gateway', () => {
  let folder: string;
  const engines: GatewayEngine[] = [];
  const extraPaths: ExtraPath[] = [];
  const logged: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-gateway-'));
    for (const agent of ['main', 'work']) mkdirSync(join(folder, agent, 'memory'), { recursive: true });
  });

  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    logged.length = 0;
    extraPaths.length = 0;
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(config: Record<string, unknown> = {}): Promise<GatewayEngine> {
    const engine = await GatewayEngine.open({
      plugin: 'memory-loci',
      config: {
        home: join(folder, 'home'),
        embedding: { provider: 'none' },
        skills: [],
        writes: { enabled: true },
        ...config,
      },
      workspaces: () => ['main', 'work'].map((agent) => ({ agent, folder: join(folder, agent), extraPaths })),
      log: (message) => logged.push(message),
    });
    engines.push(engine);
    return engine;
  }

  const paths = async (engine: GatewayEngine, query: string, turn: Turn): Promise<string[]> => {
    const { results } = await searchMemory(engine, { query }, { turn });
    return results.map(({ path }) => path);
  };

  it('indexes the memory files of each workspace for its agent alone, and nothing else of the folder', async () => {
    writeFileSync(join(folder, 'main', 'MEMORY.md'), 'The oven is induction.');
    writeFileSync(join(folder, 'main', 'SOUL.md'), 'The oven of my soul.');
    writeFileSync(join(folder, 'main', 'user.md'), 'Ada sleeps late.');
    writeFileSync(join(folder, 'work', 'memory', '2026-11-20.md'), 'The oven of the office.');
    const engine = await open();
    await engine.workspaces.refresh();
    expect(await paths(engine, 'oven', MAIN)).toEqual(['MEMORY.md']);
    expect(await paths(engine, 'who sleeps late', MAIN)).toEqual(['user.md']);
    expect(await paths(engine, 'oven', operatorTurn('work'))).toEqual(['memory/2026-11-20.md']);
  });

  it('follows changes of memory files, and their removal', async () => {
    const file = join(folder, 'main', 'MEMORY.md');
    writeFileSync(file, 'The oven is induction.');
    const engine = await open();
    await engine.workspaces.refresh('main');
    writeFileSync(file, 'The stove burns wood.');
    await engine.workspaces.refresh('main');
    expect(await paths(engine, 'oven', MAIN)).toEqual([]);
    expect(await paths(engine, 'stove', MAIN)).toEqual(['MEMORY.md']);
    rmSync(file);
    await engine.workspaces.refresh('main');
    expect(await paths(engine, 'stove', MAIN)).toEqual([]);
  });

  it('indexes of a further folder only what its pattern names', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(join(shared, 'runbooks', 'kitchen'), { recursive: true });
    writeFileSync(join(shared, 'runbooks', 'kitchen', 'oven.md'), 'The oven needs a reset.');
    writeFileSync(join(shared, 'runbooks', 'oven.txt'), 'The oven as text.');
    writeFileSync(join(shared, 'oven.md'), 'The oven of the draft.');
    extraPaths.push({ path: shared, pattern: 'runbooks/**/*.md' });
    const engine = await open();
    await engine.workspaces.refresh();
    expect(await paths(engine, 'oven', MAIN)).toEqual(['runbooks/kitchen/oven.md']);
  });

  it('does not follow a link out of the workspace', async () => {
    writeFileSync(join(folder, 'secret.md'), 'The oven password is elsewhere.');
    symlinkSync(join(folder, 'secret.md'), join(folder, 'main', 'memory', 'link.md'));
    const engine = await open();
    await engine.workspaces.refresh();
    expect(await paths(engine, 'oven', MAIN)).toEqual([]);
  });

  it('shares the namespace of the owner with its agents, under citations that memory_get accepts', async () => {
    const engine = await open();
    await write(await engine.loci(), { content: 'The stopcock is under the stairs.' });
    await runWrite(engine, 'write', { content: 'The stopcock turns left.' }, { turn: MAIN });
    const found = await paths(engine, 'stopcock', MAIN);
    expect(found.toSorted()).toEqual(['default:record/1', 'record/1']);
    const read = await readMemory(engine, { path: 'default:record/1' }, { turn: MAIN });
    expect(read).toMatchObject({ status: 'ok', text: 'The stopcock is under the stairs.' });
  });

  it('gives a turn of somebody else the memory of its agent alone, and lets it write nothing', async () => {
    const engine = await open();
    await write(await engine.loci(), { content: 'The stopcock is under the stairs.' });
    await runWrite(engine, 'write', { content: 'The stopcock turns left.' }, { turn: MAIN });
    expect(await paths(engine, 'stopcock', STRANGER)).toEqual(['record/1']);
    expect(await readMemory(engine, { path: 'default:record/1' }, { turn: STRANGER })).toMatchObject({
      status: 'not_found',
    });
    for (const [name, input] of [
      ['write', { content: 'x' }],
      ['fact-store', { key: 'k', value: 'v' }],
      ['delete', { id: 1 }],
    ] as const)
      await expect(runWrite(engine, name, input, { turn: STRANGER })).rejects.toMatchObject({
        code: 'forbidden',
      });
    expect(await captureFacts(engine, ['I prefer tea.'], { turn: STRANGER, origin: {} })).toBe(0);
  });

  it('grants the owner the own and the shared namespaces, and others and sandboxes the own one', async () => {
    const engine = await open();
    expect(engine.grant(MAIN)).toEqual({ own: 'agent:main', shared: ['default'], mayWrite: true });
    for (const turn of [STRANGER, { ...MAIN, isSandboxed: true }, { ...STRANGER, isSandboxed: true }])
      expect(engine.grant(turn)).toEqual({ own: 'agent:main', shared: [], mayWrite: false });
  });

  it('lets agents share memory only if the settings give them the same namespace', async () => {
    const engine = await open({
      agents: { kids: { namespace: 'family' }, main: { namespace: 'family' } },
      shared: ['family', 'house'],
    });
    expect(engine.namespaceOf('kids')).toBe(engine.namespaceOf('main'));
    // A name of a property of every object is no setting.
    expect(engine.namespaceOf('constructor')).toBe('agent:constructor');
    expect(engine.grant(MAIN)).toEqual({ own: 'family', shared: ['house'], mayWrite: true });
  });

  it('lets the strictest of several restrictions decide', async () => {
    const engine = await open({ nonOwner: { read: 'all', write: true }, sandboxed: { read: 'none' } });
    expect(engine.grant(STRANGER)).toEqual({ own: 'agent:main', shared: ['default'], mayWrite: true });
    expect(engine.grant({ ...STRANGER, isSandboxed: true })).toEqual({
      own: null,
      shared: [],
      mayWrite: false,
    });
    await expect(
      searchMemory(engine, { query: 'oven' }, { turn: { ...MAIN, isSandboxed: true } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('refuses to write records while writes are disabled, but stores facts', async () => {
    const engine = await open({ writes: { enabled: false } });
    await expect(runWrite(engine, 'write', { content: 'x' }, { turn: MAIN })).rejects.toMatchObject({
      code: 'writes_disabled',
    });
    await expect(captureFacts(engine, ['I prefer tea.'], { turn: MAIN, origin: {} })).rejects.toMatchObject({
      code: 'writes_disabled',
    });
    await runWrite(engine, 'fact-store', { key: 'tea', value: 'Assam' }, { turn: MAIN });
    expect(await paths(engine, 'Assam', MAIN)).toHaveLength(1);
  });

  it('writes a stated fact once, with its turn, and no more than the settings allow', async () => {
    const engine = await open({ autoCapture: { maxPerTurn: 2, maxPerDay: 3 } });
    const capture = (facts: string[]): Promise<number> =>
      captureFacts(engine, facts, { turn: MAIN, origin: { session: 'agent:main:main', run: 'run-1' } });
    expect(await capture(['I prefer tea.', 'My sister lives in Bergen.', 'Call me Ada.'])).toBe(2);
    expect(await capture(['I prefer tea.'])).toBe(0);
    expect(await capture(['Call me Ada.'])).toBe(1);
    expect(await capture(['I never eat fish.'])).toBe(0);
    const record = await get(await engine.loci('agent:main'), { citation: 'record/1' });
    expect(record).toMatchObject({
      text: 'I prefer tea.',
      trust: 'agent',
      tags: ['captured'],
      metadata: { captured_from: { session: 'agent:main:main', run: 'run-1' } },
    });
  });

  it('finds conversations in turns of the owner alone, and only if they are stored', async () => {
    const engine = await open({ sessions: { enabled: true } });
    const origin = { session: 'agent:main:telegram:1', run: 'run-1' };
    await storeConversation(engine, {
      turn: MAIN,
      text: 'User: Where is the stopcock?\n\nAgent: Upstairs.',
      origin,
    });
    await storeConversation(engine, { turn: STRANGER, text: 'User: The stopcock is mine.', origin });
    expect(await paths(engine, 'stopcock', MAIN)).toEqual(['agent:main:sessions:record/1']);
    expect(await paths(engine, 'stopcock', STRANGER)).toEqual([]);
    expect(await paths(engine, 'stopcock', { ...MAIN, isSandboxed: true })).toEqual([]);
    expect(await paths(engine, 'stopcock', operatorTurn('work'))).toEqual([]);
    const read = await readMemory(engine, { path: 'agent:main:sessions:record/1' }, { turn: MAIN });
    expect(read).toMatchObject({ status: 'ok', text: expect.stringContaining('Upstairs') as string });
    const other = await open();
    await expect(
      searchMemory(other, { query: 'stopcock', corpus: 'sessions' }, { turn: MAIN }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('masks secrets in stated facts', async () => {
    const engine = await open();
    await captureFacts(engine, ['My password is swordfish-4411.'], { turn: MAIN, origin: {} });
    const record = await get(await engine.loci('agent:main'), { citation: 'record/1' });
    expect(record.text).not.toContain('swordfish');
  });

  it('gives facts and runs of the agent as documents for another memory', async () => {
    const engine = await open();
    await runWrite(engine, 'fact-store', { key: 'tea', value: 'Assam in the morning' }, { turn: MAIN });
    const documents = await corpusDocuments(engine, { query: 'Assam', limit: 5 }, MAIN);
    expect(documents[0]).toMatchObject({ collection: 'facts', path: 'facts/user_facts/tea' });
    expect(await corpusDocuments(engine, { query: 'Assam', limit: 5 }, operatorTurn('work'))).toEqual([]);
  });

  it('finds runs of tools after everything else, and reads them (F7)', async () => {
    const engine = await open();
    await runWrite(engine, 'write', { content: 'The pack is in the attic.' }, { turn: MAIN });
    const found = await paths(engine, 'pack call memory_write', MAIN);
    expect(found[0]).toBe('record/1');
    expect(found[1]).toMatch(/^pack_history\/\d+$/);
    const read = await readMemory(engine, { path: found[1]! }, { turn: MAIN });
    expect(read).toMatchObject({
      status: 'ok',
      text: expect.stringContaining('## Pack call: memory_write') as string,
    });
  });

  it('reads a long record in parts that continue where the last one ended', async () => {
    const engine = await open();
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${String(i + 1)} ${'x'.repeat(40)}`);
    await runWrite(engine, 'write', { content: lines.join('\n') }, { turn: MAIN });
    const read: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const part = await readMemory(engine, { path: 'record/1', from }, { turn: MAIN });
      if (part.status !== 'ok') throw new Error(part.status);
      read.push(part.text);
      from = part.nextFrom;
    }
    expect(read.length).toBeGreaterThan(2);
    expect(read.join('\n')).toBe(lines.join('\n'));
  });

  it.each([
    { path: 'record/1#L25-L32' },
    { path: 'record/1', from: 25, lines: 8 },
    { path: 'record/1', from: 93, lines: 200 },
  ])('says of a range that it was cut only if it was: %j', async (input) => {
    const engine = await open();
    const lines = Array.from({ length: 100 }, (_, i) => `line ${String(i + 1)}`);
    await runWrite(engine, 'write', { content: lines.join('\n') }, { turn: MAIN });
    const read = await readMemory(engine, input, { turn: MAIN });
    expect(read).toMatchObject({ status: 'ok', lines: 8 });
    expect(read).not.toHaveProperty('nextFrom');
    expect(read).not.toHaveProperty('truncated');
  });

  it('names what it cannot honour of pasted settings', async () => {
    await open({ table: 'memories' });
    expect(logged.join('\n')).toContain('plugins.entries.memory-loci.config.table');
  });
});
