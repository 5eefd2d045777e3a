import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { HISTORY_CATEGORIES } from '../../store/admin-model.ts';
import { historyChanges, startupEntries } from '../../store/items/kinds.ts';
import { describe, expect, it, vi } from 'vitest';
import {
  asAgent,
  editLines,
  openEngine,
  exportLines,
  SECRET,
} from '../../../test/contract/export-samples.ts';
import { CHUNKING, note, NOW } from '../../../test/contract/store-samples.ts';
import { audit } from '../audit/read-audit.ts';
import { storeFact } from '../facts/facts.ts';
import type { EngineContext } from '../context.ts';
import { removeStartup, setStartup } from '../startup/startup.ts';
import { deleteRecord, undelete } from '../records/delete.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
import { importMemory } from './import.ts';

describe('an import', () => {
  it('by an agent raises no trust, and imports no notes of vaults and no startup entries', async () => {
    const source = await openEngine();
    await write(source, { content: 'The oven is gas' });
    await setStartup(source, { key: 'soul', content: 'Be brief.' });
    const lines = await exportLines(source);
    const target = await openEngine();
    const report = await importMemory(asAgent(target), { lines });
    expect([report.records.added, report.startup.refused, report.audit.added]).toEqual([1, 1, 0]);
    const [record] = await target.store.records.list(
      'default',
      { scan: 'exportable', now: NOW },
      { after: null, limit: 9 },
    );
    expect(record).toMatchObject({ trust: 'agent', source: 'mcp' });
    expect(await startupEntries(target.store.records, 'default')).toEqual([]);
    const forged = editLines(lines, (line) =>
      line['type'] === 'record' ? { ...line, origin: 'vault', key: 'a.md' } : line,
    );
    const other = await openEngine();
    expect((await importMemory(asAgent(other), { lines: forged })).records).toMatchObject({
      added: 0,
      refused: 1,
    });
    const readOnly = await openEngine({ writes: false });
    await expect(importMemory(asAgent(readOnly), { lines })).rejects.toMatchObject({
      code: 'writes_disabled',
    });
  });

  it('by an agent cannot make a record expire or be purged at once (R7)', async () => {
    const context = await openEngine();
    const { id } = await write(context, { content: 'The oven is gas' });
    const fact = await storeFact(context, { key: 'oven', value: 'gas' });
    const forged = editLines(await exportLines(context), (line) => {
      if (line['type'] !== 'record') return line;
      const later = { ...line, updated_at: NOW + 1 };
      return line['origin'] === 'fact'
        ? { ...later, expires_at: new Date(NOW + 1000).toISOString() }
        : { ...later, deleted_at: '2001-01-01T00:00:00.000Z' };
    });
    await importMemory(asAgent(context), { lines: forged });
    const [deleted, expiring] = await context.store.records.get('default', [id, fact.id], 'any');
    expect([deleted?.deletedAt, expiring?.expiresAt]).toEqual([NOW, Date.parse(fact.expires_at)]);
    const other = await openEngine();
    await importMemory(asAgent(other), { lines: forged });
    const [, added] = await other.store.records.get('default', [1, 2], 'any');
    expect(added?.expiresAt).toBe(NOW + 3_600_000);
    const expiringMemory = editLines(await exportLines(context), (line) =>
      line['type'] === 'record' && line['origin'] === 'memory'
        ? { ...line, updated_at: NOW + 2, expires_at: new Date(NOW + 1000).toISOString() }
        : line,
    );
    const report = await importMemory(asAgent(context), { lines: expiringMemory });
    expect(report.records.refused).toBe(1);
  });

  it('by an agent lowers the trust of a record of the operator, and does not choose ids', async () => {
    const context = await openEngine();
    const { id } = await write(context, { content: 'The oven is gas' });
    const later = editLines(await exportLines(context), (line) =>
      line['type'] === 'record'
        ? { ...line, content: 'The oven is steam', content_hash: undefined, updated_at: NOW + 1 }
        : line,
    );
    expect((await importMemory(asAgent(context), { lines: later })).records.updated).toBe(1);
    const [record] = await context.store.records.get('default', [id], 'any');
    expect(record).toMatchObject({ content: 'The oven is steam', trust: 'agent' });
    const withLargeId = editLines(later, (line) =>
      line['type'] === 'record'
        ? { ...line, id: 2_000_000_000, uuid: '00000000-0000-7000-8000-000000000001' }
        : line,
    );
    await importMemory(asAgent(context), { lines: withLargeId });
    expect((await context.store.records.bounds('default')).highestId).toBe(2);
  });

  it('leaves out expired records, and refuses a fact that never expires', async () => {
    let now = NOW;
    const source = await openEngine();
    await storeFact(source, { key: 'phone', value: '555', expires: '1h' });
    const lines = await exportLines(source);
    now += 3_600_000;
    const target = await openEngine({ now: () => now });
    expect((await importMemory(target, { lines })).records).toMatchObject({
      added: 0,
      expired: 1,
    });
    const unlimited = editLines(lines, (line) =>
      line['type'] === 'record' ? { ...line, expires_at: null } : line,
    );
    const report = await importMemory(target, { lines: unlimited });
    expect(report.records).toMatchObject({ added: 0, refused: 1 });
    expect(report.problems[0]?.message).toContain('365 days');
  });

  it('imports an item once even if the export repeats it, and its dry run counts the same and writes nothing', async () => {
    const source = await openEngine();
    for (let n = 0; n < 120; n++) await write(source, { content: `record ${String(n)}` });
    await setStartup(source, { key: 'soul', content: 'Be brief.' });
    type Line = Record<string, unknown>;
    const exported = (await exportLines(source)).trimEnd().split('\n');
    const lines = exported.map((line) => JSON.parse(line) as Line);
    const of = (type: string): Line[] => lines.filter((line) => line['type'] === type);
    const [first, second] = of('record');
    const other = { ...second, content: 'another', content_hash: undefined };
    const forged = of('audit').map((line) => (line['seq'] === 2 ? { ...line, actor: 'mallory' } : line));
    const all = [lines[0], ...of('startup'), ...of('record'), first, other, ...of('startup'), ...forged, {}];
    const repeated = editLines(all.map((line) => JSON.stringify(line)).join('\n'), (line) => line);
    const target = await openEngine();
    const { changes, ...dry } = await importMemory(target, { lines: repeated, dry_run: true });
    expect(changes).toHaveLength(121);
    expect(changes[1]).toMatchObject({ change: 'added', title: 'record 0' });
    expect(await target.store.admin.namespaces(ADMIN_NAMESPACE)).toEqual([]);
    const run = await importMemory(target, { lines: repeated });
    expect(run).toMatchObject({ records: { added: 120, kept: 2 }, startup: { added: 1, unchanged: 1 } });
    expect(run.conflicts.at(-1)?.message).toContain('was changed');
    expect({ ...run, changes }).toEqual({
      ...dry,
      ...{ changes, dry_run: false, why: run.why, took_ms: run.took_ms },
    });
  });

  it('reads an export of a program of before the first release, whose header has counts', async () => {
    const source = await openEngine();
    await write(source, { content: 'one' });
    const older = editLines(await exportLines(source), (line) =>
      line['type'] === 'header' ? { ...line, counts: { records: 1, concept_changes: 0 } } : line,
    );
    expect((await importMemory(await openEngine(), { lines: older })).records).toMatchObject({ added: 1 });
  });

  it('of a damaged file is refused with its line, and changes nothing', async () => {
    const source = await openEngine();
    await write(source, { content: 'one' });
    await write(source, { content: 'two' });
    const lines = (await exportLines(source)).trimEnd().split('\n');
    const second = lines[2]!;
    const damages: [string | null, RegExp][] = [
      [second.slice(0, -20), /line 3: it is not a JSON object/],
      [second.replace('"tags":[]', '"tags":"x"'), /line 3: tags: /],
      [
        second.replace('"content":"two"', '"content":"too"'),
        /line 3: the content does not match content_hash/,
      ],
      [second.replace('"category":"general"', '"category":"genera1"'), /line 6: it was changed: the digest/],
      [null, /line 5: it counts 5 lines before it, but there are 4/],
    ];
    const target = await openEngine();
    for (const [line, message] of damages) {
      const damaged = line === null ? lines.toSpliced(2, 1) : lines.with(2, line);
      await expect(importMemory(target, { lines: damaged.join('\n') })).rejects.toThrow(message);
    }
    await expect(importMemory(target, { lines: lines.slice(0, -1).join('\n') })).rejects.toThrow(
      /line 5: it was cut/,
    );
    expect(await target.store.admin.namespaces(ADMIN_NAMESPACE)).toEqual([]);
  });

  it('of everything into an empty store gives the same store, and changes nothing the second time', async () => {
    let now = NOW;
    const source = await openEngine({ now: () => now++ });
    const { id } = await write(source, { content: 'The oven is gas', tags: ['kitchen'] });
    await update(source, { id, content: 'The oven is steam' });
    const wrong = await write(source, { content: 'A mistake' });
    await deleteRecord(source, { id: wrong.id });
    const restored = await write(source, { content: 'Restored' });
    await deleteRecord(source, { id: restored.id });
    await undelete(source, { id: restored.id });
    for (const value of ['555', '556']) await storeFact(source, { key: 'phone', value });
    await setStartup(source, { key: 'soul', content: 'Be brief.' });
    await setStartup(source, { key: 'old', content: 'Be long.', position: 1 });
    await removeStartup(source, { key: 'old' });
    const { store } = source;
    const turn = note('We chose the tiles', { origin: 'source', source: 'session:a', key: 'turn 1' });
    await store.records.commit('default', { writes: [turn], chunking: CHUNKING });
    const run = { name: 'search', surface: 'cli', actor: 'a', inputs: { n: 1 }, outcome: 'done', tookMs: 1 };
    const runs = HISTORY_CATEGORIES.map((category) => ({
      ...run,
      category,
      at: NOW,
      expiresAt: NOW + 10 ** 9,
    }));
    await store.records.commit('default', { items: historyChanges(runs, 100) });
    const content = async (of: EngineContext): Promise<string[]> =>
      (await exportLines(of))
        .trimEnd()
        .split('\n')
        .slice(1, -1)
        .filter((line) => !line.includes('"action":"import"'));
    const lines = await exportLines(source);
    expect(new Set(lines.match(/"type":"\w+"/g)).size).toBe(6);
    const target = await openEngine({ now: () => now });
    await importMemory(target, { lines });
    expect(await content(target)).toEqual(await content(source));
    const again = await importMemory(target, { lines });
    for (const type of ['records', 'startup', 'audit', 'history'] as const)
      expect(again[type]).toMatchObject({ added: 0, updated: 0, removed: 0, kept: 0, refused: 0 });
    expect(await content(target)).toEqual(await content(source));
    expect(await undelete(target, { id: wrong.id })).toMatchObject({ id: wrong.id });
  });

  it('brings a deleted fact whose key another fact has', async () => {
    let now = NOW;
    const [source, target] = [await openEngine({ now: () => now++ }), await openEngine({ now: () => now })];
    const first = await storeFact(source, { key: 'phone', value: '555' });
    await importMemory(target, { lines: await exportLines(source) });
    await deleteRecord(source, { id: first.id });
    const second = await storeFact(source, { key: 'phone', value: '556' });
    await deleteRecord(source, { id: second.id });
    await undelete(source, { id: first.id });
    const { records } = await importMemory(target, { lines: await exportLines(source) });
    expect(records).toMatchObject({ added: 1, updated: 1, kept: 0 });
    const states = await target.store.records.get('default', [first.id, second.id], 'any');
    expect(states.map(({ deletedAt }) => deletedAt === null)).toEqual([true, false]);
  });

  it('names the lines of types that this version does not have, and imports the rest', async () => {
    const source = await openEngine();
    await write(source, { content: 'one' });
    const lines = (await exportLines(source)).replace(
      '{"type":"record"',
      '{"type":"former","key":1}\n{"type":"record"',
    );
    const target = await openEngine();
    const report = await importMemory(target, { lines: editLines(lines, (line) => line) });
    expect([report.records.added, report.problems]).toEqual([
      1,
      [{ location: 'line 2', message: 'this version knows no lines of the type "former"' }],
    ]);
  });

  it('of many items reads each kind of them once', async () => {
    const target = await openEngine();
    const header = (await exportLines(target)).split('\n')[0] ?? '';
    const entries = Array.from({ length: 2000 }, (_, n) =>
      JSON.stringify({
        ...{
          type: 'startup',
          agent: '',
          key: String(n),
          priority: 2,
          reinforce: false,
          content: 'Be brief.',
        },
        ...{ created_at: NOW, updated_at: NOW, deleted_at: null },
      }),
    );
    const lines = editLines([header, ...entries, '{}'].join('\n'), (line) => line);
    const items = vi.spyOn(target.store.records, 'items');
    const report = await importMemory(target, { lines });
    expect(report.startup.added).toBe(2000);
    expect(items.mock.calls.length).toBeLessThan(60);
  });

  it('keeps a record that was restored after an export that has its deletion, in both directions', async () => {
    const [source, target] = [await openEngine(), await openEngine()];
    const { id } = await write(source, { content: 'The oven is gas' });
    await deleteRecord(source, { id });
    const lines = await exportLines(source);
    await importMemory(target, { lines });
    await undelete(target, { id });
    const report = await importMemory(target, { lines });
    expect([report.records.removed, report.conflicts]).toMatchObject([0, [{ location: 'line 2' }]]);
    await importMemory(source, { lines: await exportLines(target) });
    for (const { store } of [source, target])
      expect(await store.records.get('default', [id], { liveAt: NOW })).toHaveLength(1);
  });

  it('attaches an audit chain, exports it again, and does not list it in the log', async () => {
    const [source, target] = [await openEngine(), await openEngine()];
    await write(source, { content: 'one' });
    const [entry] = (await audit(source, { limit: 1 })).entries;
    const lines = await exportLines(source);
    await importMemory(target, { lines });
    const { entries: log } = await audit(target, { limit: 100 });
    expect(log.map(({ action }) => action)).toEqual(['import']);
    const attachedLines = (text: string): string[] =>
      text.split('\n').filter((line) => line.includes(`"chain":"${entry!.chain}"`));
    expect(attachedLines(lines)).toHaveLength(1);
    expect(attachedLines(await exportLines(target))).toEqual(attachedLines(lines));
  });
});

