import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { recordHistogram } from '../browse/record-facets.ts';
import { timeline } from '../packs/timeline.ts';
import { search } from '../records/search.ts';
import { indexVaults } from './index-vaults.ts';

const NOW = Date.parse('2026-05-01T12:00:00');
const [DAY, MINUTE] = [86_400_000, 60_000];
/** The notes of a vault that was copied a quarter of an hour ago, within five minutes. */
const COPIED = Array.from({ length: 20 }, (_, i) => `zebra ${String(i)}.md`);

const folder = folderForEach();
const path = (note: string): string => join(folder.path, 'vault', note);
const age = (note: string, before: number): Promise<void> =>
  utimes(path(note), new Date(NOW - before), new Date(NOW - before));

beforeEach(async () => {
  await writeNotes(join(folder.path, 'vault'), Object.fromEntries(COPIED.map((note) => [note, 'A zebra.'])));
  for (const [i, note] of COPIED.entries()) await age(note, 15 * MINUTE - i * 15_000);
});

/** Indexes the vault. Returns the ages of these notes, and how many were changed. */
async function index(...notes: readonly string[]) {
  const loci = await openInline(settings(folder.path, { vaults: [{ path: join(folder.path, 'vault') }] }), {
    now: () => NOW,
  });
  try {
    const { sources } = await indexVaults(loci);
    const request = { query: 'zebra', limit: 100, min_score: 0, explain: true };
    const { results } = await search(loci, request);
    const found = new Map(results.map((result) => [result.citation.replace(/#.*/, ''), result]));
    const signals = results.flatMap(({ age: shown, explanation }) =>
      shown === 'no date' ? explanation!.signals.map(({ signal }) => signal) : [],
    );
    expect(signals).not.toContain('recency');
    const { results: today, notices } = await search(loci, { ...request, from: NOW - DAY / 2 });
    return {
      ages: notes.map((note) => found.get(note)?.age),
      undated: results.filter(({ age: shown }) => shown === 'no date').length,
      today: today.length,
      notices,
      report: sources[0]!,
      histogram: await recordHistogram(loci, {}),
      when: (await timeline(loci, { anchor: COPIED[4]!, before: 30, after: 30 })).entries.map(
        ({ when }) => when,
      ),
    };
  } finally {
    await loci.close();
  }
}

it('the notes of a copy have no date, unless they say when they were made or changed', async () => {
  await writeFile(path(COPIED[0]!), '---\ncreated: 2026-04-28\n---\nA zebra.');
  await writeFile(path(COPIED[1]!), '---\nmodified: 2026-04-24\n---\nA zebra.');
  await writeFile(path('2026-04-21.md'), 'A zebra.');
  for (const note of [COPIED[0]!, COPIED[1]!, '2026-04-21.md']) await age(note, 14 * MINUTE);
  const { ages, today, notices, when, histogram } = await index(
    COPIED[0]!,
    COPIED[1]!,
    '2026-04-21.md',
    COPIED[2]!,
  );
  expect(ages).toEqual(['3d ago', '1w ago', '1w ago', 'no date']);
  expect(today).toBe(0);
  expect(notices).toEqual(['18 notes without a date cannot be found by time']);
  expect([...new Set(when)]).toEqual(['no date', '2026-04-21', '2026-04-24', '2026-04-28']);
  expect(histogram).toMatchObject({ total: 3, undated: 18 });
  expect(histogram.from).toMatch(/^2026-04-2/);
});

it('a note that is edited after the copy has the time of that again, and the others stay as they are', async () => {
  expect(await index(COPIED[3]!)).toMatchObject({ ages: ['no date'], undated: 20, report: { added: 20 } });
  expect((await index()).report).toMatchObject({ unchanged: 20, updated: 0 });
  await writeFile(path(COPIED[3]!), 'A zebra that runs.');
  await age(COPIED[3]!, 0);
  const edited = await index(COPIED[3]!, COPIED[4]!);
  expect(edited).toMatchObject({ ages: ['just now', 'no date'], undated: 19, today: 1 });
  expect(edited.report).toMatchObject({ unchanged: 19, updated: 1 });
});

it('notes that nobody has edited have no date although half of the vault was edited since', async () => {
  for (const [i, note] of COPIED.slice(10).entries()) await age(note, (i + 1) * DAY);
  expect(await index(COPIED[10]!, COPIED[0]!)).toMatchObject({ ages: ['1d ago', 'no date'], undated: 10 });
});

it('the time of the files counts in a vault whose notes were written one after the other, or that has few', async () => {
  for (const [i, note] of COPIED.entries()) await age(note, i * 11 * MINUTE);
  expect(await index()).toMatchObject({ undated: 0, today: 20 });
});

it('a vault that was copied after it was indexed loses its times, without new texts', async () => {
  for (const [i, note] of COPIED.entries()) await age(note, (i + 1) * DAY);
  expect(await index(COPIED[0]!)).toMatchObject({ ages: ['1d ago'], undated: 0 });
  for (const note of COPIED) await age(note, MINUTE);
  expect(await index(COPIED[0]!)).toMatchObject({ ages: ['no date'], report: { updated: 0, unchanged: 20 } });
});
