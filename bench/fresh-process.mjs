// Opens a filled store, searches it and writes to it in a separate process that loads only what an installed package
// loads. Prints the time to open, the memory after the searches and the longest block of the event loop in each phase.
//   node fresh-process.mjs TASK.json
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

const RESOLUTION_MS = 5;
const IDLE_MS = 500;
const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const bareRss = process.memoryUsage.rss();
const { openStore, runSearch, DEFAULT_RANKING: ranking } = await import(task.code);

/** The longest block of the event loop in milliseconds. After the last wait, the monitor has seen a block at the end of the work. */
async function longestBlock(work) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await setTimeout(2 * RESOLUTION_MS);
  await work();
  await setTimeout(2 * RESOLUTION_MS);
  delay.disable();
  return Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
}

let store;
let openMs;
// Other load on the machine blocks an idle loop too.
const blockedMs = { idling: await longestBlock(() => setTimeout(IDLE_MS)) };
blockedMs.opening = await longestBlock(async () => {
  const start = performance.now();
  store = await openStore({ driver: 'sqlite', path: task.path, busyTimeoutMs: 5000, create: false });
  openMs = performance.now() - start;
});
const generation = (await store.vectors.generations('')).find(({ active }) => active).id;
blockedMs.searching = await longestBlock(async () => {
  for (const { namespace, text, vector } of task.queries) {
    const embedder = { embed: async () => [Float32Array.from(vector)], countTokens: (words) => words.length };
    const vectors = { embedder, generation };
    await runSearch({
      store,
      namespace,
      query: text,
      filter: { now: task.now },
      limit: 10,
      ranking,
      vectors,
    });
  }
});
const rss = process.memoryUsage.rss();
blockedMs.writing = await longestBlock(async () => {
  for (const batch of task.batches) await store.records.commit('bench-fresh', batch);
});
await store.close();
console.log(JSON.stringify({ openMs, rssMb: rss / 1e6, bareRssMb: bareRss / 1e6, blockedMs }));
