import { HistoryLog } from '../audit/history-log.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { storeFact } from './facts.ts';
import { corpus } from './corpus.ts';
import { get } from '../records/get.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  loci = await openInline(settings(folder.path, { vaults: [{ name: 'v', path: folder.path }] }), {
    now: () => NOW,
  });
});

afterEach(() => loci.close());

/** A run that is newer than all facts, whose input has the words. */
function recordRun(words: string): void {
  loci.shared(HistoryLog).record(loci.namespace, {
    category: 'pack_history',
    name: 'memory_write',
    surface: 'mcp',
    actor: 'ada',
    inputs: { path: words },
    outcome: 'record/1',
    at: NOW + 1000,
    tookMs: 5,
  });
}

describe('the corpus', () => {
  it('has facts before runs, also where a run is newer or matches better', async () => {
    await storeFact(loci, { key: 'plan', value: 'The deployment is on Friday.' });
    recordRun('deployment friday plan');
    const collections = async (request: { limit: number; query?: string }): Promise<string[]> =>
      (await corpus(loci, request)).documents.map(({ collection }) => collection);
    expect(await collections({ limit: 10 })).toEqual(['facts', 'pack_history']);
    expect(await collections({ limit: 10, query: 'deployment friday plan' })).toEqual([
      'facts',
      'pack_history',
    ]);
    expect(await collections({ limit: 1 })).toEqual(['facts']);
  });

  it('gives a document the same id when its content changes, and documents of equal content different ids', async () => {
    const ids = async (): Promise<Map<string, string>> => {
      const { documents } = await corpus(loci, { limit: 10 });
      return new Map(documents.map(({ path, docid }) => [path, docid]));
    };
    await storeFact(loci, { key: 'a', value: 'tea' });
    await storeFact(loci, { key: 'b', value: 'tea' });
    const before = await ids();
    expect(new Set(before.values()).size).toBe(2);
    await storeFact(loci, { key: 'a', value: 'coffee' });
    expect(await ids()).toEqual(before);
  });

  it('has paths that get accepts, whatever the key and the category of a fact', async () => {
    const label = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'aé/#%L3:2F. ') });
    const name = label.map((text) => text.trim()).filter((text) => text !== '');
    const facts = fc.uniqueArray(fc.tuple(name, name), { maxLength: 6, selector: (pair) => pair.join('\n') });
    await fc.assert(
      fc.asyncProperty(facts, async (pairs) => {
        for (const [category, key] of pairs)
          await storeFact(loci, { category, key, value: `${category}\n${key}` });
        const { documents } = await corpus(loci, { limit: 500 });
        expect(new Set(documents.map(({ path }) => path)).size).toBe(documents.length);
        for (const { path, content } of documents)
          expect((await get(loci, { citation: path })).text).toBe(content);
      }),
      { numRuns: 20 },
    );
    await storeFact(loci, { category: 'c', key: 'k', value: 'one\ntwo' });
    expect((await get(loci, { citation: 'facts/c/k#L2' })).text).toBe('two');
  });

  it('has runs that get reads, which have no number that another operation would take for a record', async () => {
    recordRun('one');
    recordRun('two');
    const { documents } = await corpus(loci, { limit: 10 });
    expect(documents.map(({ path }) => path).toSorted()).toEqual(['pack_history/1', 'pack_history/2']);
    for (const { path, content } of documents) {
      const run = { id: null, uuid: null, origin: 'audit', trust: 'agent', path, text: content };
      expect(await get(loci, { citation: path })).toMatchObject(run);
    }
    expect((await get(loci, { citation: 'pack_history/1#L1' })).text).toBe('## Pack call: memory_write');
    for (const path of ['pack_history/3', 'pack_history/0', 'pipeline_history/1', 'facts/c/k', 'facts/%'])
      await expect(get(loci, { citation: path }), path).rejects.toMatchObject({ code: 'not_found' });
  });
});
