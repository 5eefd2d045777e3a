import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config/load.ts';
import { type Loci, openLoci } from '../src/engine/open.ts';
import type { BenchStore } from './fill.ts';
import { applyLoad, type LoadRequest } from './load.ts';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';

const PER_SECOND = 1000;
/** One request in ten is a write. */
const WRITE_EVERY = 10;
const WARM_UP = 200;
const MOST_P99 = 50;
/** Number of searches of the engine without a server. */
const ENGINE_SEARCHES = 100;
const BARE = fileURLToPath(new URL('bare-server.mjs', import.meta.url));
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
  const loci = await openLoci((await loadConfig({ home: folder, env: {} })).values);
  const engine = await engineTime(loci, bench);
  const requests = await mixedRequests(loci, bench, WARM_UP + seconds * PER_SECOND);
  const operator = await loci.access.create({
    subject: 'bench',
    name: 'bench',
    scopes: ['admin'],
    lifetimeMs: null,
  });
  await loci.close();
  const server = await startServer(folder, operator.text);
  try {
    await applyLoad(server.port, PER_SECOND / 10, requests.slice(0, WARM_UP));
    const before = await server.figures();
    const load = await applyLoad(server.port, PER_SECOND, requests.slice(WARM_UP));
    const after = await server.figures();
    const answered = load.times.length - load.failed;
    const shell = await timeOfNothing(server.port, async () => (await server.figures()).cpu * 1000);
    const bare = await bareTime();
    return [
      row('requests of a mixed load, answered', 'a second', answered / load.seconds),
      {
        ...row('a request of it, p99', 'ms', quantile(load.times, 0.99)),
        target: { of: 'ours', most: MOST_P99, checked: false },
      },
      row('a request of it, p50', 'ms', quantile(load.times, 0.5)),
      {
        ...row('processor time of a request', 'ms', ((after.cpu - before.cpu) / answered) * 1000),
        baseline: { name: 'a search of the engine', value: engine },
      },
      {
        ...row('processor time of a request that asks nothing', 'ms', shell),
        baseline: { name: 'a bare server of Node', value: bare },
      },
      {
        ...row('memory after the load', 'MB', after.memory / 1e6),
        baseline: { name: 'before it', value: before.memory / 1e6 },
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

/** Milliseconds of processor time, in all threads, of a search within one process. */
async function engineTime(loci: Loci, { queries }: BenchStore): Promise<number> {
  const ask = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { namespace, text } = queries[i % queries.length]!;
      await loci.as({ ...loci.caller, namespace }).search({ query: text });
    }
  };
  await ask(ENGINE_SEARCHES);
  const before = process.cpuUsage();
  await ask(ENGINE_SEARCHES);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / ENGINE_SEARCHES;
}

async function mixedRequests(loci: Loci, bench: BenchStore, count: number): Promise<LoadRequest[]> {
  const { queries, unwritten } = bench;
  const tokens = new Map<string, string>();
  for (const { namespace } of [...queries, ...unwritten]) {
    if (tokens.has(namespace)) continue;
    const request = { subject: namespace, name: namespace, scopes: ['write'], lifetimeMs: null };
    tokens.set(namespace, (await loci.access.create(request)).text);
  }
  return Array.from({ length: count }, (_, i) => {
    if (i % WRITE_EVERY > 0) {
      const { namespace, text } = queries[i % queries.length]!;
      const body = JSON.stringify({ query: text });
      return { path: '/api/v1/memory/search', token: tokens.get(namespace)!, body };
    }
    const { namespace, title, body, tags } = unwritten[(i / WRITE_EVERY) % unwritten.length]!;
    const written = JSON.stringify({ content: `${body} ${String(i)}`, title, tags });
    return { path: '/api/v1/memory/write', token: tokens.get(namespace)!, body: written };
  });
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ended: Promise<void>;
  /** Seconds of processor time and bytes of memory. */
  figures(): Promise<{ readonly cpu: number; readonly memory: number }>;
}

/** Restricts the process to the first processor where the system allows it. */
function pinned(line: readonly string[], env: NodeJS.ProcessEnv, stdio: StdioOptions): ChildProcess {
  const whole = process.platform === 'linux' ? ['taskset', '-c', '0', ...line] : line;
  return spawn(whole[0]!, whole.slice(1), { env, stdio });
}

/** @param token with the scope `admin`, to read the metrics */
async function startServer(home: string, token: string): Promise<Server> {
  const line = [process.execPath, MAIN, 'serve', '--port', '0'];
  const env = { ...process.env, LOCI_HOME: home };
  const child = pinned(line, env, ['ignore', 'ignore', 'pipe']);
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    void ended.then(() => reject(new Error('loci serve ended before it listened')));
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
      if (found !== null) resolve(Number(found[1]));
    });
  });
  const figures = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`, { headers })).text();
    const of = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { cpu: of('process_cpu_seconds_total'), memory: of('process_resident_memory_bytes') };
  };
  return { child, port, ended, figures };
}

/** Milliseconds of processor time of a request that runs no operation. */
async function timeOfNothing(port: number, cpu: () => Promise<number>): Promise<number> {
  const requests = Array.from({ length: PER_SECOND }, () => ({ path: '/healthz', token: '-', body: '' }));
  const before = await cpu();
  await applyLoad(port, PER_SECOND, requests);
  return ((await cpu()) - before) / requests.length;
}

/** The same for a server that does nothing else. */
async function bareTime(): Promise<number> {
  const child = pinned([process.execPath, BARE], process.env, ['ignore', 'pipe', 'ignore']);
  const ended = once(child, 'close');
  try {
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const cpu = async (): Promise<number> =>
      Number(await (await fetch(`http://127.0.0.1:${line}/cpu`)).text());
    return await timeOfNothing(Number(line), cpu);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
