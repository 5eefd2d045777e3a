import { openSqliteInMemory } from '../../../../test/contract/sqlite-in-memory.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchText } from '../../../../test/contract/queries.ts';
import { EQUAL_WEIGHTS, evict, note, NOW, write } from '../../../../test/contract/store-samples.ts';
import type { PassageScore, SearchFilter, TextQuery } from '../../search-model.ts';
import type { Store } from '../../store.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import { Database } from '../database/database.ts';
import { openSqliteStore } from '../open.ts';

const WORDS = ['oven', 'sink', 'lamp', 'rug', 'straße', 'кухня', '2026', 'door'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 });
const draft = fc.record({ title: words, text: words, tags: words, times: fc.integer({ min: 1, max: 40 }) });
/** Sums of these weights are exact in any order. */
const weights = fc.constantFrom(
  { title: 6, headings: 1.5, body: 1, tags: 1 },
  { title: 1, headings: 0, body: 0.25, tags: 0 },
);

/** A filter that matches every record, because all are older than the year 5138. */
const SELECTIVE_FILTER = { now: NOW, until: 10 ** 14 };
/** No text has it, and only FTS5 can look for the beginning of a word. */
const ABSENT_PREFIX = { terms: ['qqq'], prefix: true };

describe('full-text search in memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  // The two stores have separate connections, like two processes.
  let [ours, theirs]: Store[] = [];
  let run = 0;

  beforeAll(async () => {
    const options = { path: join(folder, 'loci.db'), create: true };
    ours = await openSqliteStore(options);
    theirs = await openSqliteStore(options);
  });
  afterAll(async () => {
    await ours?.close();
    await theirs?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function searchBothWays(
    ns: string,
    query: TextQuery,
    limit: number,
    filter: SearchFilter = { now: NOW },
  ): Promise<PassageScore[]> {
    // FTS5 answers the first search of a namespace in either case.
    await searchText(ours!, ns, query, filter, limit);
    const [fast, slow] = await Promise.all([
      searchText(ours!, ns, query, filter, limit),
      searchText(ours!, ns, { ...query, any: [...query.any, ABSENT_PREFIX] }, filter, limit),
    ]);
    const identities = (scores: readonly PassageScore[]): unknown =>
      scores.map(({ passage, record }) => [passage, record]);
    expect(identities(fast)).toEqual(identities(slow));
    // Logarithms differ in their last bit.
    for (const [i, { score }] of fast.entries())
      expect(Math.abs(score - slow[i]!.score)).toBeLessThanOrEqual(Math.abs(score) * 1e-12);
    return fast;
  }

  it.each([{ now: NOW }, SELECTIVE_FILTER])(
    'counts the variants of a term as one term: %j',
    async (filter) => {
      const texts = ['steuer haus', 'steuern auto', 'steuer steuern boot', 'rad'];
      const any = (...terms: string[]): TextQuery => ({
        any: [{ terms: [terms[0]!], variants: terms.slice(1), prefix: false }],
        all: [],
        weights: EQUAL_WEIGHTS,
      });
      const [several, one] = [`variants ${String(run++)}`, `one ${String(run++)}`];
      await write(ours!, several, ...texts.map((text) => note(text)));
      await write(ours!, one, ...texts.map((text) => note(text.replaceAll('steuern', 'steuer'))));
      const scores = async (ns: string, query: TextQuery): Promise<number[]> =>
        (await searchText(ours!, ns, query, filter, 10)).map(({ score }) => score);
      expect(await scores(several, any('steuer', 'steuern'))).toEqual(await scores(one, any('steuer')));
      expect(await scores(several, any('steuern', 'steuer'))).toHaveLength(3);
    },
  );

  it('returns the results and scores of FTS5 while two processes write', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(draft, fc.nat({ max: 5 })), { minLength: 1, maxLength: 12 }),
        fc.uniqueArray(fc.constantFrom(...WORDS, 'absent'), { minLength: 1 }),
        weights,
        async (drafts, queryTerms, fields) => {
          const ns = `run-${String(run++)}`;
          const query = {
            any: queryTerms.map((term) => ({ terms: [term], prefix: false })),
            all: [],
            weights: fields,
          };
          const live = new Set<number>();
          for (const [i, [{ title, text, tags, times }, action]] of drafts.entries()) {
            const body = `${text.join(' ')} ${'rug '.repeat(times)}`;
            const [id] = await write(
              (i % 2 === 0 ? ours : theirs)!,
              ns,
              note(body, { title: title.join(' '), tags }),
            );
            if (action === 0) await evict(theirs!, ns, id!);
            else live.add(id!);
            const found = await searchBothWays(ns, query, 5);
            for (const { record } of found) expect(live).toContain(record);
            await searchBothWays(ns, query, 1, { now: NOW, tags: ['lamp'] });
            await searchBothWays(ns, query, 5, SELECTIVE_FILTER);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('includes what another process wrote, a few records or many', async () => {
    const query = { any: [{ terms: ['oven'], prefix: false }], all: [], weights: EQUAL_WEIGHTS };
    expect(await searchBothWays('grows', query, 10)).toEqual([]);
    await write(theirs!, 'grows', note('oven '.repeat(10_000)), note('an oven'));
    let size = 2;
    expect(await searchBothWays('grows', query, 10)).toHaveLength(size);
    for (const more of [3, 1200]) {
      const notes = Array.from({ length: more }, (_, i) => note(`oven ${'pad '.repeat(i % 7)}`));
      await write(theirs!, 'grows', ...notes);
      size += more;
      expect(await searchBothWays('grows', query, 2000)).toHaveLength(size);
    }
  });
});

describe('past its deadline', () => {
  const db = new Database(':memory:', { busyTimeoutMs: 0 });
  const { records, search } = openSqliteInMemory(db);
  const writes = Array.from({ length: 300 }, (_, i) => note(`oven ${String(i)}`, { title: 'Oven' }));
  beforeAll(async () => {
    await records.commit('n', { chunking: 'c', writes });
  });
  const any = [{ terms: ['oven'], prefix: false }];
  const query = { by: 'text', text: { any, all: [], weights: EQUAL_WEIGHTS }, limit: 500 } as const;
  const found = async (
    filter: SearchFilter,
    budgetMs?: number,
  ): Promise<[passages: number, isPartial: boolean]> => {
    const request = { queries: [{ ...query, filter }], ...(budgetMs === undefined ? {} : { budgetMs }) };
    const [list] = (await search.retrieve('n', request)).lists;
    return [list!.scores.length, list!.isPartial];
  };

  it.each([
    ['without a filter', { now: NOW }],
    ['with a selective filter', SELECTIVE_FILTER],
  ])('a search in FTS5 skips the other passages, and the next one is complete, %s', async (_, filter) => {
    expect(await found(filter, 0)).toEqual([0, true]);
    expect(await found(filter)).toEqual([300, false]);
    expect(await found(filter, 60_000)).toEqual([300, false]);
  });

  it('in_time() skips the rows after it', async () => {
    const rows = (budgetMs?: number): Promise<number> =>
      db.withDeadline(new Deadline(budgetMs), async () => {
        const statement = db.prepare('SELECT id FROM passage WHERE in_time() ORDER BY id');
        let n = 0;
        for (const _ of statement.iterate()) if (++n === 10) while (budgetMs && !db.deadline.isPast);
        return n;
      });
    expect(await rows()).toBe(300);
    const cut = await rows(20);
    expect(cut).toBeGreaterThanOrEqual(10);
    expect(cut).toBeLessThan(300);
  });
});
