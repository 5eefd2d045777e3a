import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { note, NOW, write } from '../../../test/contract/store-samples.ts';
import { commit } from '../../../test/contract/written-samples.ts';
import type { RecordNames } from '../concept-model.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';

const NOTES = 2600;
const TAGGED = [3, 700, 1999, 2600];

describe('calls that read in slices', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  let store: Store;
  beforeAll(async () => {
    const path = join(folder, 'loci.db');
    store = await openSqliteStore({ path, busyTimeoutMs: 1000, create: true });
    const notes = Array.from({ length: NOTES }, (_, i) =>
      note(`note ${String(i + 1)}`, {
        createdAt: NOW + i,
        updatedAt: NOW + i,
        tags: TAGGED.includes(i + 1) ? ['rare'] : [],
      }),
    );
    for (let i = 0; i < NOTES; i += 500) await write(store, 'many', ...notes.slice(i, i + 500));
    const names = new Map(
      notes.map((_, i): [number, RecordNames] => {
        const title = `title ${String(i + 1)}`;
        const tag = `tag ${String(i % 3)}`;
        const own = [
          { key: title, text: title, kind: 'title', line: null },
          { key: tag, text: tag, kind: 'tag', line: null },
        ] as const;
        return [i + 1, { project: 'p', note: `n_${String(i + 1)}`, names: own }];
      }),
    );
    await commit(store, 'many', {
      concepts: { names, mentions: new Map(), progress: { upTo: 1, rules: '' } },
    });
    await write(store, 'one', note('oven'));
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const timeline = async (time: number, before: number, after: number): Promise<number[][]> => {
    const filter = { now: NOW, tags: ['rare'] };
    const found = await store.records.timeline('many', { filter, around: { time }, before, after });
    return [found.before, found.after].map((side) => side.map(({ record }) => record.id));
  };

  it('find the same records of a timeline beyond the first slice', async () => {
    expect(await timeline(NOW - 1, 5, 5)).toEqual([[], TAGGED]);
    expect(await timeline(NOW + NOTES, 5, 5)).toEqual([TAGGED.toReversed(), []]);
    expect(await timeline(NOW + 1000, 1, 1)).toEqual([[700], [1999]]);
  });

  it('read each name of concepts once', async () => {
    const rows = await store.graph.conceptNames('many', { project: 'p' });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(NOTES + 3);
    expect(rows.filter(({ kind }) => kind === 'tag').map(({ key, count }) => [key, count])).toEqual(
      [867, 867, 866].map((count, i) => [`tag ${String(i)}`, count]),
    );
    const keys = rows.map(({ key }) => key);
    const counts = await store.graph.namings('many', { project: 'p', keys: [], counted: keys });
    expect(counts.size).toBe(NOTES + 3);
    expect(counts.get('tag 0')).toEqual({ records: 867, places: [] });
  });

  it('let a call of another namespace run in between', async () => {
    const finished: string[] = [];
    const keys = Array.from({ length: 100_000 }, (_, i) => `key ${String(i)}`);
    const request = { project: 'p', keys: [], counted: keys };
    const long = store.graph.namings('many', request).then(() => finished.push('many'));
    const short = store.search.terms('one', ['oven']).then(() => finished.push('one'));
    await Promise.all([long, short]);
    expect(finished).toEqual(['one', 'many']);
  });
});
