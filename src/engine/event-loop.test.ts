import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings, temporaryFolder, writeNotes } from '../../test/contract/engines.ts';
import { makePassages } from '../ingest/passages.ts';
import { estimateTokens } from '../ingest/token-estimate.ts';
import { openLoci } from './open.ts';

/** Milliseconds of processor time of this thread, whatever else the machine does. */
function processorTime(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

/** The most that one turn of the event loop takes while something is under way. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const turn = (): void => {
    longest = Math.max(longest, processorTime(last));
    last = process.threadCpuUsage();
  };
  const beat = setInterval(turn, 1);
  await work();
  turn();
  clearInterval(beat);
  return longest;
}

const NOTE = Array.from(
  { length: 1500 },
  (_, i) =>
    `## Entry ${String(i)}\n\n${'The [[Oven]] was cleaned, and the **hob** with it. '.repeat(20)}\n\n`,
).join('');

describe('the event loop of the host', () => {
  it('is not held while a long note is indexed, derived anew, written or examined', async () => {
    await using folder = await temporaryFolder();
    await writeNotes(join(folder.path, 'vault'), { 'long.md': NOTE, 'short.md': 'a short one' });
    const before = process.threadCpuUsage();
    const options = { maxTokens: 200, countTokens: estimateTokens };
    makePassages({ title: 'long', metadata: {}, content: NOTE }, options);
    const cutHere = processorTime(before);
    const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
    const loci = await openLoci(settings(folder.path, { vaults }));
    await loci.status();
    const turns = {
      index: await longestTurn(() => loci.index()),
      reindex: await longestTurn(() => loci.reindex()),
      write: await longestTurn(() => loci.write({ content: NOTE.slice(0, 1_000_000), source: 'library' })),
      doctor: await longestTurn(() => loci.doctor()),
    };
    await loci.close();
    for (const [name, turn] of Object.entries(turns))
      expect([name, turn < cutHere / 2]).toEqual([name, true]);
  });
});
