import { describe, expect, it } from 'vitest';
import { ambientLines } from './set-report.ts';
import { ambientOf } from './ambient.ts';
import { score } from './metrics.ts';
import type { Run } from './run.ts';
import { withoutSources, type EvalDocument, type EvalQuery, type EvalSet } from './sets.ts';

const note = (id: string): EvalDocument => ({ id, text: id, note: true });
const sourceDocument = (source: string, id: string, completed?: boolean): EvalDocument => {
  const printed = { id, text: id, ...(completed !== undefined && { completed }) };
  return { id: `${source}:${id}`, text: id, note: false, from: { source, printed } };
};
const queryOf = (id: string, gold: string[], half?: 'dev' | 'test'): EvalQuery => {
  return { id, q: id, gold, cat: id.slice(0, 4), ...(half !== undefined && { half }) };
};

const QUERIES = [
  queryOf('todo-1', ['tasks:1', 'tasks:2'], 'dev'),
  queryOf('todo-2', ['tasks:1', 'a.md', 'mail:1'], 'dev'),
  queryOf('note-1', ['a.md'], 'dev'),
  queryOf('note-2', ['b.md'], 'dev'),
  queryOf('none-1', [], 'dev'),
  queryOf('todo-3', ['tasks:2'], 'test'),
  queryOf('note-3', ['a.md'], 'test'),
];
const SET: EvalSet = {
  name: 'small',
  hash: '',
  root: '',
  collections: [
    {
      id: 'c',
      docs: [
        note('a.md'),
        note('b.md'),
        sourceDocument('tasks', '1', false),
        sourceDocument('tasks', '2', true),
        sourceDocument('mail', '1'),
      ],
      queries: QUERIES,
    },
  ],
};

/** The run of a system that returns these rankings. */
function runOf(set: EvalSet, rankings: Readonly<Record<string, readonly string[]>>): Run {
  const rows = set.collections[0]!.queries.flatMap((query) => {
    const ids = rankings[query.id];
    return ids === undefined ? [] : [{ query, ids }];
  });
  const sharedFields = ({ query, ids }: (typeof rows)[number]) => ({
    key: `c/${query.id}`,
    top: ids.slice(0, 10),
    related: query.id === 'todo-2' ? ['tasks:1'] : query.id === 'none-1' ? ['mail:1'] : [],
    confidence: null,
    evidence: null,
    highest: null,
  });
  return {
    system: 'table',
    unanswered: 0,
    milliseconds: [],
    absent: rows
      .filter(({ query }) => query.gold.length === 0)
      .map((row) => ({ ...sharedFields(row), results: row.ids.length })),
    queries: rows
      .filter(({ query }) => query.gold.length > 0)
      .map((row) => ({
        ...sharedFields(row),
        cat: row.query.cat,
        sessionHit: null,
        isAbove: null,
        scores: score(row.ids, row.query.gold),
      })),
  };
}

const ALONE = runOf(withoutSources(SET)!, {
  'note-1': ['a.md', 'b.md'],
  'note-2': ['b.md'],
  'note-3': ['a.md'],
});
const TOGETHER = runOf(SET, {
  'todo-1': ['tasks:2', 'b.md'],
  'todo-2': ['a.md', 'mail:1'],
  'note-1': ['tasks:1', 'a.md'],
  'note-2': ['b.md', 'a.md', 'a.md', 'mail:1'],
  'none-1': ['b.md', 'tasks:1'],
  'todo-3': ['tasks:2'],
  'note-3': ['a.md'],
});

describe('ambientOf', () => {
  const { dev, test } = ambientOf(SET, TOGETHER, ALONE).halves;

  it('measures the recall of documents of sources', () => {
    expect(dev?.recall.todos).toEqual({ queries: 2, recall: 0.75 });
    expect(dev?.recall.all).toEqual({ queries: 2, recall: 0.75 });
    expect(dev?.recall.sources).toEqual({
      mail: { queries: 1, recall: 1 },
      tasks: { queries: 2, recall: 0.75 },
    });
    expect(dev?.recall.categories).toEqual({ todo: { queries: 2, recall: 0.75 } });
    expect(test?.recall.todos).toEqual({ queries: 1, recall: 1 });
  });

  it('measures the loss of note queries against the set without sources', () => {
    expect(dev?.notes.alone).toBe(1);
    expect(dev?.notes.together).toBeCloseTo((1 / Math.log2(3) + 1) / 2);
    expect(dev?.notes.loss.mean).toBeCloseTo((1 - 1 / Math.log2(3)) / 2);
    expect(test?.notes).toMatchObject({ queries: 1, loss: { mean: 0 } });
  });

  it('counts queries that show an irrelevant document of a source', () => {
    expect(dev?.notes).toMatchObject({ queries: 2, first3: 1, first10: 2 });
    expect(dev?.nothing).toEqual({ queries: 1, first3: 1, first10: 1, related: 1 });
    expect(test?.nothing).toEqual({ queries: 0, first3: 0, first10: 0, related: 0 });
  });

  it('measures what the related documents alone show', () => {
    expect(dev?.relatedAlone).toEqual({ recall: 1 / 4, precision: 1 / 2, unrelated: 1 / 3 });
    expect(test?.relatedAlone).toEqual({ recall: 0, precision: 0, unrelated: 0 });
  });

  it('reports whether the goals are met', () => {
    expect(dev?.met).toEqual({ recall: false, loss: false });
    expect(test?.met).toEqual({ recall: true, loss: true });
    const lines = ambientLines({ halves: { dev: dev!, test: test! } });
    expect(lines.find((line) => line.includes('recall of todos'))).toMatch(/75\.0 missed +100\.0 met$/);
    expect(lines.find((line) => line.includes('loss at most'))).toMatch(/18\.5 missed +0\.0 met$/);
    expect(lines.find((line) => line.includes('from mail'))).toMatch(/100\.0 of 1$/);
  });

  it('leaves out queries that were not run, and groups queries without a half', () => {
    const queries = QUERIES.map(({ half: _, ...query }) => query);
    const set = { ...SET, collections: [{ ...SET.collections[0]!, queries }] };
    const run = { ...TOGETHER, queries: TOGETHER.queries.filter(({ key }) => key !== 'c/todo-1') };
    const { halves } = ambientOf(set, run, ALONE);
    expect(Object.keys(halves)).toEqual(['all']);
    expect(halves['all']?.recall.todos).toEqual({ queries: 2, recall: 1 });
  });
});
