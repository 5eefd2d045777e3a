import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Variant } from './variants.ts';

/** A memory that has not found a text after this time counts as one that never does. */
const MAX_WAIT_MS = 20_000;
const POLL_MS = 20;

/** The time from the call of `memory_write` to the end of the search that finds the record, in milliseconds. */
export async function untilFound(variant: Variant, writes: number): Promise<readonly number[]> {
  return timeEach(writes, async (word, i) => {
    const content = `The ${word} of house ${String(i)} is in the cellar.`;
    const { value } = await variant.gateway.invoke('memory_write', { content });
    if (value['status'] !== 'ok') throw new Error(`memory_write failed: ${JSON.stringify(value)}`);
    await search(variant, word);
  });
}

/** The same for a memory without such a tool: from a file that is written into the workspace. */
export async function untilFileFound(variant: Variant, writes: number): Promise<readonly number[]> {
  return timeEach(writes, async (word, i) => {
    const content = `# Cellar\n\nThe ${word} of house ${String(i)} is in the cellar.\n`;
    writeFileSync(join(variant.home.workspace('main'), 'memory', `${word}.md`), content);
    await search(variant, word);
  });
}

async function search(variant: Variant, word: string): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  while (Date.now() < deadline) {
    const { value } = await variant.gateway.invoke('memory_search', { query: `where is the ${word}` });
    if (JSON.stringify(value['results']).includes(word)) return;
    await delay(POLL_MS);
  }
}

async function timeEach(
  count: number,
  write: (word: string, i: number) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await write(`waterstop${String(i)}`, i);
    times.push(performance.now() - start);
  }
  return times;
}
