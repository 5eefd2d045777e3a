import { describe, expect, it } from 'vitest';
import {
  asAgent,
  editLines,
  openEngine,
  exportLines,
  SECRET,
} from '../../../test/contract/export-samples.ts';
import { NOW } from '../../../test/contract/store-samples.ts';
import type { Trust } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { HistoryLog, RUN_LIFETIME_MS } from '../audit/history-log.ts';
import { memoryPack } from '../packs/memory-pack.ts';
import { markReceipt } from '../packs/receipts.ts';
import { setStartup } from '../startup/startup.ts';
import { write } from '../records/write.ts';
import { importMemory } from './import.ts';
import type { ImportOutput, ItemTypeName } from './import-report.ts';

describe('an import of forged lines', () => {
  /** Imports an export in which `fields` replace those of its record. */
  async function importWith(fields: object, trust: Trust = 'agent'): Promise<[EngineContext, ImportOutput]> {
    const source = await openEngine();
    await write(source, { content: 'The oven is gas' });
    const lines = editLines(await exportLines(source), (line) =>
      line['type'] === 'record' ? { ...line, ...fields } : line,
    );
    const target = await openEngine();
    return [target, await importMemory(asAgent(target, trust), { lines })];
  }

  it.each(['created_at', 'updated_at', 'deleted_at', 'expires_at'])(
    'refuses a %s that cannot be formatted, because every answer with such a record would fail',
    async (field) => {
      const invalid = [9_007_199_254_740_991, -9_007_199_254_740_991, 8.64e15, '+275760-09-13T00:00:00.000Z'];
      for (const time of invalid) {
        await expect(importWith({ [field]: time }, 'operator')).rejects.toThrow(
          `line 2: ${field}: expected a time in ISO 8601, of the years 1 to 9999`,
        );
      }
    },
  );

  /** An export with an item of each type that is screened. */
  async function exportOfAll(): Promise<string> {
    const source = await openEngine();
    await write(source, { content: 'The oven is gas' });
    await setStartup(source, { key: 'soul', content: 'Be brief.' });
    const { receipt_id: id } = await memoryPack(source, { query: 'oven' });
    await markReceipt(source, { id: id!, item: '1', verdict: 'useful', query: 'oven' });
    const run = { name: 'search', surface: 'cli', actor: 'a', inputs: {}, outcome: 'done', tookMs: 1 };
    source.shared(HistoryLog).record('default', { ...run, category: 'pack_history', at: NOW });
    await source.shared(HistoryLog).flush();
    return exportLines(source);
  }

  it.each<[type: ItemTypeName, fields: object, result: 'added' | 'refused']>([
    ['record', { source: SECRET }, 'added'],
    ['record', { identity: SECRET }, 'added'],
    ['record', { revision: SECRET }, 'added'],
    ['record', { category: 'pack_history' }, 'refused'],
    ['record', { source: 'x'.repeat(513) }, 'refused'],
    ['record', { identity: 'x'.repeat(1_000_000) }, 'refused'],
    ['record', { revision: 'x'.repeat(513) }, 'refused'],
    ['startup', { content: SECRET }, 'added'],
    ['startup', { key: SECRET }, 'refused'],
    ['startup', { agent: SECRET }, 'refused'],
    ['startup', { agent: 'a\u001b]0;x' }, 'refused'],
    ['startup', { agent: 'a\nb' }, 'refused'],
    ['startup', { agent: ' a' }, 'refused'],
    ['history', { inputs: { a: SECRET }, actor: SECRET }, 'added'],
    ['history', { inputs: { a: 'x'.repeat(20_000) } }, 'refused'],
    ['history', { outcome: 'x'.repeat(1000) }, 'refused'],
    ['receipt', { query: `key\n${SECRET}` }, 'added'],
    ['receipt', { project: `key\t${SECRET}` }, 'refused'],
  ])(
    'masks secrets, or refuses what has one or is too long: a %s with %j is %s',
    async (type, fields, result) => {
      const lines = editLines(await exportOfAll(), (line) =>
        line['type'] === type ? { ...line, ...fields, content_hash: undefined } : line,
      );
      const target = await openEngine();
      const report = await importMemory(target, { lines });
      const counts = report[type === 'record' ? 'records' : type];
      expect([counts[result], counts.added + counts.refused]).toEqual([1, 1]);
      expect(report.masked).toEqual(result === 'added' ? ['GitHub token'] : []);
      const exported = await exportLines(target);
      expect([exported.includes(SECRET), exported.includes(`"type":"${type}"`)]).toEqual([
        false,
        result === 'added',
      ]);
      const again = (await importMemory(target, { lines }))[type === 'record' ? 'records' : type];
      expect(again).toMatchObject({ added: 0, updated: 0 });
    },
  );

  it('limits the lifetime of runs, and sets the source fields of the records of an agent', async () => {
    const lines = editLines(await exportOfAll(), (line) => ({
      ...line,
      ...(line['type'] === 'history' && { expires_at: '9999-01-01' }),
      ...(line['type'] === 'record' && { source: 'mine', identity: 'mine', revision: 'mine' }),
    }));
    const target = await openEngine();
    await importMemory(target, { lines });
    const expiry = new Date(NOW + RUN_LIFETIME_MS).toISOString();
    expect(await exportLines(target)).toContain(`"expires_at":"${expiry}"`);
    const byAgent = await openEngine();
    await importMemory(asAgent(byAgent), { lines });
    const page = { after: null, limit: 9 };
    const [record] = await byAgent.store.records.list('default', { scan: 'exportable', now: NOW }, page);
    expect(record).toMatchObject({ source: 'mcp', identity: null, revision: null });
  });

  it('does not let an imported id exhaust the range of ids', async () => {
    const [target, { records, renumbered }] = await importWith({ id: 2 ** 31 }, 'operator');
    expect([records.added, renumbered]).toMatchObject([1, [{ from: 2 ** 31, to: 1 }]]);
    const [withHighestId] = await importWith({ id: 2 ** 31 - 1 }, 'operator');
    await write(withHighestId, { content: 'The next' });
    const again = await importMemory(target, { lines: await exportLines(withHighestId) });
    expect(again.records).toMatchObject({ added: 2, refused: 0 });
  });
});
