// How much one caller with eight connections holds up another: `npx node bench/fair.ts --help`
import { constants, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config/load.ts';
import { openEngine } from '../src/engine/open.ts';
import { freePort } from '../test/openclaw/free-port.ts';
import { type FairNote, fairStore, type Tenant } from './fair-store.ts';
import { type Server, startServer } from './rest.ts';
import { quantile } from './timing.ts';
import { createToken } from '../src/engine/access/tokens.ts';

const HELP = `Starts loci serve with two tenants. One has eight connections of one kind of call; the other searches, one call after the other.
The 95th percentile of its searches is divided by that with eight connections of plain searches in the same round.

  npx node bench/fair.ts [--rounds N] [--seconds N] [--kinds a,b] [--provider local]`;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    kinds: { type: 'string' },
    provider: { type: 'string', default: 'none' },
    help: { type: 'boolean' },
  },
});

const CONNECTIONS = 8;
const WARM_UP_SEARCHES = 30;
const IMPORT_BYTES = 1_500_000;
const MONITOR = new URL('../test/openclaw/loop-monitor.mjs', import.meta.url).href;

interface Call {
  readonly path: string;
  readonly body: unknown;
}
type MakeCall = (notes: readonly FairNote[], i: number) => Call;

const titles = (notes: readonly FairNote[], i: number, count: number): string[] =>
  Array.from({ length: count }, (_, j) => notes[(i * 97 + j * 41) % notes.length]!.title);

const search: MakeCall = (notes, i) => ({
  path: 'memory/search',
  body: { query: titles(notes, i, 1)[0] },
});

const KINDS: Readonly<Record<string, MakeCall>> = {
  search,
  'graph/pack': (notes, i) => ({
    path: 'graph/pack',
    body: { nodes: titles(notes, i, 20), depth: 3, budget: 8000, mode: 'snippets' },
  }),
  'graph/path': (notes, i) => {
    const [from, to] = titles(notes, i, 2);
    return { path: 'graph/path', body: { from, to } };
  },
  'graph/show': (notes, i) => ({
    path: 'graph/show',
    body: { nodes: titles(notes, i, 20), depth: 3, k: 100 },
  }),
  timeline: (_, i) => ({
    path: 'memory/timeline',
    body: { tags: [i % 2 === 0 ? 'rare' : 'none'], before: 200, after: 200, budget_tokens: 20_000 },
  }),
  'graph/concepts': () => ({ path: 'graph/concepts', body: { limit: 500 } }),
  phrases: (notes, i) => ({
    path: 'memory/search',
    body: { query: `"of the" "in the" "and the" "${titles(notes, i, 1)[0]!}"` },
  }),
  import: (notes, i) => ({ path: 'memory/import', body: { files: importedFiles(notes, i) } }),
};

/** Files that no other import has. */
function importedFiles(notes: readonly FairNote[], i: number): { path: string; content: string }[] {
  const files: { path: string; content: string }[] = [];
  for (let [j, bytes] = [0, 0]; bytes < IMPORT_BYTES; j++) {
    const { text } = notes[(i * 89 + j) % notes.length]!;
    files.push({ path: `memory/${String(i)}-${String(j)}.md`, content: `# ${String(i)}\n\n${text}` });
    bytes += text.length * 1.1;
  }
  return files;
}

interface Figures {
  readonly p95: number;
  readonly searches: number;
  /** Calls of the other tenant that were answered. */
  readonly calls: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly callP50: number;
  /** Of processor time. */
  readonly longestTurnMs: number;
  readonly peakMb: number;
  readonly lastMb: number;
}

const scratch = fileURLToPath(new URL(`../.cache/bench/scratch-${String(process.pid)}`, import.meta.url));

