import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ABSENT,
  AMBIENT,
  findSets,
  HOUSEHOLD,
  isFromSource,
  loadSet,
  NEWEST,
  withoutSources,
} from './sets.ts';
import { recordKey, recordOf, recordsOf } from './records.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-eval-sets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const QUERY = { id: 'q', q: 'oven', gold: ['a'], cat: 'word' };
const DOCUMENT = { id: 'a', text: 'The oven.' };

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

function collection(docs: unknown[], queries: unknown[]): unknown {
  return { name: 'small', collections: [{ id: 'c', docs, queries }] };
}

function setWithSource(tasks: unknown[], queries: unknown[] = [QUERY]): unknown {
  const collections = [{ id: 'c', docs: [DOCUMENT], sources: { tasks }, queries }];
  return { name: 'small', now: '2026-11-21T09:00:00Z', collections };
}

describe('loadSet', () => {
  it('reads .json and .json.gz', () => {
    const plain = loadSet(write('a.json', collection([DOCUMENT], [QUERY])));
    expect(plain.collections[0]?.docs).toEqual([{ ...DOCUMENT, note: false }]);
    expect(loadSet(write('a.json.gz', collection([DOCUMENT], [QUERY]))).hash).toBe(plain.hash);
    expect(loadSet(write('b.json', collection([{ ...DOCUMENT, text: 'x' }], [QUERY]))).hash).not.toBe(
      plain.hash,
    );
  });

  it('reads the household set, whose notes are read through the vault source', async () => {
    const set = loadSet(HOUSEHOLD);
    expect(set.name).toBe('household');
    expect(set.collections[0]?.queries.filter(({ gold }) => gold.length === 0)).toHaveLength(25);
    const records = await recordsOf(set, set.collections[0]!);
    const kitchen = records.find(({ key }) => key === 'Home/Kitchen remodel.md');
    expect(kitchen?.title).toBe('Kitchen remodel');
    expect(kitchen?.metadata['aliases']).toContain('New kitchen');
    expect(kitchen?.tags).toContain('kitchen');
  });

  it('reads from the file beside a set which documents a later one has replaced', () => {
    const file = write(
      'pairs.json',
      collection([DOCUMENT, { ...DOCUMENT, id: 'b' }], [QUERY, { ...QUERY, id: 'r' }]),
    );
    write('pairs_stale.json', { q: { new: 'a', old: ['b'] } });
    expect(loadSet(file).collections[0]?.queries.map(({ above }) => above)).toEqual([['b'], undefined]);
  });

  it('has a pair of records of different times for each query of the newest set', async () => {
    const set = loadSet(NEWEST);
    const queries = set.collections.flatMap((each) => each.queries);
    const counts = Object.entries(Object.groupBy(queries, ({ cat }) => cat)).map(([cat, of]) => [
      cat,
      of?.length,
    ]);
    expect(counts).toEqual(
      expect.arrayContaining([
        ['newest', 60],
        ['past', 20],
        ['both', 20],
      ]),
    );
    for (const each of set.collections) {
      const times = new Map(
        (await recordsOf(set, each)).map((record, i) => [each.docs[i]!.id, record.createdAt]),
      );
      for (const { cat, gold, above = [] } of each.queries) {
        const difference = Number(times.get(gold[0]!)) - Number(times.get(above[0]!));
        if (cat !== 'both') expect(Math.sign(difference), gold[0]).toBe(cat === 'newest' ? 1 : -1);
        expect(difference).not.toBe(0);
      }
    }
  });

  it.each([
    ['missing.json', null, 'ENOENT'],
    ['no-json.json', 'oven', 'JSON'],
    ['no-gzip.json.gz', null, 'incorrect header'],
    ['no-queries.json', { name: 'x', collections: [{ id: 'c', docs: [DOCUMENT] }] }, 'queries'],
    ['empty.json', { name: 'x', collections: [] }, 'collections'],
    ['no-text.json', collection([{ id: 'a' }], []), 'document a has neither text nor path'],
    ['no-file.json', collection([{ id: 'a', path: 'gone.md' }], []), 'document a: ENOENT'],
    ['twice.json', collection([DOCUMENT, DOCUMENT], []), 'two documents a'],
    ['query-twice.json', collection([DOCUMENT], [QUERY, QUERY]), 'two queries q'],
    ['no-half.json', collection([DOCUMENT], [{ ...QUERY, half: 'third' }]), 'half'],
    ['bare.json', setWithSource([{ id: 't1' }]), 'has neither text nor title'],
    ['local.json', setWithSource([{ id: 't1', text: 'x', timestamp: '2026-11-25' }]), 'timestamp'],
    ['strange.json', setWithSource([{ id: 't1', text: 'x', due: 'now' }]), 'due'],
    [
      'source-twice.json',
      setWithSource([
        { id: 't1', text: 'x' },
        { id: 't1', text: 'y' },
      ]),
      'two documents tasks:t1',
    ],
    ['no-other.json', collection([DOCUMENT], [{ ...QUERY, above: ['z'] }]), 'names document z'],
    ['no-gold.json', collection([DOCUMENT], [{ ...QUERY, gold: ['z'] }]), 'names document z'],
  ])('refuses %s', (name, content, why) => {
    const file = content === null ? join(folder, name) : write(name, content);
    if (name.endsWith('.gz')) writeFileSync(file, 'no gzip at all');
    expect(() => loadSet(file)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(why) }),
    );
    expect(() => loadSet(file)).toThrow(file);
  });
});

