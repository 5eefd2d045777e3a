// What the client of embedding providers costs: its throughput as a share of what a provider allows, and the time that a dead
// provider costs a search. The provider is a process of its own. `npx node bench/remote-embedding.ts`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Embedder } from '../src/embed/embedder.ts';
import { type EmbeddingConfig, openEmbedder } from '../src/embed/registry.ts';

const DIMENSIONS = 768;
const TEXTS = Array.from(
  { length: 64 },
  (_, i) => `Note ${String(i)}: ${'the oven moves to the other wall, '.repeat(6)}`,
);
const VECTOR = Buffer.from(new Float32Array(DIMENSIONS).fill(0.1).buffer).toString('base64');

interface Limits {
  /** How long the provider works on a request. */
  readonly serviceMs: number;
  /** How many requests it works on at once; the others wait. */
  readonly parallel: number;
  /** More requests in a window are refused until the next one. */
  readonly window?: { readonly requests: number; readonly milliseconds: number };
}

/** A provider whose throughput is known exactly. It prints nothing, and tells its parent its address and what it refused. */
async function serve({ serviceMs, parallel, window }: Limits): Promise<void> {
  let [busy, inWindow, windowEnd] = [0, 0, 0];
  const waiting: (() => void)[] = [];
  const answers = new Map<number, string>();
  const answerOf = (length: number): string => {
    const found =
      answers.get(length) ??
      JSON.stringify({ data: Array.from({ length }, (_, index) => ({ index, embedding: VECTOR })) });
    answers.set(length, found);
    return found;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const now = performance.now();
      if (window !== undefined) {
        if (now >= windowEnd) [inWindow, windowEnd] = [0, now + window.milliseconds];
        inWindow += 1;
        if (inWindow > window.requests) {
          response.writeHead(429, { 'retry-after-ms': String(Math.ceil(windowEnd - now)) }).end('{}');
          process.send?.({ refused: 1 });
          return;
        }
      }
      const work = (): void => {
        busy += 1;
        setTimeout(() => {
          busy -= 1;
          waiting.shift()?.();
          response.end(answerOf((JSON.parse(body) as { input: string[] }).input.length));
        }, serviceMs);
      };
      if (busy < parallel) work();
      else waiting.push(work);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  process.send?.({ port: (server.address() as AddressInfo).port });
}

async function startProvider(limits: Limits) {
  const child = fork(import.meta.filename, [JSON.stringify(limits)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  let refused = 0;
  child.on('message', () => (refused += 1));
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    refused: () => refused,
    close: () => child.kill(),
  };
}

async function open(settings: Partial<EmbeddingConfig>): Promise<Embedder> {
  const config = {
    provider: 'openai',
    model: 'text-embedding-3-small',
    apiKey: 'x',
    dimensions: DIMENSIONS,
    ...settings,
  };
  return (await openEmbedder(config))!;
}

/** Embeds for so long, with as many calls at once as indexing has. */
async function embedAll(embedder: Embedder, milliseconds: number) {
  const started = performance.now();
  let texts = 0;
  const call = async (): Promise<void> => {
    while (performance.now() - started < milliseconds) {
      await embedder.embed(TEXTS, { purpose: 'passage' });
      texts += TEXTS.length;
    }
  };
  await Promise.all(Array.from({ length: 16 }, call));
  return { texts, seconds: (performance.now() - started) / 1000 };
}

async function measure(
  name: string,
  limits: Limits,
  allowed: number,
  settings: Partial<EmbeddingConfig>,
): Promise<void> {
  const provider = await startProvider(limits);
  const embedder = await open({ url: provider.url, ...settings });
  await embedder.embed(TEXTS, { purpose: 'passage' });
  const before = process.cpuUsage();
  const { texts, seconds } = await embedAll(embedder, 10_000);
  const reached = texts / seconds;
  const { user, system } = process.cpuUsage(before);
  const share = ((100 * reached) / allowed).toFixed(1);
  const cpu = ((user + system) / texts).toFixed(0);
  console.log(
    `${name}: ${reached.toFixed(0)} of ${allowed.toFixed(0)} texts/s (${share}%), ${String(provider.refused())} refused, ${cpu} µs of CPU time a text`,
  );
  await embedder.close();
  provider.close();
}

/** The slowest of the first search of a dead provider, and of the hundred after it. */
async function measureDead(): Promise<void> {
  let isDead = false;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (!isDead)
        setTimeout(() => response.end(JSON.stringify({ data: [{ index: 0, embedding: VECTOR }] })), 40);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const embedder = await open({
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
  });
  await embedder.embed(['x'], { purpose: 'passage' });
  const query = async (): Promise<number> => {
    const started = performance.now();
    await embedder.embed(['x'], { purpose: 'query' }).catch(() => undefined);
    return performance.now() - started;
  };
  const live = Math.max(await query(), await query(), await query());
  isDead = true;
  const first = await query();
  const next: number[] = [];
  for (let i = 0; i < 100; i++) next.push(await query());
  console.log(
    `dead provider: a live query took ${live.toFixed(0)} ms, the first dead one ${first.toFixed(0)} ms, the next hundred at most ${Math.max(...next).toFixed(2)} ms each`,
  );
  await embedder.close();
  server.closeAllConnections();
  server.close();
}

const [limits] = process.argv.slice(2);
if (limits === undefined) {
  // One request has 64 texts.
  await measure('six at once, 100 ms each', { serviceMs: 100, parallel: 6 }, (6 * 64 * 1000) / 100, {});
  const window = { requests: 30, milliseconds: 1000 };
  await measure('30 requests a second, refused above', { serviceMs: 20, parallel: 64, window }, 30 * 64, {});
  const paced = { serviceMs: 20, parallel: 64, window: { requests: 33, milliseconds: 1000 } };
  await measure('30 requests a second, which the settings say', paced, 30 * 64, { requestsPerMinute: 1800 });
  await measureDead();
} else await serve(JSON.parse(limits) as Limits);
