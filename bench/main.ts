import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Progress } from '../eval/progress.ts';
import { measureAdapters, type AdapterBench } from './adapters.ts';
import { embedMeasures, type EmbedReport } from './embed-measures.ts';
import { measureCommands } from './commands.ts';
import { measureConversations } from './conversations.ts';
import { benchStore, type BenchStore } from './fill.ts';
import { measureFresh } from './fresh.ts';
import { measureMcp } from './mcp.ts';
import { benchServer, measurePostgres, measureRoundTrips } from './postgres.ts';
import { measureRest } from './rest.ts';
import { measurePage } from './page.ts';
import { missedTargets, sectionLines, type Section } from './report.ts';
import { measureSearch } from './search.ts';
import { measureWrites } from './writes.ts';

const HELP = `Measures the speed of Loci on synthetic stores and compares it with plain SQL and an exact scan in the same run.

  npm run bench -- [--quick] [--million] [--namespaces N] [--check] [--json FILE]

  --quick         use 10,000 passages only, and a short run of the embedder
  --million       use 1,000,000 passages too (filling takes about ten minutes and 5 GB in .cache/bench)
  --namespaces N  number of namespaces that share the passages (Zipfian sizes); the default is 64
  --check         exit with code 1 if a ratio, the recall or the event loop misses its target;
                  times are only reported, because machines differ
  --json FILE     write the figures as JSON
  --postgres      only measure PostgreSQL: that of LOCI_TEST_POSTGRES_URL, or one that is started
  --adapters      only compare the retrieval adapters, plain FTS5 and grep, on 10,000 notes by words and on 1,000 with the local
                  model; with --quick on 500 by words
  --page          only measure the web page in Chromium, on 50,000 records; with --quick on 10,000
  --lancedb DIR   the folder where @lancedb/lancedb is installed, for --adapters
  --no-embed      skip the benchmark of the embedder, and adapters with the local model
  --no-rest       skip the HTTP server; its load lasts ten minutes, with --quick a few seconds

Filled stores are kept in .cache/bench for the next run.`;

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    million: { type: 'boolean' },
    namespaces: { type: 'string', default: '64' },
    check: { type: 'boolean' },
    json: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    adapters: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    lancedb: { type: 'string' },
    embed: { type: 'boolean', default: true },
    rest: { type: 'boolean', default: true },
    help: { type: 'boolean' },
  },
  allowNegative: true,
});

/** Seconds under load, in full and quick runs. The full run is long enough to show growing memory. */
const [LOAD_SECONDS, QUICK_LOAD_SECONDS] = [600, 2];

/** Passages of PostgreSQL in a quick run. */
const QUICK_POSTGRES = 1000;

/** Copies of stores for write tests. They are removed when the process ends. */
const scratch = fileURLToPath(new URL(`../.cache/bench/scratch-${String(process.pid)}`, import.meta.url));

async function filledStore(passages: number, namespaces: number): Promise<BenchStore> {
  const progress = new Progress(`Filling a store of ${passages.toLocaleString('en')}`, 'passages');
  const bench = await benchStore({ passages, namespaces, report: progress.report });
  progress.end();
  return bench;
}

async function measureSize(passages: number, namespaces: number): Promise<Section> {
  const bench = await filledStore(passages, namespaces);
  const measures = [
    ...(await measureSearch(bench, passages)),
    ...(await measureWrites(bench, join(scratch, `writes-${String(passages)}`))),
    ...(await measureFresh(bench, join(scratch, `fresh-${String(passages)}`))),
  ];
  rmSync(scratch, { recursive: true, force: true });
  return { title: `${passages.toLocaleString('en')} passages in ${String(namespaces)} namespaces`, measures };
}

/** On one server: that of `LOCI_TEST_POSTGRES_URL`, or one of this machine. */
async function measurePostgresSizes(
  sizes: readonly number[],
  namespaces: number,
  report: (section: Section) => void,
): Promise<void> {
  await using server = await again(() => benchServer(flags.quick === true));
  if (server === null) {
    console.log(
      'PostgreSQL is left out: no server with pgvector is installed, and LOCI_TEST_POSTGRES_URL names none.\n',
    );
    return;
  }
  report({
    title: 'PostgreSQL, whole operations on the example vault',
    measures: await again(() => measureRoundTrips(server)),
  });
  for (const passages of sizes) {
    // A quick run copies little, because that takes longer than to measure it.
    const count = passages === QUICK_POSTGRES ? Math.min(4, namespaces) : namespaces;
    const title = `PostgreSQL, ${passages.toLocaleString('en')} passages in ${String(count)} namespaces`;
    const measures = await again(async () =>
      measurePostgres(server, await filledStore(passages, count), passages),
    );
    report({ title, measures });
  }
}

