import { describe, expect, it } from 'vitest';
import { draft } from '../../../../test/contract/store-samples.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { Fragment } from './fragments.ts';
import { baseKeyOf, KeyAllocator } from './keys.ts';
import { contentHash, matchFragments, type Pairing } from './matching.ts';

function item(content: string, heading = ''): Fragment {
  return { heading, kind: 'item', content };
}

/** The record that an earlier import created from a fragment. */
function importedRecord(fragment: Fragment, id: number, overrides: Partial<LociRecord> = {}): LociRecord {
  const { heading, content } = fragment;
  const metadata = { heading, imported: contentHash(fragment) };
  return {
    ...draft({ content, recordType: 'fact', metadata }),
    namespace: '',
    id,
    deletedAt: null,
    ...overrides,
  };
}

function ids(matches: readonly Pairing[]): [string | null, number | null][] {
  return matches.map(({ fragment, record }) => [fragment?.content ?? null, record?.id ?? null]);
}

/** Comparing all pairs of this many items would take minutes. */
const MANY = 10_000;

describe('matchFragments', () => {
  it('pairs unchanged, moved and edited items, and returns new and removed ones', () => {
    const [unchanged, moved, edited, removed] = [
      'tea with milk',
      'the oven',
      'one two three four',
      'away',
    ].map((text) => item(text, 'A')) as [Fragment, Fragment, Fragment, Fragment];
    const records = [unchanged, moved, edited, removed].map((fragment, i) => importedRecord(fragment, i + 1));
    const fragments = [
      item('new thing', 'A'),
      item('one two three five', 'A'),
      item('the oven', 'B'),
      unchanged,
    ];
    expect(ids(matchFragments(fragments, records))).toEqual([
      ['tea with milk', 1],
      ['the oven', 2],
      ['one two three five', 3],
      ['new thing', null],
      [null, 4],
    ]);
  });

  it('does not match an edited item with a record that the user deleted', () => {
    const record = importedRecord(item('one two three four'), 1, { deletedAt: 5 });
    expect(ids(matchFragments([item('one two three five')], [record]))).toEqual([
      ['one two three five', null],
    ]);
  });

  it('is fast with thousands of similar items', () => {
    const list = (text: string): Fragment[] =>
      Array.from({ length: MANY }, (_, i) => item(`${text} ${String(i)}`));
    const records = list('this was said').map((fragment, i) => importedRecord(fragment, i + 1));
    const startTime = performance.now();
    expect(matchFragments(list('they told me'), records)).toHaveLength(2 * MANY);
    expect(matchFragments(list('this was said'), records)).toHaveLength(MANY);
    expect(performance.now() - startTime).toBeLessThan(5000);
  });
});

describe('KeyAllocator', () => {
  it('gives unique keys that are not in use, quickly also for thousands with the same base key', () => {
    const fragment: Fragment = { heading: 'A', kind: 'section', content: 'x' };
    const baseKey = baseKeyOf('memory/x.md', fragment);
    const keys = new KeyAllocator([
      importedRecord(fragment, 1, { key: baseKey }),
      importedRecord(fragment, 2, { key: `${baseKey}~3` }),
    ]);
    const startTime = performance.now();
    const allocated = Array.from({ length: 10 * MANY }, () => keys.allocate(baseKey));
    expect(performance.now() - startTime).toBeLessThan(5000);
    expect(allocated.slice(0, 3)).toEqual([`${baseKey}~2`, `${baseKey}~4`, `${baseKey}~5`]);
    expect(new Set(allocated).size).toBe(10 * MANY);
  });
});