describe('an import of the files of an OpenClaw agent', () => {
  it('masks a secret in a heading, and leaves out a file whose path contains one or cannot be a key', async () => {
    const target = await openEngine();
    const files = [
      { path: 'MEMORY.md', content: `# M\n\n## My ${SECRET}\n\nhello\n` },
      { path: `memory/${SECRET}.md`, content: 'name' },
      { path: `memory/${'x'.repeat(600)}.md`, content: 'long' },
      { path: 'memory/a\u001bb/x.md', content: 'control' },
    ];
    const report = await importMemory(asAgent(target), { files });
    expect([report.records.added, report.records.refused, [...report.masked]]).toEqual([
      1,
      3,
      ['GitHub token'],
    ]);
    expect(await exportLines(target)).not.toContain(SECRET);
    expect((await importMemory(asAgent(target), { files })).records.unchanged).toBe(1);
  });

  it('does not delete a record whose text was edited to something that is refused', async () => {
    const target = await openEngine();
    const importText = async (content: string): Promise<object> =>
      (await importMemory(target, { files: [{ path: 'MEMORY.md', content }] })).records;
    expect(await importText('## Oven\ngas\n## Tea\ngreen')).toMatchObject({ added: 2 });
    expect(await importText('## Oven\ngas \0\n## Tea\ngreen')).toMatchObject({
      removed: 0,
      refused: 1,
      unchanged: 1,
    });
    expect(await importText('## Tea\ngreen')).toMatchObject({ removed: 1, unchanged: 1 });
  });

  it('refuses a file with too many sections', async () => {
    const files = [{ path: 'memory/x.md', content: '- x\n'.repeat(10_001) }];
    const report = await importMemory(await openEngine(), { files });
    expect(report.problems).toMatchObject([{ message: expect.stringContaining('10001 sections') as string }]);
  });
});