async function measureServer(quick: boolean): Promise<Section> {
  const bench = await benchStore({ passages: 10_000, namespaces: 1, report: () => undefined });
  const seconds = quick ? QUICK_LOAD_SECONDS : LOAD_SECONDS;
  const measures = await measureRest(bench, join(scratch, 'rest'), { seconds });
  rmSync(scratch, { recursive: true, force: true });
  return { title: `REST, 10,000 records, 1,000 requests a second for ${String(seconds)} s`, measures };
}

async function measureWebPage(records: number): Promise<Section> {
  const bench = await filledStore(records, 1);
  const measures = await measurePage(bench, join(scratch, 'page'));
  rmSync(scratch, { recursive: true, force: true });
  return { title: `The web page, ${records.toLocaleString('en')} records`, measures };
}

async function measureEmbedder(quick: boolean): Promise<Section> {
  mkdirSync(scratch, { recursive: true });
  const out = join(scratch, 'embed.json');
  const script = fileURLToPath(new URL('./embed.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [script, '--json', out, ...(quick ? ['--quick'] : [])]);
  return {
    title: 'The local embedder',
    measures: embedMeasures(JSON.parse(readFileSync(out, 'utf8')) as EmbedReport),
  };
}

function machineLine(): string {
  const load = loadavg().map((value) => value.toFixed(1));
  const cpu = `${cpus()[0]?.model ?? 'unknown'}, ${String(availableParallelism())} processors`;
  return `${cpu}, load ${load.join(' ')}, Node ${process.versions.node}`;
}

async function main(): Promise<void> {
  const namespaces = Number(flags.namespaces);
  if (!Number.isInteger(namespaces) || namespaces < 1) {
    console.error(`--namespaces ${flags.namespaces} is not a number from 1`);
    process.exitCode = 2;
    return;
  }
  const machine = machineLine();
  console.log(`${machine}\n`);
  const sections: Section[] = [];
  const report = (section: Section): void => {
    sections.push(section);
    console.log(`${sectionLines(section).join('\n')}\n`);
  };
  if (flags.adapters)
    for (const size of adapterSizes()) {
      const { section, lines } = await measureAdapters(size, join(scratch, `adapters-${size.provider}`));
      sections.push(section);
      console.log(`${lines.join('\n')}\n`);
    }
  else if (flags.page) report(await measureWebPage(flags.quick === true ? 10_000 : 50_000));
  else if (flags.postgres) await measurePostgresSizes(postgresSizes(), namespaces, report);
  else await measureLoci(report, namespaces);
  if (flags.json !== undefined)
    writeFileSync(flags.json, `${JSON.stringify({ machine, sections }, null, 2)}\n`);
  const missed = missedTargets(sections);
  for (const { what } of missed) console.error(`Not reached: ${what}`);
  if (flags.check === true && missed.length > 0) process.exitCode = 1;
}

function adapterSizes(): AdapterBench[] {
  const { lancedb } = flags;
  if (flags.quick === true) return [{ notes: 500, provider: 'none', lancedb, processes: 3, queries: 20 }];
  return [
    { notes: 10_000, provider: 'none', lancedb, processes: 5, queries: 40 },
    ...(flags.embed ? [{ notes: 1000, provider: 'local', lancedb, processes: 5, queries: 40 } as const] : []),
  ];
}

function postgresSizes(): number[] {
  return [flags.quick ? QUICK_POSTGRES : 100_000, ...(flags.million ? [1_000_000] : [])];
}

/** Everything that needs no other program than Loci, and PostgreSQL where there is one. */
async function measureLoci(report: (section: Section) => void, namespaces: number): Promise<void> {
  const sizes = [10_000, ...(flags.quick ? [] : [100_000]), ...(flags.million ? [1_000_000] : [])];
  for (const passages of sizes) report(await again(() => measureSize(passages, namespaces)));
  const conversations = await again(() => measureConversations(join(scratch, 'conversations')));
  report({ title: '20,000 turns in 1,000 sessions', measures: conversations });
  rmSync(scratch, { recursive: true, force: true });
  await measurePostgresSizes(postgresSizes(), namespaces, report);
  const mcp = await again(() => measureMcp(join(scratch, 'mcp')));
  report({ title: 'MCP on standard input and output', measures: mcp });
  const commands = await again(() => measureCommands(join(scratch, 'commands')));
  report({ title: 'Commands in fresh processes', measures: commands });
  if (flags.rest) report(await again(() => measureServer(flags.quick ?? false)));
  if (flags.embed) report(await again(() => measureEmbedder(flags.quick ?? false)));
}

/** Measures once more after an error, such as one of a port that another program took, and prints the error. */
async function again<Result>(measure: () => Promise<Result>): Promise<Result> {
  try {
    return await measure();
  } catch (error) {
    console.error('Measured once more after this error:', error);
    rmSync(scratch, { recursive: true, force: true });
    return measure();
  }
}

process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code));

if (flags.help === true) console.log(HELP);
else await main();
