import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EngineContext } from '../../src/engine/context.ts';
import { chunkingOf } from '../../src/engine/embedding/models.ts';
import { exportToFile } from '../../src/engine/portable/export.ts';
import type { ImportOutput } from '../../src/engine/portable/import-report.ts';
import { openStore } from '../../src/store/registry.ts';
import { settings } from '../contract/engines.ts';
import { note, NOW } from '../contract/store-samples.ts';
import { loci, lociJson, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { countRecords, waitForFirstBatch } from './first-batch.ts';

const RECORDS = 2500;

/** Writes an export of many records. Returns its path. */
async function largeExport(): Promise<string> {
  const folder = temporaryFolder();
  const store = await openStore({ path: join(folder, 'x.db') }, { create: true });
  const context = EngineContext.create(settings(folder), store, { now: () => NOW });
  const writes = Array.from({ length: RECORDS }, (_, n) =>
    note(`The lantern of day ${String(n)}`, { origin: 'memory', key: null }),
  );
  const audit = { at: NOW, actor: 'a', surface: 'cli', action: 'write', subject: null, diff: null };
  await store.records.commit('default', {
    writes,
    chunking: (await chunkingOf(context)).signature,
    audit: [audit],
  });
  const path = join(folder, 'x.jsonl');
  await exportToFile(context, path, {});
  await context.close();
  return path;
}

describe('an interruption', () => {
  let file = '';

  beforeAll(async () => {
    file = await largeExport();
  });

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'of an import by %s leaves whole batches, and the next import adds the rest',
    async (signal) => {
      const home = temporaryFolder();
      await lociJson(['config', 'init'], { home });
      const running = startLoci(['import', file], { home });
      await waitForFirstBatch(home, running);
      running.child.kill(signal);
      expect((await running.ended).code).toBe(signal === 'SIGINT' ? 130 : null);
      const stored = countRecords(home);
      expect(stored).toBeLessThan(RECORDS);
      expect(stored % 100).toBe(0);
      const { records, audit, renumbered } = await lociJson<ImportOutput>(['import', file], { home });
      expect(records).toMatchObject({ unchanged: stored, added: RECORDS - stored });
      expect([audit.added, renumbered]).toEqual([1, []]);
      expect(countRecords(home)).toBe(RECORDS);
      expect(await loci(['doctor'], { home })).toMatchObject({ code: 0 });
    },
  );

  it('of an export leaves no incomplete file', async () => {
    const home = temporaryFolder();
    await lociJson(['import', file], { home });
    const folder = temporaryFolder();
    const running = startLoci(['export', '--to', join(folder, 'out')], { home });
    await expect
      .poll(() => readdirSync(folder).length > 0 || running.child.exitCode !== null, {
        interval: 1,
        timeout: 100_000,
      })
      .toBe(true);
    running.child.kill('SIGINT');
    const { code } = await running.ended;
    // The export may have been complete already.
    expect([130, 0]).toContain(code);
    expect(readdirSync(folder)).toEqual(code === 0 ? ['out'] : []);
  });
});
