import { copyFileSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../src/store/registry.ts';
import type { Document } from './corpus.ts';
import { CHUNKING, draftOf } from './drafts.ts';
import type { BenchStore } from './fill.ts';
import { BareTable, PlainSearch } from './plain.ts';
import type { Measure } from './report.ts';
import { sum, timeEach } from './timing.ts';

const MIN_SHARE_OF_BARE = 0.6;
/** A disk that commits more rows per second does not flush them. The ratio then compares CPU work only and is not checked. */
const MAX_FLUSHED_RATE = 1000;
const MIN_BATCH_RATE = 4000;
const SINGLE_WRITES = 600;
/** Number of writes before the other side's turn. The sides alternate, so that other load on the disk affects both. */
const WRITES_PER_TURN = 20;
const BATCH_SIZE = 500;

/** Measures writes into copies of the filled store and of the plain one in `folder`, without embedding. */
export async function measureWrites(bench: BenchStore, folder: string): Promise<Measure[]> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'loci.db');
  const plainPath = join(folder, 'plain.db');
  copyFileSync(bench.path, path, constants.COPYFILE_FICLONE);
  copyFileSync(bench.plainPath, plainPath, constants.COPYFILE_FICLONE);
  const store = await openStore({ path }, { create: false });
  const bare = new BareTable(join(folder, 'bare.db'));
  const plain = new PlainSearch(plainPath);
  const commit = (documents: readonly Document[]): Promise<number[]> =>
    store.records.commit('bench-0', { writes: documents.map(draftOf), chunking: CHUNKING });
  try {
    const singles = bench.unwritten.slice(0, SINGLE_WRITES);
    const batches = chunksOf(BATCH_SIZE, bench.unwritten.slice(SINGLE_WRITES));
    await timeEach(singles.splice(0, WRITES_PER_TURN), (document) => commit([document]));
    const singleTimes = await alternate(chunksOf(WRITES_PER_TURN, singles), {
      ours: (run) => timeEach(run, (document) => commit([document])),
      baseline: (run) => timeEach(run, (document) => bare.add(document)),
    });
    const batchTimes = await alternate(batches, {
      ours: (batch) => timeEach([batch], commit),
      baseline: (batch) => timeEach([batch], (documents) => plain.add(documents)),
    });
    return [
      {
        what: 'durable writes, one by one',
        unit: 'a second',
        ours: rate(singleTimes.ours, 1),
        baseline: { name: 'bare one-row INSERT', value: rate(singleTimes.baseline, 1) },
        target: {
          of: 'ratio',
          least: MIN_SHARE_OF_BARE,
          checked: rate(singleTimes.baseline, 1) <= MAX_FLUSHED_RATE,
        },
      },
      {
        what: `passages in batches of ${String(BATCH_SIZE)}`,
        unit: 'a second',
        ours: rate(batchTimes.ours, BATCH_SIZE),
        baseline: { name: 'plain FTS5 table', value: rate(batchTimes.baseline, BATCH_SIZE) },
        target: { of: 'ours', least: MIN_BATCH_RATE, checked: false },
      },
    ];
  } finally {
    await store.close();
    bare.close();
    plain.close();
  }
}

interface Sides<Each> {
  readonly ours: Each;
  readonly baseline: Each;
}

async function alternate<Item>(
  items: readonly Item[],
  sides: Sides<(item: Item) => Promise<number[]>>,
): Promise<Sides<number[]>> {
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (const item of items) {
    times.ours.push(...(await sides.ours(item)));
    times.baseline.push(...(await sides.baseline(item)));
  }
  return times;
}

function chunksOf<Item>(length: number, items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.floor(items.length / length) }, (_, i) =>
    items.slice(i * length, (i + 1) * length),
  );
}

function rate(times: readonly number[], each: number): number {
  return (1000 * each * times.length) / sum(times);
}
