import { execFile } from 'node:child_process';
import { constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle, fileAddress } from '../scripts/bundle.ts';
import { NOW } from './corpus.ts';
import { CHUNKING, draftOf } from './drafts.ts';
import type { BenchStore } from './fill.ts';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';

const MAX_OPEN_MS = 50;
const MAX_BLOCKED_MS = 50;
const MAX_RSS_MB = 250;
const PROCESSES = 5;
const PHASES = ['opening', 'searching', 'writing'] as const;

interface FreshProcess {
  readonly openMs: number;
  readonly rssMb: number;
  readonly bareRssMb: number;
  readonly blockedMs: Readonly<Record<(typeof PHASES)[number] | 'idling', number>>;
}

/** Bundles a module for fresh processes, as the package has it. Returns the URL of the bundle. */
export async function bundleModule(module: URL, folder: string): Promise<string> {
  const modules = { fresh: fileURLToPath(module) };
  for (const { fileName, code } of await bundle({ modules, addressOf: fileAddress }))
    writeFileSync(join(folder, fileName), code);
  return pathToFileURL(join(folder, 'fresh.js')).href;
}

/** Measures new processes that open a copy of the store in `folder`, search and write. */
export async function measureFresh(bench: BenchStore, folder: string): Promise<Measure[]> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'loci.db');
  copyFileSync(bench.path, path, constants.COPYFILE_FICLONE);
  const code = await bundleModule(new URL('./fresh-modules.ts', import.meta.url), folder);
  const runs: FreshProcess[] = [];
  const bareOpen: number[] = [];
  for (let run = 0; run < PROCESSES; run++) {
    const task = join(folder, 'task.json');
    writeFileSync(task, JSON.stringify({ code, path, now: NOW, ...makeTask(bench, run) }));
    runs.push(
      (await runNode([fileURLToPath(new URL('./fresh-process.mjs', import.meta.url)), task])) as FreshProcess,
    );
    bareOpen.push((await runNode(['--input-type=module', '--eval', BARE_OPEN, path])) as number);
  }
  const median = (pick: (run: FreshProcess) => number): number => quantile(runs.map(pick), 0.5);
  return [
    {
      what: 'open, fresh process',
      unit: 'ms',
      ours: median(({ openMs }) => openMs),
      baseline: { name: 'bare SQLite in a thread', value: quantile(bareOpen, 0.5) },
      target: { of: 'ours', most: MAX_OPEN_MS, checked: false },
    },
    {
      what: 'memory after searching',
      unit: 'MB',
      ours: median(({ rssMb }) => rssMb),
      baseline: { name: 'Node itself', value: median(({ bareRssMb }) => bareRssMb) },
      target: { of: 'ours', most: MAX_RSS_MB, checked: false },
    },
    // The best process counts, because other load on the machine blocks the event loop too.
    ...PHASES.map((phase): Measure => ({
      what: `longest block of the event loop while ${phase}`,
      unit: 'ms',
      ours: Math.min(...runs.map(({ blockedMs }) => blockedMs[phase])),
      baseline: { name: 'idle loop', value: Math.min(...runs.map(({ blockedMs }) => blockedMs.idling)) },
      target: { of: 'ours', most: MAX_BLOCKED_MS, checked: true },
    })),
  ];
}

/** The baseline: a worker opens a database and runs one query, as any store must that does not block the event loop. */
const BARE_OPEN = `
  import { Worker } from 'node:worker_threads';
  const start = performance.now();
  const worker = new Worker(
    \`import { DatabaseSync } from 'node:sqlite';
     import { parentPort, workerData } from 'node:worker_threads';
     const db = new DatabaseSync(workerData);
     parentPort.postMessage(db.prepare('SELECT count(*) FROM namespace').get());\`,
    { eval: true, workerData: process.argv[1] },
  );
  worker.once('message', () => console.log(JSON.stringify(performance.now() - start)));`;

function makeTask(bench: BenchStore, run: number): object {
  const documents = bench.unwritten.slice(run * 300, (run + 1) * 300);
  const batchOf = (from: number, until: number): object => ({
    writes: documents.slice(from, until).map(draftOf),
    chunking: CHUNKING,
  });
  const singles = Array.from({ length: 50 }, (_, i) => batchOf(i, i + 1));
  return {
    queries: bench.queries.slice(0, 60).map((query) => ({ ...query, vector: [...query.vector] })),
    batches: [...singles, batchOf(50, documents.length)],
  };
}

async function runNode(parameters: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { encoding: 'utf8' });
  return JSON.parse(stdout);
}