async function measure(kind: MakeCall, seconds: number): Promise<Figures> {
  const provider = flags.provider === 'local' ? 'local' : 'none';
  const store = await fairStore(provider);
  mkdirSync(scratch, { recursive: true });
  copyFileSync(store.path, join(scratch, 'loci.db'), constants.COPYFILE_FICLONE);
  writeFileSync(
    join(scratch, 'loci.yaml'),
    `embedding: { provider: ${provider} }\nwrites: { enabled: true }\n`,
  );
  const tokens = await makeTokens();
  const monitorPort = await freePort();
  const server = await startServer(scratch, tokens.crowd, {
    pinned: false,
    nodeOptions: ['--import', MONITOR],
    environment: { LOOP_MONITOR_PORT: String(monitorPort) },
  });
  const agent = new Agent({ keepAlive: true });
  const send = (tenant: Tenant, call: Call): Promise<number> =>
    post({ agent, port: server.port, token: tokens[tenant] }, call);
  let [peak, last] = [0, 0];
  const sampler = setInterval(() => {
    last = residentMb(server);
    peak = Math.max(peak, last);
  }, 200);
  try {
    for (let i = 0; i < WARM_UP_SEARCHES; i++)
      for (const tenant of ['victim', 'crowd'] as const) await send(tenant, search(store.notes[tenant], i));
    await longestTurn(monitorPort);
    const end = performance.now() + seconds * 1000;
    const statuses: Record<number, number> = {};
    const callTimes: number[] = [];
    let next = 0;
    const attack = async (): Promise<void> => {
      while (performance.now() < end) {
        const call = kind(store.notes.crowd, next++);
        const started = performance.now();
        const status = await send('crowd', call);
        callTimes.push(performance.now() - started);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    const times: number[] = [];
    const victim = async (): Promise<void> => {
      for (let i = 0; performance.now() < end; i++) {
        const started = performance.now();
        if ((await send('victim', search(store.notes.victim, i))) !== 200) throw new Error('a search failed');
        times.push(performance.now() - started);
      }
    };
    await Promise.all([victim(), ...Array.from({ length: CONNECTIONS }, attack)]);
    return {
      ...{ p95: quantile(times, 0.95), searches: times.length, calls: callTimes.length, statuses },
      ...{ callP50: quantile(callTimes, 0.5), longestTurnMs: await longestTurn(monitorPort) },
      ...{ peakMb: peak, lastMb: last },
    };
  } finally {
    clearInterval(sampler);
    agent.destroy();
    server.child.kill('SIGTERM');
    await server.ended;
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function makeTokens(): Promise<Record<Tenant, string>> {
  const loci = await openEngine((await loadConfig({ home: scratch, env: {} })).values);
  const make = async (subject: Tenant): Promise<string> =>
    (await createToken(loci, { subject, scopes: ['write'], expires: 'never' })).token;
  const tokens = { crowd: await make('crowd'), victim: await make('victim') };
  await loci.close();
  return tokens;
}

/** Milliseconds of processor time of the longest turn of the server's event loop since the last call. */
async function longestTurn(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}`);
  return ((await answer.json()) as { longestCpuMs: number }).longestCpuMs;
}

function residentMb({ child }: Server): number {
  const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

function post(
  { agent, port, token }: { readonly agent: Agent; readonly port: number; readonly token: string },
  { path, body }: Call,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', path: `/api/v1/${path}`, method: 'POST', headers };
    const outgoing = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end(JSON.stringify(body));
  });
}

async function main(): Promise<void> {
  const [rounds, seconds] = [Number(flags.rounds), Number(flags.seconds)];
  const wanted = flags.kinds?.split(',') ?? Object.keys(KINDS);
  const kinds = ['search', ...wanted.filter((kind) => kind !== 'search')];
  const found = new Map<string, (Figures & { readonly ratio: number })[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round++) {
    let baseline = Number.NaN;
    for (const kind of kinds) {
      const figures = await measure(KINDS[kind]!, seconds);
      if (kind === 'search') baseline = figures.p95;
      found.get(kind)!.push({ ...figures, ratio: figures.p95 / baseline });
      console.error(kind, JSON.stringify(figures));
    }
  }
  console.log(
    '| eight connections of | p95 of a search, ms | ratio | calls a second | ms p50 of a call | longest turn, CPU ms | MB at most | MB at last |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [kind, figures] of found) {
    const median = (of: (each: (typeof figures)[number]) => number): number => quantile(figures.map(of), 0.5);
    const cells = [
      median(({ p95 }) => p95).toFixed(0),
      median(({ ratio }) => ratio).toFixed(2),
      median(({ calls }) => calls / seconds).toFixed(1),
      median(({ callP50 }) => callP50).toFixed(0),
      median(({ longestTurnMs }) => longestTurnMs).toFixed(0),
      median(({ peakMb }) => peakMb).toFixed(0),
      median(({ lastMb }) => lastMb).toFixed(0),
    ];
    console.log(`| ${kind} | ${cells.join(' | ')} |`);
  }
}

process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
if (flags.help === true) console.log(HELP);
else await main();
