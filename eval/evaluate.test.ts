import { verifyStore } from '../test/contract/store-samples.ts';
import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparison, readEarlier } from './compare.ts';
import { defaultConfiguration, withOverrides } from './configuration.ts';
import { ABLATIONS } from './engine-system.ts';
import { evaluateSet, type EvaluateOptions } from './evaluate.ts';
import { isIndexed, namespaceOf, openIndexed } from './index-cache.ts';
import { openModel, type Model } from './model.ts';
import { asJson } from './results.ts';
import { setReport } from './set-report.ts';
import { loadSet, type EvalSet } from './sets.ts';
import { beatenBy, summary } from './summary.ts';

const CONFIGURATION = { ...defaultConfiguration(), provider: 'none', minScore: 0 };
const TOPICS = ['oven', 'garden', 'bicycle', 'passport', 'violin', 'ladder'];

let folder = '';
let set: EvalSet;
let model: Model;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loci-eval-run-'));
  const file = join(folder, 'set.json');
  const turnOf = (topic: string, i: number) => ({
    id: topic,
    text: `Let us talk about the ${topic}.`,
    session: i % 2,
  });
  const queryOf = (topic: string) => ({
    id: topic,
    q: `What of the ${topic}?`,
    gold: [topic],
    cat: topic.slice(0, 1),
  });
  const absent = { id: 'absent', q: 'zeppelin', gold: [], cat: 'absent' };
  const derived = { id: 'made', q: 'oven ladder', gold: ['ladder'], cat: 'made', src: 'oven' };
  const queries = [...TOPICS.map(queryOf), absent, derived];
  const collections = [
    { id: 'one', docs: TOPICS.map(turnOf), queries },
    { id: 'other', docs: [{ id: 'oven', text: 'zeppelin' }], queries: [] },
  ];
  writeFileSync(file, JSON.stringify({ name: 'locomo-like', collections }));
  set = loadSet(file);
  model = await openModel(CONFIGURATION);
});
afterAll(() => rmSync(folder, { recursive: true }));

function evaluate(options: Partial<EvaluateOptions> = {}, of = set): ReturnType<typeof evaluateSet> {
  const noExtras = {
    baselines: false,
    ablate: false,
    partly: false,
    typos: false,
    folder: join(folder, 'cache'),
  };
  return evaluateSet(of, CONFIGURATION, model, { ...noExtras, ...options });
}

