import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchText } from '../../../../test/contract/queries.ts';
import { EQUAL_WEIGHTS, evict, note, NOW, write } from '../../../../test/contract/store-samples.ts';
import type { PassageScore, TextQuery } from '../../search-model.ts';
import type { Store } from '../../store.ts';
import { openSqliteStore } from '../open.ts';

const WORDS = ['oven', 'sink', 'lamp', 'rug', 'straße', 'кухня', '2026', 'door'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 });
const draft = fc.record({ title: words, text: words, tags: words, times: fc.integer({ min: 1, max: 40 }) });
/** Sums of these are exact, in whatever order they are made. */
const weights = fc.constantFrom(
  { title: 6, headings: 1.5, body: 1, tags: 1 },
  { title: 1, headings: 0, body: 0.25, tags: 0 },
);

/** Every record is older than the year 5138, but only FTS5 can look whether it is. */
const SLOWLY = { now: NOW, until: 10 ** 14 };

describe('full-text search in memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  // Each with connections of its own, as two processes have them.
  let [ours, theirs]: Store[] = [];
  let run = 0;

  beforeAll(async () => {
    const options = { path: join(folder, 'loci.db'), busyTimeoutMs: 5000, create: true };
    ours = await openSqliteStore(options);
    theirs = await openSqliteStore(options);
  });
  afterAll(async () => {
    await ours?.close();
    await theirs?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function bothWays(ns: string, query: TextQuery, limit: number): Promise<PassageScore[]> {
    // The first search of a namespace is FTS5's in either way.
    await searchText(ours!, ns, query, { now: NOW }, limit);
    const [fast, slow] = await Promise.all([
      searchText(ours!, ns, query, { now: NOW }, limit),
      searchText(ours!, ns, query, SLOWLY, limit),
    ]);
    const bare = (scores: readonly PassageScore[]): unknown =>
      scores.map(({ passage, record }) => [passage, record]);
    expect(bare(fast)).toEqual(bare(slow));
    // Logarithms differ in their last bit.
    for (const [i, { score }] of fast.entries())
      expect(Math.abs(score - slow[i]!.score)).toBeLessThanOrEqual(Math.abs(score) * 1e-12);
    return fast;
  }

  it('is what FTS5 answers, score for score, while two processes write', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(draft, fc.nat({ max: 5 })), { minLength: 1, maxLength: 12 }),
        fc.uniqueArray(fc.constantFrom(...WORDS, 'absent'), { minLength: 1 }),
        weights,
        async (drafts, asked, fields) => {
          const ns = `run-${String(run++)}`;
          const query = {
            any: asked.map((term) => ({ terms: [term], prefix: false })),
            all: [],
            weights: fields,
          };
          const live = new Set<number>();
          for (const [i, [{ title, text, tags, times }, act]] of drafts.entries()) {
            const body = `${text.join(' ')} ${'rug '.repeat(times)}`;
            const [id] = await write(
              (i % 2 === 0 ? ours : theirs)!,
              ns,
              note(body, { title: title.join(' '), tags }),
            );
            if (act === 0) await evict(theirs!, ns, id!);
            else live.add(id!);
            const found = await bothWays(ns, query, 5);
            for (const { record } of found) expect(live).toContain(record);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('takes in what others wrote, a little or very much', async () => {
    const query = { any: [{ terms: ['oven'], prefix: false }], all: [], weights: EQUAL_WEIGHTS };
    expect(await bothWays('grows', query, 10)).toEqual([]);
    await write(theirs!, 'grows', note('oven '.repeat(10_000)), note('an oven'));
    let size = 2;
    expect(await bothWays('grows', query, 10)).toHaveLength(size);
    for (const more of [3, 1200]) {
      const notes = Array.from({ length: more }, (_, i) => note(`oven ${'pad '.repeat(i % 7)}`));
      await write(theirs!, 'grows', ...notes);
      size += more;
      expect(await bothWays('grows', query, 2000)).toHaveLength(size);
    }
  });
});
