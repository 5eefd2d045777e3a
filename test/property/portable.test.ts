import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { EngineContext } from '../../src/engine/context.ts';
import { search } from '../../src/engine/records/search.ts';
import { exportLines, exportPage, exportToFile } from '../../src/engine/portable/export.ts';
import { importMemory } from '../../src/engine/portable/import.ts';
import { openStore } from '../../src/store/registry.ts';
import { settings } from '../contract/engines.ts';
import { NOW, verifyStore } from '../contract/store-samples.ts';
import { fill, namespaces } from './portable-namespaces.ts';
import { repetitions } from '../repetitions.ts';
import { verifyAudit } from '../contract/written-samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-portable-'));
let paths = 0;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function newPath(): string {
  return join(folder, String(++paths));
}

async function openContext(): Promise<EngineContext & AsyncDisposable> {
  const path = newPath();
  const store = await openStore({ path }, { create: true });
  const context = EngineContext.create(settings(path), store, { now: () => NOW });
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() });
}

/** The lines of an export without the first, the last and those about imports. */
async function exportedLines(context: EngineContext): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of exportLines(context)) lines.push(...batch);
  return lines.slice(1, -1).filter((line) => !line.includes('"action":"import"'));
}

async function searchResults(context: EngineContext): Promise<unknown[]> {
  const searches = ['oven', 'harbour maple', 'm true', '漢字'].map(async (query) => {
    const { results } = await search(context, { query, limit: 50, min_score: 0 });
    const fields = results.map(({ citation, score, snippet }) => ({
      citation,
      score: score.toFixed(6),
      snippet,
    }));
    // Stores may add scores in different orders, so the last digits and the order of ties may differ.
    return fields.sort((a, b) => (a.citation < b.citation ? -1 : 1));
  });
  return Promise.all(searches);
}

/** Failures are not shrunk, because that takes minutes. */
const RUNS = { numRuns: repetitions(4, 12), endOnFailure: true };

describe('a namespace that is exported and imported', () => {
  it('is equal in the other store', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(namespaces, async (namespace) => {
        await using source = await openContext();
        await fill(source, namespace);
        const path = newPath();
        await exportToFile(source, path, {});
        await using target = await openContext();
        const report = await importMemory(target, { path });
        expect([report.problems, report.conflicts, report.renumbered]).toEqual([[], [], []]);
        const lines = await exportedLines(source);
        expect(await exportedLines(target)).toEqual(lines);
        expect(await searchResults(target)).toEqual(await searchResults(source));
        expect(await verifyAudit(target.store, 'default')).toEqual([]);
        expect(await verifyStore(target.store)).toEqual([]);
        const again = await importMemory(target, { path });
        const all = [again.records, again.startup, again.audit, again.history];
        const changes = all.map(({ unchanged: _, ...rest }) => rest);
        expect(changes.flatMap((counts) => Object.values(counts))).toEqual(Array(24).fill(0));
        expect(await exportedLines(target)).toEqual(lines);
      }),
      RUNS,
    );
  });

  it('can be exported in pages, which import as the same content', async () => {
    await using source = await openContext();
    const [namespace] = fc.sample(namespaces, { numRuns: 1, seed: 7 });
    await fill(source, namespace!);
    let lines = '';
    for (let after: string | undefined; ;) {
      const page = await exportPage(source, after);
      lines += page.lines;
      if (page.next === null) break;
      after = page.next;
    }
    await using target = await openContext();
    const report = await importMemory(target, { lines });
    expect(report.problems).toEqual([]);
    expect(await exportedLines(target)).toEqual(await exportedLines(source));
  });
});
