import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings, temporaryFolder, writeNotes } from '../../test/contract/engines.ts';
import { draft } from '../../test/contract/store-samples.ts';
import { estimateModelTokens, makePassages } from '../ingest/passages.ts';
import { openEngine } from './open.ts';
import { storeStatus } from './health/status.ts';
import { indexVaults } from './reading/index-vaults.ts';
import { reindex } from './health/reindex.ts';
import { write } from './records/write.ts';
import { doctor } from './health/doctor.ts';

/** The CPU time of this thread in milliseconds. It does not depend on other load of the machine. */
function cpuTimeMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

/** The CPU time of the longest turn of the event loop while `work` runs. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const turn = (): void => {
    longest = Math.max(longest, cpuTimeMs(last));
    last = process.threadCpuUsage();
  };
  const timer = setInterval(turn, 1);
  await work();
  turn();
  clearInterval(timer);
  return longest;
}

const NOTE = Array.from(
  { length: 1500 },
  (_, i) =>
    `## Entry ${String(i)}\n\n${'The [[Oven]] was cleaned, and the **hob** with it. '.repeat(20)}\n\n`,
).join('');

/** The longest turn of the event loop in each operation of a new engine in a new folder. */
async function longestTurns(): Promise<Record<string, number>> {
  await using folder = await temporaryFolder();
  await writeNotes(join(folder.path, 'vault'), { 'long.md': NOTE, 'short.md': 'a short one' });
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  const loci = await openEngine(settings(folder.path, { vaults }));
  await storeStatus(loci);
  const turns = {
    index: await longestTurn(() => indexVaults(loci)),
    reindex: await longestTurn(() => reindex(loci)),
    write: await longestTurn(() => write(loci, { content: NOTE.slice(0, 1_000_000) })),
    doctor: await longestTurn(() => doctor(loci)),
  };
  await loci.close();
  return turns;
}

/** A single turn may be long, for example during a garbage collection. Code that blocks the loop does so in every run. */
const MAX_ATTEMPTS = 3;

describe('the event loop of the host', () => {
  it('is not blocked while a long note is indexed, rechunked, written or checked', async () => {
    const before = process.threadCpuUsage();
    const options = { maxTokens: 200, countTokens: estimateModelTokens };
    makePassages(draft({ title: 'long', content: NOTE }), options);
    const chunkingTime = cpuTimeMs(before);
    let blocking: string[] = ['not tried'];
    for (let attempt = 0; attempt < MAX_ATTEMPTS && blocking.length > 0; attempt++) {
      const turns = Object.entries(await longestTurns());
      blocking = turns.filter(([, turn]) => turn >= chunkingTime / 2).map(([name]) => name);
    }
    expect(blocking).toEqual([]);
  });
});