describe('a set with sources', () => {
  const TODO = { id: 't1', text: 'Order the oven', completed: false, timestamp: '2026-11-25T00:00:00Z' };

  it('names documents of sources by source and id, and has the time of its queries', () => {
    const queries = [{ ...QUERY, gold: ['a', 'tasks:t1'], half: 'dev' }];
    const set = loadSet(write('sourced.json', setWithSource([TODO], queries)));
    expect(set.now).toBe(Date.UTC(2026, 10, 21, 9));
    const [note, sourceDocument] = set.collections[0]?.docs ?? [];
    expect([note, sourceDocument].map((doc) => doc !== undefined && isFromSource(doc))).toEqual([
      false,
      true,
    ]);
    expect(sourceDocument).toMatchObject({
      id: 'tasks:t1',
      text: 'Order the oven',
      from: { source: 'tasks' },
    });
    const bare = withoutSources(set);
    expect(bare?.name).not.toBe(set.name);
    expect(bare?.collections[0]?.docs).toEqual([note]);
    expect(bare?.collections[0]?.queries).toEqual([{ ...queries[0], gold: ['a'] }]);
    expect(withoutSources(loadSet(write('own.json', collection([DOCUMENT], [QUERY]))))).toBeNull();
  });

  it('makes records of printed documents as a source does', async () => {
    const mail = {
      id: 'm1',
      title: 'Your oven',
      tags: ['x'],
      project: 'kitchen',
      metadata: { sender: 'a@b' },
    };
    const set = loadSet(write('records.json', setWithSource([TODO, mail])));
    const [, todo, other] = await recordsOf(set, set.collections[0]!);
    expect(todo).toMatchObject({
      content: 'Order the oven',
      origin: 'source',
      trust: 'external',
      source: 'tasks',
      key: 't1',
      recordType: 'task',
      metadata: { completed: false },
      createdAt: Date.UTC(2026, 10, 25),
    });
    expect(other).toMatchObject({
      content: 'Your oven',
      title: 'Your oven',
      category: 'document',
      project: 'kitchen',
    });
    expect(other?.metadata).toEqual({ sender: 'a@b' });
    expect(recordKey(todo!)).toBe('tasks:t1');
    expect(recordKey({ origin: 'vault', source: 'eval', key: 'a.md' })).toBe('a.md');
  });

  it('has enough queries of each kind in both halves (ambient)', () => {
    const { collections } = loadSet(AMBIENT);
    const [{ docs, queries } = { docs: [], queries: [] }] = collections;
    const householdQueries = loadSet(HOUSEHOLD).collections.flatMap((other) =>
      other.queries.map(({ q }) => q.toLowerCase()),
    );
    const notesAlone = queries.filter(
      ({ gold }) => gold.length > 0 && gold.every((id) => id.endsWith('.md')),
    );
    expect(notesAlone.filter(({ cat }) => cat === 'vault').length).toBeGreaterThanOrEqual(100);
    expect(notesAlone.filter(({ q }) => householdQueries.includes(q.toLowerCase()))).toEqual([]);
    expect(queries.filter(({ gold }) => gold.length === 0).length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(Object.groupBy(docs.filter(isFromSource), ({ from }) => from!.source))).toHaveLength(
      3,
    );
    const { dev = [], test = [], ...others } = Object.groupBy(queries, ({ half }) => half ?? 'none');
    expect(others).toEqual({});
    expect(Math.abs(dev.length - test.length)).toBeLessThanOrEqual(6);
  });
});

describe('recordOf', () => {
  it('keeps the session, speaker, role, caption and date of a turn', () => {
    const turn = {
      id: 'D1:3',
      text: 'Hi',
      speaker: 'Mel',
      session: 4,
      role: 'user',
      caption: 'a lake',
      note: false,
    };
    const record = recordOf({ ...turn, date: '1:56 pm on 8 May, 2023' }, 2);
    expect(record.metadata).toEqual({
      speaker: 'Mel',
      session: 4,
      role: 'user',
      caption: 'a lake',
      date: '2023-05-08',
    });
    expect(record.createdAt).toBe(Date.UTC(2023, 4, 8, 13, 56) + 2);
    expect(recordOf({ ...turn, date: 'March-15-2024' }, 0).createdAt).toBe(Date.UTC(2024, 2, 15));
    expect(recordOf(turn, 5).createdAt).toBe(recordOf(turn, 0).createdAt);
  });
});

describe('findSets', () => {
  it('lists the sets of the repository first, then those of the folder by name', () => {
    const data = mkdtempSync(join(folder, 'data-'));
    writeFileSync(join(data, 'b.json.gz'), '');
    writeFileSync(join(data, 'a.json'), '');
    writeFileSync(join(data, 'b_stale.json'), '');
    writeFileSync(join(data, 'notes.txt'), '');
    expect(findSets({ LOCI_EVAL_DATA: data })).toEqual([
      HOUSEHOLD,
      AMBIENT,
      ABSENT,
      NEWEST,
      join(data, 'a.json'),
      join(data, 'b.json.gz'),
    ]);
  });

  it('rejects a folder that does not exist or has no set', () => {
    expect(() => findSets({ LOCI_EVAL_DATA: join(folder, 'nowhere') })).toThrow('is not a folder');
    expect(() => findSets({ LOCI_EVAL_DATA: mkdtempSync(join(folder, 'bare-')) })).toThrow('has no .json');
  });
});
