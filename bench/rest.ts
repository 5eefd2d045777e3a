import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config/load.ts';
import { openEngine } from '../src/engine/open.ts';
import type { BenchStore } from './fill.ts';
import { applyLoad, type LoadRequest } from './load.ts';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';
import type { EngineContext } from '../src/engine/context.ts';
import { createToken } from '../src/engine/access/tokens.ts';
import { search } from '../src/engine/records/search.ts';

const REQUESTS_PER_SECOND = 1000;
/** One request in ten is a write. */
const WRITE_EVERY = 10;
const WARM_UP_REQUESTS = 200;
const MAX_P99_MS = 50;
/** Number of searches of the engine without a server. */
const ENGINE_SEARCHES = 100;
const BARE_SERVER = fileURLToPath(new URL('bare-server.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/surfaces/cli/main.ts', import.meta.url));

/** Duration of the load in seconds. */
export interface RestOptions {
  readonly seconds: number;
}

/**
 * Measures `loci serve` on one processor over loopback with a copy of the store in `folder` and without embeddings: the
 * latency of searches and writes at a constant rate, and the engine's share of it.
 */
export async function measureRest(
  bench: BenchStore,
  folder: string,
  { seconds }: RestOptions,
): Promise<Measure[]> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(bench.path, join(folder, 'loci.db'), constants.COPYFILE_FICLONE);
  writeFileSync(join(folder, 'loci.yaml'), 'embedding:\n  provider: none\nwrites:\n  enabled: true\n');
  const loci = await openEngine((await loadConfig({ home: folder, env: {} })).values);
  const engineSearchTime = await measureEngine(loci, bench);
  const requests = await mixedRequests(loci, bench, WARM_UP_REQUESTS + seconds * REQUESTS_PER_SECOND);
  const operator = await createToken(loci, { subject: 'bench', scopes: ['operator'], expires: 'never' });
  await loci.close();
  const server = await startServer(folder, operator.token);
  try {
    await applyLoad(server.port, REQUESTS_PER_SECOND / 10, requests.slice(0, WARM_UP_REQUESTS));
    const before = await server.metrics();
    const load = await applyLoad(server.port, REQUESTS_PER_SECOND, requests.slice(WARM_UP_REQUESTS));
    const after = await server.metrics();
    const succeeded = load.times.length - load.failed;
    const emptyRequestTime = await measureEmptyRequest(
      server.port,
      async () => (await server.metrics()).cpu * 1000,
    );
    const bareRequestTime = await measureBareServer();
    return [
      row('requests of a mixed load that succeeded', 'a second', succeeded / load.seconds),
      {
        ...row('latency of a request, p99', 'ms', quantile(load.times, 0.99)),
        target: { of: 'ours', most: MAX_P99_MS, checked: false },
      },
      row('latency of a request, p50', 'ms', quantile(load.times, 0.5)),
      {
        ...row('processor time of a request', 'ms', ((after.cpu - before.cpu) / succeeded) * 1000),
        baseline: { name: 'a search of the engine', value: engineSearchTime },
      },
      {
        ...row('processor time of a request without an operation', 'ms', emptyRequestTime),
        baseline: { name: 'a bare server of Node', value: bareRequestTime },
      },
      {
        ...row('memory after the load', 'MB', after.memory / 1e6),
        baseline: { name: 'before the load', value: before.memory / 1e6 },
      },
    ];
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
}

function row(what: string, unit: Measure['unit'], ours: number): Measure {
  return { what, unit, ours };
}

/** Milliseconds of processor time, in all threads, of a search in this process. */
async function measureEngine(loci: EngineContext, { queries }: BenchStore): Promise<number> {
  const runSearches = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { namespace, text } = queries[i % queries.length]!;
      await search(loci.as({ ...loci.caller, namespace }), { query: text });
    }
  };
  await runSearches(ENGINE_SEARCHES);
  const before = process.cpuUsage();
  await runSearches(ENGINE_SEARCHES);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / ENGINE_SEARCHES;
}

async function mixedRequests(loci: EngineContext, bench: BenchStore, count: number): Promise<LoadRequest[]> {
  const { queries, unwritten } = bench;
  const tokens = new Map<string, string>();
  for (const { namespace } of [...queries, ...unwritten]) {
    if (tokens.has(namespace)) continue;
    const { token } = await createToken(loci, { subject: namespace, scopes: ['write'], expires: 'never' });
    tokens.set(namespace, token);
  }
  return Array.from({ length: count }, (_, i) => {
    if (i % WRITE_EVERY > 0) {
      const { namespace, text } = queries[i % queries.length]!;
      const body = JSON.stringify({ query: text });
      return { path: '/api/v1/memory/search', token: tokens.get(namespace)!, body };
    }
    const { namespace, title, body: text, tags } = unwritten[(i / WRITE_EVERY) % unwritten.length]!;
    const body = JSON.stringify({ content: `${text} ${String(i)}`, title, tags });
    return { path: '/api/v1/memory/write', token: tokens.get(namespace)!, body };
  });
}

export interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ended: Promise<void>;
  /** Seconds of processor time and bytes of memory. */
  metrics(): Promise<{ readonly cpu: number; readonly memory: number }>;
}

/** Starts a process; on Linux it may run only on the first processor. */
function spawnPinned(
  commandLine: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): ChildProcess {
  const pinnedLine = process.platform === 'linux' ? ['taskset', '-c', '0', ...commandLine] : commandLine;
  return spawn(pinnedLine[0]!, pinnedLine.slice(1), { env, stdio });
}

interface StartOptions {
  /** Whether it runs on one processor. */
  readonly pinned?: boolean;
  readonly nodeOptions?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** @param token with the scope `admin`, to read the metrics */
async function startServer(
  home: string,
  token: string,
  { pinned = true, nodeOptions = [], environment }: StartOptions = {},
): Promise<Server> {
  const args = [...nodeOptions, MAIN, 'serve', '--port', '0'];
  const env = { ...process.env, ...environment, LOCI_HOME: home };
  const child = pinned
    ? spawnPinned([process.execPath, ...args], env, ['ignore', 'ignore', 'pipe'])
    : spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    void ended.then(() => reject(new Error('loci serve ended before it listened')));
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
      if (match !== null) resolve(Number(match[1]));
    });
  });
  const metrics = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`, { headers })).text();
    const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { cpu: valueOf('process_cpu_seconds_total'), memory: valueOf('process_resident_memory_bytes') };
  };
  return { child, port, ended, metrics };
}

/** Milliseconds of processor time of a request that runs no operation. */
async function measureEmptyRequest(port: number, cpu: () => Promise<number>): Promise<number> {
  const requests = Array.from({ length: REQUESTS_PER_SECOND }, () => ({
    path: '/healthz',
    token: '-',
    body: '',
  }));
  const before = await cpu();
  await applyLoad(port, REQUESTS_PER_SECOND, requests);
  return ((await cpu()) - before) / requests.length;
}

/** The same for Node's own server, which does nothing with a request. */
async function measureBareServer(): Promise<number> {
  const child = spawnPinned([process.execPath, BARE_SERVER], process.env, ['ignore', 'pipe', 'ignore']);
  const ended = once(child, 'close');
  try {
    const [port] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const cpu = async (): Promise<number> =>
      Number(await (await fetch(`http://127.0.0.1:${port}/cpu`)).text());
    return await measureEmptyRequest(Number(port), cpu);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
