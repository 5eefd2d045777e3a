import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { search } from '../records/search.ts';

/** How long the first answer to a process takes. */
const COLD_START_MS = 350;
const MAX_SEARCHES = 8;

const folder = folderForEach();
let server: ProviderServer;
let isCold: boolean;

beforeEach(async () => {
  isCold = false;
  const embed = letterVectors(384);
  server = await startProvider({
    format: OLLAMA,
    embed: async (texts, purpose) => {
      const wasCold = isCold;
      isCold = false;
      if (wasCold) await delay(COLD_START_MS);
      return embed(texts, purpose);
    },
  });
  const loci = await open();
  await write(loci, { content: 'The oven moves to the other wall.' });
  await loci.close();
});

afterEach(() => server[Symbol.asyncDispose]());

/** Opens an engine as a new process does. */
function open(): Promise<EngineContext> {
  const embedding = { provider: 'ollama', model: 'all-minilm', url: server.origin };
  return openInline(settings(folder.path, { search: { minScore: 0 }, embedding }));
}

/** Lets the next process try the provider at once, as after some seconds. */
async function endPause(): Promise<void> {
  const file = join(folder.path, 'embedding-state.json');
  const state = JSON.parse(await readFile(file, 'utf8')) as { outage: object | null };
  if (state.outage === null) return;
  await writeFile(file, JSON.stringify({ ...state, outage: { ...state.outage, retryAt: 0 } }));
}

describe('a provider whose first answer to every process is slow', () => {
  it('is used after a few searches, each by a process of its own', async () => {
    const missing: number[] = [];
    while (missing.at(-1) !== 0 && missing.length < MAX_SEARCHES) {
      isCold = true;
      const loci = await open();
      missing.push((await search(loci, { query: 'oven' })).missing.length);
      await loci.close();
      await endPause();
    }
    expect(missing[0]).toBe(1);
    expect(missing.at(-1)).toBe(0);
  });
});
