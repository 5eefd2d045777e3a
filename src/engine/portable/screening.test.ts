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
import { RUN_LIFETIME_MS } from '../audit/history-log.ts';
import { setStartup } from '../startup/startup.ts';
import { write } from '../records/write.ts';
import { importMemory } from './import.ts';
import type { ImportOutput } from './import-report.ts';

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

  it('refuses reserved categories (F3), and source fields that are too long', async () => {
    for (const fields of [
      { category: 'pack_history' },
      { source: 'x'.repeat(513) },
      { identity: 'x'.repeat(1_000_000) },
      { revision: 'x'.repeat(513) },
    ]) {
      const [, { records }] = await importWith(fields, 'operator');
      expect([records.added, records.refused], Object.keys(fields)[0]).toEqual([0, 1]);
    }
  });

  it.each(['source', 'identity', 'revision'])('masks a secret in %s', async (field) => {
    const [byOperator, { masked }] = await importWith({ [field]: SECRET }, 'operator');
    expect([...masked]).toEqual(['GitHub token']);
    expect(await exportLines(byOperator)).not.toContain(SECRET);
    const [byAgent] = await importWith({ [field]: 'mine' });
    const [record] = await byAgent.store.records.list(
      'default',
      { scan: 'exportable', now: NOW },
      { after: null, limit: 9 },
    );
    expect(record).toMatchObject({ source: 'mcp', identity: null, revision: null });
  });

  it('refuses secrets and control characters in the names of startup entries', async () => {
    const source = await openEngine();
    await setStartup(source, { key: 'soul', content: 'Be brief.' });
    const lines = await exportLines(source);
    const importEntry = async (fields: object): Promise<[EngineContext, ImportOutput]> => {
      const target = await openEngine();
      const forged = editLines(lines, (line) => (line['type'] === 'startup' ? { ...line, ...fields } : line));
      return [target, await importMemory(target, { lines: forged })];
    };
    for (const fields of [{ key: SECRET }, { agent: SECRET }]) {
      const [target, { startup }] = await importEntry(fields);
      expect(startup).toMatchObject({ added: 0, refused: 1 });
      expect(await exportLines(target)).not.toContain(SECRET);
    }
    for (const agent of ['a\u001b]0;x', 'a\nb', ' a'])
      expect((await importEntry({ agent }))[1].startup).toMatchObject({ added: 0, refused: 1 });
  });

  it('masks secrets in runs, and limits their size and their lifetime', async () => {
    const target = await openEngine();
    const run = { type: 'history', category: 'pack_history', name: 'search', surface: 'mcp', actor: 'bot' };
    const details = { inputs: {}, outcome: 'done', at: NOW, took_ms: 1, expires_at: '9999-01-01' };
    const runs = [
      { ...run, ...details },
      { ...run, ...details, inputs: { a: SECRET }, actor: SECRET },
      { ...run, ...details, inputs: { a: 'x'.repeat(20_000) } },
      { ...run, ...details, outcome: 'x'.repeat(1000) },
    ];
    const header = (await exportLines(target)).split('\n')[0] ?? '';
    const lines = editLines(
      [header, ...runs.map((each) => JSON.stringify(each)), '{}'].join('\n'),
      (line) => line,
    );
    const report = await importMemory(target, { lines });
    expect([report.history.added, report.problems.length, [...report.masked]]).toEqual([
      2,
      2,
      ['GitHub token'],
    ]);
    const exported = await exportLines(target);
    expect(exported).not.toContain(SECRET);
    expect(exported).toContain(`"expires_at":"${new Date(NOW + RUN_LIFETIME_MS).toISOString()}"`);
    expect((await importMemory(target, { lines })).history).toMatchObject({ added: 0, unchanged: 2 });
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
