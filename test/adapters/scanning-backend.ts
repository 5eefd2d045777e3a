import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Backend, BackendState, PoolQuery } from '../../src/adapters/pool-adapter.ts';
import type { MemoryResult } from '../../src/adapters/contract.ts';
import {
  listPoolFiles,
  matchesFilters,
  noteHead,
  resultMetadata,
  uriOf,
} from '../../src/adapters/pools/pool-files.ts';
import { analyze } from '../../src/core/text/analyze.ts';
import { decodeText } from '../../src/sources/files/decode-text.ts';

/** The simplest backend that keeps the contract: each recall reads all notes, and counts terms of the query. */
export class ScanningBackend implements Backend {
  readonly id: string = 'scanning';
  readonly capabilities = { semantic: false, keyword: true };

  async open(): Promise<void> {}
  async registerPools(): Promise<void> {}
  async readPools(): Promise<void> {}
  async close(): Promise<void> {}

  async state(): Promise<BackendState> {
    return { problems: [], details: {} };
  }

  async recall({ text: query, limit, pools, filters }: PoolQuery): Promise<readonly MemoryResult[]> {
    const wanted = new Set(termsOf(query));
    const results = new Map<string, MemoryResult & { readonly score: number }>();
    for (const pool of pools)
      for await (const { key } of listPoolFiles(pool, () => undefined)) {
        const file = path.join(pool.root, key);
        const text = decodeText(await readFile(file).catch(() => Buffer.from('')))?.text ?? '';
        const head = noteHead(key, text);
        const score = termsOf(text).filter((term) => wanted.has(term)).length;
        if (score === 0 || results.has(file) || !matchesFilters(head.frontMatter, filters)) continue;
        const snippet = text.split('\n').find((line) => termsOf(line).some((term) => wanted.has(term)));
        const metadata = resultMetadata(pool, key, head);
        results.set(file, { id: file, uri: uriOf(file), score, snippet: snippet ?? '', metadata });
      }
    return [...results.values()].sort((a, b) => b.score - a.score).slice(0, limit);
  }
}

function termsOf(text: string): string[] {
  return analyze(text).map(({ term }) => term);
}