describe('evaluateSet', () => {
  it('searches each collection by itself and leaves out the document that a query was made from', async () => {
    const result = await evaluate();
    expect(result.measure).toBe('R@10');
    expect(result.metrics).toMatchObject({ 'R@1': 1, MRR: 1, 'session Hit@1': 1 });
    expect(result.queries.map(({ key }) => key)).toContain('one/made');
    expect(result.categories['o']).toEqual({ queries: 1, metrics: result.metrics });
    // Only the other collection mentions zeppelins.
    expect(result.abstention).toMatchObject({ absent: 1, abstained: 1, falselyAbstained: 0, separation: 1 });
    expect(result.absent).toEqual([
      {
        key: 'one/absent',
        results: 0,
        top: [],
        related: [],
        confidence: null,
        evidence: null,
        highest: null,
      },
    ]);
    expect(result.queries[0]?.top).toEqual(['oven']);
    expect(result.ambient).toBeNull();
  });

  it('asks each query at its own time', async () => {
    const docs = ['May', 'June'].map((month) => ({
      ...{ id: month, text: 'We talked about the oven.', session: month },
      date: `1:00 pm on 1 ${month}, 2023`,
    }));
    const queries = ['2023-05-02', '2023-06-02'].map((day, i) => ({
      ...{ id: day, q: 'What did we say about the oven yesterday?', cat: 'time', gold: [docs[i]!.id] },
      now: `${day}T12:00:00Z`,
    }));
    const file = join(folder, 'times.json');
    writeFileSync(file, JSON.stringify({ name: 'times', collections: [{ id: 'one', docs, queries }] }));
    expect((await evaluate({}, loadSet(file))).metrics).toMatchObject({ 'R@1': 1 });
  });

  it('counts how often a relevant document stands above the others that a query names', async () => {
    const file = join(folder, 'pairs.json');
    const docs = ['The oven is hot.', 'The garden is green, and beside it is an oven.'].map((text, i) => ({
      id: String(i),
      text,
    }));
    const queryOf = (id: string, gold: string, above: string) => ({
      id,
      q: 'hot oven',
      gold: [gold],
      above: [above],
      cat: 'pair',
    });
    const queries = [queryOf('right', '0', '1'), queryOf('wrong', '1', '0'), queryOf('also right', '0', '1')];
    writeFileSync(file, JSON.stringify({ name: 'pairs', collections: [{ id: 'c', docs, queries }] }));
    const { metrics } = await evaluate({}, loadSet(file));
    expect(metrics['above']).toBeCloseTo(2 / 3);
  });

  it('compares the scores with those of the same queries whose relevant documents are hidden', async () => {
    const { calibration, queries } = await evaluate();
    expect(calibration.bins.reduce((sum, bin) => sum + bin.queries, 0)).toBe(queries.length);
    expect(calibration.auroc).toBeNull();
    // A hidden document is not found, so that these queries score lower.
    expect(calibration.hiddenAuroc).toBe(1);
    expect(setReport(await evaluate()).join('\n')).toContain('relevant documents hidden: AUROC 1.000');
  });

  it('measures baselines, ablations and typos', async () => {
    const result = await evaluate({ baselines: true, ablate: true, partly: false, typos: true });
    expect(Object.keys(result.baselines)).toEqual(['fts5', 'fts5 sessions', 'grep', 'classic']);
    expect(result.baselines['grep']?.metrics['R@10']).toBe(1);
    expect(Object.keys(result.ablation)).toEqual(Object.keys(ABLATIONS));
    expect(result.ablation['text']?.metrics['R@1']).toBeLessThan(1);
    expect(result.typos['fts5']?.lost.mean).toBeGreaterThan(0);
    const report = setReport(result).join('\n');
    expect(report).toContain('locomo-like: 7 documents, 7 queries, main metric R@10');
    expect(report).toMatch(/^ {2}default +100\.0/m);
    expect(beatenBy([result])).toEqual([]);
    expect(summary([result]).join('\n')).toContain('mean of 1');
  });

  it('runs evenly spread queries with a limit', async () => {
    const result = await evaluate({ limit: 2 });
    expect(result.queries.map(({ key }) => key)).toEqual(['one/oven', 'one/violin']);
  });

  it('runs a set with sources once more without them', async () => {
    const file = join(folder, 'sourced.json');
    const note = { id: 'shed', text: 'The key of the shed hangs by the door.' };
    const tasks = [{ id: '1', text: 'Oil the door of the shed', completed: false }];
    const queries = [
      { id: 'todo', q: 'oil the shed door', gold: ['tasks:1'], cat: 'todo', half: 'dev' },
      { id: 'note', q: 'where does the key hang?', gold: ['shed'], cat: 'vault', half: 'dev' },
    ];
    const collections = [{ id: 'c', docs: [note], sources: { tasks }, queries }];
    writeFileSync(file, JSON.stringify({ name: 'sourced', collections }));
    const noExtras = {
      baselines: false,
      ablate: false,
      partly: false,
      typos: false,
      folder: join(folder, 'cache'),
    };
    const result = await evaluateSet(loadSet(file), CONFIGURATION, model, noExtras);
    const { dev } = result.ambient?.halves ?? {};
    expect(dev?.recall.todos).toEqual({ queries: 1, recall: 1 });
    expect(dev?.notes).toMatchObject({ queries: 1, alone: 1, together: 1 });
    expect(setReport(result).join('\n')).toMatch(/goal: recall of todos at least 90\.0 +100\.0 met/);
    const hidden = withOverrides(CONFIGURATION, {
      sources: { tasks: { weight: 0, minScore: 1, allWordsSuffice: false } },
    });
    const without = await evaluateSet(loadSet(file), hidden, model, noExtras);
    expect(without.ambient?.halves['dev']?.recall.todos).toEqual({ queries: 1, recall: 0 });
  });

  it('stops between queries', async () => {
    await expect(evaluate({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('the cache', () => {
  it('is reused, rebuilt after an interruption or a change of code, and never has a record twice', async () => {
    const cache = { folder: join(folder, 'again') };
    expect(isIndexed(set, model, cache.folder)).toBe(false);
    await expect(openIndexed(set, model, { ...cache, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(isIndexed(set, model, cache.folder)).toBe(false);
    const counts: number[] = [];
    for (const outdated of [false, true, false]) {
      const indexed = await openIndexed(set, model, cache);
      const { store } = indexed;
      counts.push((await store.admin.totals(ADMIN_NAMESPACE)).passages);
      expect(await verifyStore(store)).toEqual([]);
      await indexed.close();
      expect(isIndexed(set, model, cache.folder)).toBe(true);
      if (outdated) markOutdated(cache.folder);
    }
    expect(counts).toEqual([7, 7, 7]);
  });

  it('serves several runs at once, but no longer when it lacks a record', async () => {
    const cache = { folder: join(folder, 'shared') };
    await (await openIndexed(set, model, cache)).close();
    const first = await openIndexed(set, model, cache);
    const second = await openIndexed(set, model, cache);
    const { id } = set.collections[0]!;
    await second.store.records.commit(namespaceOf(set, id), { deletions: [{ id: 1, at: Date.now() }] });
    await Promise.all([first.close(), second.close()]);
    await expect(openIndexed(set, model, cache)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringMatching(/locomo-like has 6 documents and \d passages and should have 7/),
      hint: expect.stringContaining(`Delete the cached set, ${cache.folder}`),
    });
  });
});

function markOutdated(cache: string): void {
  for (const stamp of globSync('*.stamp', { cwd: cache }))
    writeFileSync(join(cache, stamp), JSON.stringify({ code: 'older', embedded: true }));
  expect(isIndexed(set, model, cache)).toBe(false);
}

describe('comparison', () => {
  it('compares the queries of both runs', async () => {
    const result = await evaluate();
    const file = join(folder, 'earlier.json');
    const worse = result.queries.map((query) => ({ ...query, scores: { ...query.scores, 'R@10': 0 } }));
    writeFileSync(file, JSON.stringify(asJson([{ ...result, queries: worse }], result.config)));
    const lines = comparison([result], readEarlier(file)).join('\n');
    expect(lines).toMatch(/locomo-like \(R@10\) +7 +0\.0 +100\.0 +\+100\.0 +\[\+100\.0, \+100\.0\]/);
  });

  it('compares means with an earlier run without queries, and names new sets', async () => {
    const result = await evaluate();
    const file = join(folder, 'bare.json');
    const sets = [{ set: 'locomo-like', hash: 'other', metrics: { 'R@10': 0.5 } }];
    writeFileSync(file, JSON.stringify({ sets }));
    const lines = comparison([result, { ...result, set: 'new' }], readEarlier(file)).join('\n');
    expect(lines).toMatch(/unknown +50\.0 +100\.0 +\+50\.0/);
    expect(lines).toContain('has changed; only the queries');
    expect(lines).toContain('not in the earlier run: new');
  });

  it('rejects a file that no run has written', () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, '{"metrics": 1}');
    expect(() => readEarlier(file)).toThrow('it is not the result of a run');
    expect(() => readEarlier(join(folder, 'none.json'))).toThrow('ENOENT');
  });
});
