import { describe, expect, it } from 'vitest';
import { Deadline } from '../../core/time/deadline.ts';
import { bestByBm25, noCounts, Postings } from './bm25.ts';
import { WordList } from './spelling.ts';

const EQUAL = { title: 1, headings: 1, body: 1, tags: 1 };

/** A deadline that is past when it is asked for the `readings`th time. */
function deadlineAfter(readings: number): Deadline {
  let now = 0;
  return new Deadline(readings, () => now++);
}

describe('past the deadline', () => {
  it('BM25 returns the best of the passages that were scored until then', () => {
    const postings = new Postings(20_000);
    for (let passage = 1; passage <= 20_000; passage++)
      postings.append(passage, { ...noCounts(), body: passage % 9 }, 10);
    const totals = { passages: 50_000, terms: 500_000 };
    const best = (deadline: Deadline): number[] =>
      bestByBm25([postings], totals, EQUAL, 20_000, deadline).map(({ passage }) => passage);
    const all = best(new Deadline());
    expect(all).toHaveLength(20_000);
    const found = best(deadlineAfter(3));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(10_000);
    const last = Math.max(...found);
    expect(found).toEqual(all.filter((passage) => passage <= last));
  });

  it('a word list returns the similar words that were found until then', () => {
    const list = new WordList();
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const a of letters)
      for (const b of letters) for (const c of letters) list.add([`wo${a}${b}${c}rds`], [1]);
    const all = list.near('woaaards', new Deadline());
    const found = list.near('woaaards', deadlineAfter(4));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all.length);
    expect(all).toEqual(expect.arrayContaining(found));
  });
});
