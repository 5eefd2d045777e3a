import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repetitions } from '../../../test/repetitions.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import type { MemoryResult } from '../contract.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import { PoolSearch, type SearchedQuery } from './pool-search.ts';

let root: string;
let search: PoolSearch;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'loci-pool-search-')));
  // The files are not new, so that unchanged ones are not read again.
  search = new PoolSearch(() => Date.now() + 60_000);
});

afterEach(() => rm(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, key)), { recursive: true });
    writeFileSync(path.join(root, key), text);
  }
}

function pool(id: string, below = '', inner: readonly string[] = []): LocatedPool {
  const folder = path.join(root, below);
  return { id, tier: 'hot', path: folder, folder, root: folder, inner };
}

function queryOf(text: string, query: Partial<SearchedQuery> = {}): SearchedQuery {
  return { text, limit: 10, pools: [pool('a')], filters: {}, stop: new Int32Array(1), ...query };
}

async function recall(text: string, query?: Partial<SearchedQuery>): Promise<MemoryResult[]> {
  return withoutAsyncPauses(search.recall(queryOf(text, query)));
}

async function found(text: string, query?: Partial<SearchedQuery>): Promise<unknown[]> {
  return (await recall(text, query)).map(({ metadata }) => metadata?.['path']);
}

describe('a result', () => {
  it('has the lines that match best, an excerpt of them, and the front matter', async () => {
    const filler = 'Nothing of note happened on the pier today. '.repeat(12);
    write({
      'sub/Log.md': `---\nproject: Pier\n---\n# Log\n\n${filler}\n\n## Repairs\n\n${filler}\n\nThe winch was greased.\n`,
    });
    const [result] = await recall('winch');
    expect(result).toEqual({
      id: path.join(root, 'sub/Log.md'),
      uri: `${path.join(root, 'sub/Log.md')}#L8-L12`,
      score: expect.any(Number) as number,
      snippet: expect.stringMatching(/^….*The winch was greased\.$/s) as string,
      metadata: { project: 'Pier', pool: 'a', tier: 'hot', path: 'sub/Log.md', title: 'Log' },
    });
    expect(result!.score).toBeGreaterThan(0);
  });

  it('shows the properties that match, and begins on the first line then', async () => {
    write({ 'Ada.md': '---\nbirthday: 1988-03-17\n---\nA friend from school.\n' });
    const [result] = await recall('birthday');
    expect(result?.snippet).toBe('birthday: 1988-03-17\n\nA friend from school.');
    expect(result?.uri).toMatch(/#L1-L4$/);
  });
});

const NOTES = {
  'Oven.md': 'We bake bread here.\n',
  'Bread.md': 'The oven is hot. It belongs to the kitchen.\n',
  'Walks.md': 'Baking hot on the dunes: we walked and walked to the old lighthouse.\n',
  'Lighthouse keeper.md': 'The keeper of the light. An old house.\n',
  'titled.md': '---\ntitle: Zanzibar\naliases: [Unguja]\n---\nAn island.\n',
  'Tools.md': 'C++ and 🍕, order 302-1234567, made by foo_bar.\n',
  '煮.md': '番茄炒蛋，加一点糖。\n',
  'empty.md': '',
};

describe('finds notes', () => {
  it.each([
    ['of which the title has the word before others', 'oven', ['Oven.md', 'Bread.md']],
    ['by the stem of an English word', 'bakes', ['Oven.md', 'Walks.md']],
    ['without the words that say nothing of a topic', 'what is the kitchen?', ['Bread.md']],
    ['with all words of the query first', 'old keeper', ['Lighthouse keeper.md', 'Walks.md']],
    ['with a quoted phrase alone', '"old lighthouse"', ['Walks.md']],
    ['by title and alias in the front matter', 'unguja zanzibar', ['titled.md']],
    ['by the name of the file where the title is another', 'titled', ['titled.md']],
    ['by a name with signs', 'C++', ['Tools.md']],
    ['by a symbol', '🍕', ['Tools.md']],
    ['by a number in any grouping', '3021234567', ['Tools.md']],
    ['by an identifier as a phrase', 'foo_bar', ['Tools.md']],
    ['by a single character of Chinese', '糖', ['煮.md']],
    ['by a part of a word in Chinese', '炒蛋', ['煮.md']],
    ['that are empty by their name', 'empty', ['empty.md']],
    ['not by words that none has', 'xylophone', []],
    ['not by punctuation', '?!', []],
  ])('%s: %s', async (_, text, expected) => {
    write(NOTES);
    expect(await found(text)).toEqual(expected);
  });

  it('of the searched pools alone, whose words alone say how rare a word is', async () => {
    write({
      'a/x.md': 'cedar cedar birch',
      'a/y.md': 'birch cedar',
      'a/z.md': 'oak',
      'b/u.md': 'birch',
      'b/v.md': 'birch',
    });
    const alone = await recall('cedar birch', { pools: [pool('a', 'a')] });
    await found('birch', { pools: [pool('a', 'a'), pool('b', 'b')] });
    expect(await recall('cedar birch', { pools: [pool('a', 'a')] })).toEqual(alone);
    expect(alone).toHaveLength(2);
  });

  it('in time in proportion to the number of files', async () => {
    const count = repetitions(3000, 100_000);
    const keyOf = (i: number): string =>
      `${i < count / 10 ? 'few' : 'many'}/${String(i % 100)}/${String(i)}.md`;
    for (let i = 0; i < count; i++) write({ [keyOf(i)]: `A heron on the pier of day ${String(i)}.` });
    const cpuOf = async (text: string, below: string): Promise<number> => {
      const before = process.threadCpuUsage();
      expect(await found(text, { pools: [pool('a', below)] })).toHaveLength(10);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    for (const text of ['heron', 'pier']) {
      const few = await cpuOf(text, 'few');
      expect(await cpuOf(text, '')).toBeLessThan(40 * few);
    }
    expect(await found(`heron ${String(count - 1)}`, { limit: 1 })).toEqual([keyOf(count - 1)]);
  });

  it('in time that does not grow with the length of a phrase', async () => {
    write({ 'x.md': 'a '.repeat(200_000), 'y.md': 'a a b' });
    const cpuOf = async (phrase: string): Promise<number> => {
      const before = process.threadCpuUsage();
      await found(`"${phrase}"`);
      return process.threadCpuUsage(before).user;
    };
    await found('"a a b"');
    const short = await cpuOf(`${'a '.repeat(20)}b`);
    expect(await cpuOf(`${'a '.repeat(4000)}b`)).toBeLessThan(5 * short);
  });
});

describe('the next query sees', () => {
  it('a change that leaves size and time of modification', async () => {
    search = new PoolSearch();
    const file = path.join(root, 'x.md');
    for (const word of ['heron', 'stork', 'egret', 'crane']) {
      writeFileSync(file, word);
      utimesSync(file, 1000, 1000);
      expect(await found(word)).toEqual(['x.md']);
    }
  });

  it('the files as they are, however many changes there were', async () => {
    for (let i = 0; i < 6; i++) {
      write({ 'x.md': `${'pier '.repeat(400_000)} w${String(i)}` });
      expect(await found(`w${String(i)}`)).toEqual(['x.md']);
    }
  });
});

it('reads the notes of hot and warm pools when they are registered', async () => {
  write({ 'hot/binary.md': '\0', 'cold/binary.md': '\0' });
  const pools = [pool('hot', 'hot'), { ...pool('cold', 'cold'), tier: 'cold' as const }];
  await withoutAsyncPauses(search.register(pools, new Int32Array(1)));
  const { unread } = await withoutAsyncPauses(search.state(pools));
  expect([...unread]).toEqual([[path.join(root, 'hot/binary.md'), 'it is no text']]);
  const stopped = search.register(pools, new Int32Array([1]));
  await expect(withoutAsyncPauses(stopped)).rejects.toMatchObject({ code: 'aborted' });
});

describe('while it reads', () => {
  /** Changes the folder after so many pauses of a query. */
  async function changing(query: SearchedQuery, pauses: number, change: () => void): Promise<MemoryResult[]> {
    const slices = search.recall(query);
    for (let i = 0; ; i++) {
      if (i === pauses) change();
      const { done, value } = await slices.next();
      if (done === true) return value;
    }
  }

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'a folder that is removed after %i pauses has no results',
    async (pauses) => {
      write({ 'in/x.md': 'heron', 'in/y.md': 'heron', 'z.md': 'heron' });
      const results = await changing(queryOf('heron'), pauses, () => {
        rmSync(path.join(root, 'in'), { recursive: true });
      });
      expect(results.map(({ metadata }) => metadata?.['path'])).toContain('z.md');
      expect(await found('heron')).toEqual(['z.md']);
    },
  );

  it.each([0, 1, 2, 3, 4, 5])(
    'a note that changes after %i pauses has a result that fits its text',
    async (pauses) => {
      const filler = 'Nothing of note. '.repeat(40);
      write({ 'x.md': `heron\n\n${filler}\n`, 'y.md': 'heron' });
      const results = await changing(queryOf('heron'), pauses, () => {
        write({ 'x.md': `# Log\n\n${filler}\n\n# Birds\n\n${filler}\n\nA heron.\n`, 'y.md': 'stork' });
      });
      expect(results.length).toBeGreaterThan(0);
      for (const { snippet } of results) expect(snippet).toContain('heron');
    },
  );

  it.each([0, 1, 2, 3, 4])(
    'a link that takes the place of a file or folder after %i pauses is not followed',
    async (pauses) => {
      write({ 'a/in/x.md': 'heron', 'a/y.md': 'heron', 'closed/x.md': 'heron secret' });
      const results = await changing(queryOf('heron', { pools: [pool('a', 'a')] }), pauses, () => {
        rmSync(path.join(root, 'a'), { recursive: true });
        mkdirSync(path.join(root, 'a'));
        symlinkSync('../closed', path.join(root, 'a/in'));
        symlinkSync('../closed/x.md', path.join(root, 'a/y.md'));
      });
      for (const { snippet } of results) expect(snippet).toBe('heron');
      expect(await found('heron', { pools: [pool('a', 'a')] })).toEqual([]);
    },
  );

  it('stops when the answer is not waited for any more, and keeps what it has read', async () => {
    write({ 'x.md': 'heron', 'y.md': 'heron' });
    const query = queryOf('heron');
    await expect(changing(query, 1, () => Atomics.store(query.stop, 0, 1))).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(await found('heron')).toEqual(['x.md', 'y.md']);
  });
});

describe('the state', () => {
  it('has the number of notes, and files that are not read with the reason', async () => {
    write({ 'x.md': 'heron', 'binary.md': 'heron\0', 'huge.md': 'heron '.repeat(1_000_000) });
    expect(await found('heron')).toEqual(['x.md']);
    const { notes, unread } = await withoutAsyncPauses(search.state([pool('a'), pool('b')]));
    expect(notes).toBe(2);
    expect(unread).toEqual(
      new Map([
        [path.join(root, 'binary.md'), 'it is no text'],
        [path.join(root, 'huge.md'), 'it has more than 5000000 bytes'],
      ]),
    );
  });

  it('forgets what could not be read in a pool that is gone', async () => {
    write({ 'in/binary.md': 'heron\0' });
    const pools = [pool('in', 'in')];
    await found('heron', { pools });
    await withoutAsyncPauses(search.register([], new Int32Array(1)));
    expect((await withoutAsyncPauses(search.state(pools))).unread.size).toBe(0);
  });
});
