import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorTurn, turnOf, type Turn } from '../host/turn.ts';
import type { ExtraPath } from './agent-workspaces.ts';
import { GatewayEngine } from './engine.ts';
import { timelineOf } from './timeline.ts';
import { captureMessage, readMemory, runRead, runWrite, searchMemory } from './run-tool.ts';
import { listInbox } from '../../../engine/inbox/inbox.ts';
import { refreshVault } from '../../../engine/reading/refresh/refresh-vault.ts';
import { sourceReports } from '../../../engine/reading/reports.ts';
import { recallText } from './recall-text.ts';
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

  it('puts what was said later in a shared namespace before what the agent wrote earlier', async () => {
    writeFileSync(
      join(folder, 'main', 'memory', '2025-02-11.md'),
      'The collection day of the paper bin is Monday.',
    );
    const engine = await open();
    await engine.workspaces.refresh();
    await write(await engine.loci('default'), { content: 'The day of the paper bin is Thursday.' });
    const query = 'collection day of the paper bin';
    const { results } = await searchMemory(engine, { query }, { turn: MAIN });
    expect(results.map(({ path }) => path)).toEqual(['default:record/1', 'memory/2025-02-11.md']);
    expect(results[1]?.time).toMatch(/^earlier: see default:record\/1 \(/);
  });

  it('gives a turn of somebody else nothing, or the memory of its agent alone, and lets it write nothing', async () => {
    const closed = await open();
    await expect(searchMemory(closed, { query: 'stopcock' }, { turn: STRANGER })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const engine = await open({ nonOwner: { read: 'agent' } });
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
    expect(
      await captureMessage(engine, 'Remember that I am allergic to nuts.', { turn: STRANGER, origin: {} }),
    ).toEqual({
      stored: 0,
      secrets: 0,
    });
  });

  it('gives each sender a memory of their own, which no other sender finds, and nothing of the owner', async () => {
    const engine = await open({ nonOwner: { perSender: true, write: true, shared: ['family'] } });
    const [bob, eve] = ['+491700000001', '+491700000002'].map((requesterSenderId) =>
      turnOf({ senderIsOwner: false, messageChannel: 'whatsapp', requesterSenderId }),
    ) as [Turn, Turn];
    await write(await engine.loci('family'), { content: 'The stopcock of the family is red.' });
    await write(await engine.loci(), { content: 'The stopcock of the owner is blue.' });
    await runWrite(engine, 'write', { content: 'The stopcock of the agent is grey.' }, { turn: MAIN });
    await runWrite(engine, 'write', { content: 'The stopcock of Bob is green.' }, { turn: bob });
    expect(await paths(engine, 'stopcock', bob)).toEqual(['record/1', 'family:record/1']);
    expect(await paths(engine, 'stopcock', eve)).toEqual(['family:record/1']);
    expect((await paths(engine, 'stopcock', MAIN)).toSorted()).toEqual(['default:record/1', 'record/1']);

    const { own } = engine.grant(bob);
    expect(own).toMatch(/^agent:main\/peer:[0-9a-f]{32}$/);
    const forged = await readMemory(engine, { path: `${own!}:record/1` }, { turn: eve });
    expect(forged).toMatchObject({ status: 'not_found' });
    expect(engine.readsStartup(bob)).toBe(false);
    // Nobody who is known, and another agent.
    expect(engine.grant(STRANGER)).toEqual({ own: 'family', shared: [], mayWrite: false });
    expect(engine.grant({ ...bob, agent: 'work' }).own).toMatch(/^agent:work\/peer:/);

    // The key of the home is in the name, so that it is the same after a restart, and another one elsewhere.
    const again = await open({ nonOwner: { perSender: true } });
    expect(again.grant(bob).own).toBe(own);
    const elsewhere = await open({ home: join(folder, 'other'), nonOwner: { perSender: true } });
    expect(elsewhere.grant(bob).own).not.toBe(own);
  });

  it('refuses to write records while writes are disabled, but stores facts', async () => {
    const engine = await open({ writes: { enabled: false } });
    await expect(runWrite(engine, 'write', { content: 'x' }, { turn: MAIN })).rejects.toMatchObject({
      code: 'writes_disabled',
    });
    await expect(
      captureMessage(engine, 'Remember that I am allergic to nuts.', { turn: MAIN, origin: {} }),
    ).rejects.toMatchObject({ code: 'writes_disabled' });
    await runWrite(engine, 'fact-store', { key: 'tea', value: 'Assam' }, { turn: MAIN });
    expect(await paths(engine, 'Assam', MAIN)).toHaveLength(1);
  });

  it('writes a requested fact once, with its turn, and no more than the settings allow', async () => {
    const engine = await open({ autoCapture: { maxPerTurn: 2, maxPerDay: 3 } });
    const stored = async (message: string): Promise<number> => {
      const origin = { session: 'agent:main:main', run: 'run-1' };
      return (await captureMessage(engine, message, { turn: MAIN, origin })).stored;
    };
    expect(
      await stored(
        'Remember that I am allergic to nuts. Remember that my dog is Rex. Remember that tea is best.',
      ),
    ).toBe(2);
    expect(await stored('Remember that I am allergic to nuts.')).toBe(0);
    expect(await stored('Remember that tea is best.')).toBe(1);
    await runWrite(engine, 'write', { content: 'x' }, { turn: MAIN, session: 'agent:main:other' });
    const { groups } = await listInbox(await engine.loci('agent:main'));
    expect(groups.map(({ agent, session, total }) => [agent, session, total])).toEqual([
      ['main', 'agent:main:other', 1],
      ['main', 'agent:main:main', 3],
    ]);
    expect(await stored('Remember that I have two cats.')).toBe(0);
    const record = await get(await engine.loci('agent:main'), { citation: 'record/1' });
    expect(record).toMatchObject({
      text: 'I am allergic to nuts.',
      trust: 'agent',
      tags: ['captured'],
      metadata: { captured_from: { agent: 'main', session: 'agent:main:main', run: 'run-1' } },
    });
  });

  it('says of a fact until when it was true, in a search, when it is read, and recalls it no longer', async () => {
    const engine = await open({ autoRecall: { minScore: 0 } });
    for (const fact of ['I live in Berlin.', 'I live in Hamburg now.'])
      await captureMessage(engine, `Remember that ${fact}`, { turn: MAIN, origin: {} });
    const { results } = await searchMemory(engine, { query: 'Berlin' }, { turn: MAIN });
    const until = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
    expect(results[0]).toMatchObject({ snippet: 'I live in Berlin.', valid_until: until });
    const read = await readMemory(engine, { path: 'record/1' }, { turn: MAIN });
    expect(read).toMatchObject({ text: 'I live in Berlin.', valid_until: until });
    const recalled = await recallText(engine, { query: 'Where in Berlin do I live?', prompt: [] }, MAIN);
    expect(recalled).toContain('I live in Hamburg now.');
    expect(recalled).not.toContain('I live in Berlin.');
  });

  it('lists the facts of the agent alone, and to nobody who may not read', async () => {
    const engine = await open();
    await runWrite(engine, 'fact-store', { key: 'tea', value: 'Assam in the morning' }, { turn: MAIN });
    const listed = (turn: Turn): Promise<unknown> => runRead(engine, 'fact-list', {}, { turn });
    expect(await listed(MAIN)).toMatchObject({ total: 1 });
    expect(await listed(operatorTurn('work'))).toMatchObject({ total: 0 });
    expect(() => listed(STRANGER)).toThrow('may not read memory');
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

  it('finds the sources of skills in each workspace, in addition to those of a user', async () => {
    for (const agent of ['main', 'work']) {
      const skill = join(folder, agent, 'skills', `tasks-${agent}`);
      mkdirSync(skill, { recursive: true });
      writeFileSync(
        join(skill, 'SKILL.md'),
        '---\nname: x\nmemorySource: { id: of-AGENT, command: ls }\n---\n'.replace('AGENT', agent),
      );
    }
    const ids = async (config: Record<string, unknown>): Promise<string[]> =>
      (await sourceReports(await (await open(config)).loci())).map(({ id }) => id);
    expect(await ids({ skills: undefined })).toEqual(expect.arrayContaining(['of-main', 'of-work']));
    expect(await ids({ skills: [] })).toEqual([]);
  });

  it('has one timeline of all namespaces of a turn, whose citations can be read', async () => {
    const days = [1, 2, 3, 4, 5, 6];
    mkdirSync(join(folder, 'vault'));
    for (const day of days) {
      const place = day % 2 === 1 ? 'vault' : join('main', 'memory');
      writeFileSync(join(folder, place, `2026-09-0${String(day)}.md`), `# Day ${String(day)}.`);
    }
    const engine = await open({ nonOwner: { read: 'agent' } });
    await engine.workspaces.refresh();
    await refreshVault(await engine.loci(), { path: join(folder, 'vault') });
    const all = await timelineOf(engine, { time: '2026-09-04' }, { turn: MAIN });
    const titles = (entries: typeof all.entries): string[] => entries.map(({ title }) => title);
    expect(titles(all.entries)).toEqual(days.map((day) => `2026-09-0${String(day)}`));
    const anchor = all.entries[2]!.citation;
    expect(anchor).toMatch(/^default:/);
    const near = await timelineOf(engine, { anchor, before: 1, after: 2 }, { turn: MAIN });
    expect(titles(near.entries)).toEqual(['2026-09-02', '2026-09-03', '2026-09-04', '2026-09-05']);
    expect([near.more_before, near.more_after]).toEqual([true, true]);
    expect(await readMemory(engine, { path: anchor }, { turn: MAIN })).toMatchObject({ text: '# Day 3.' });
    const tight = await timelineOf(engine, { anchor, budget: 100 }, { turn: MAIN });
    expect(titles(tight.entries)).toContain('2026-09-03');
    expect(tight.entries.length).toBeLessThan(6);
    expect(titles((await timelineOf(engine, {}, { turn: STRANGER })).entries)).toEqual([
      '2026-09-02',
      '2026-09-04',
      '2026-09-06',
    ]);
  });

  it('names what it cannot honour of pasted settings', async () => {
    await open({ table: 'memories' });
    expect(logged.join('\n')).toContain('plugins.entries.memory-loci.config.table');
  });
});
