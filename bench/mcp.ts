import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createContext } from '../src/operations/context.ts';
import { recordOperations } from '../src/operations/nouns/records.ts';
import type { Measure } from './report.ts';
import { quantile, timeEach } from './timing.ts';

const PROCESSES = 7;
const RECORDS = 500;
const QUERIES = 300;
const MAX_READY_MS = 300;
const MAX_ADDED_MS = 5;

interface JsonRpcResponse {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
}

/** Measures how soon `loci mcp` responds, and how much time it adds to a search of the engine. */
export async function measureMcp(folder: string): Promise<Measure[]> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = {
    ...process.env,
    LOCI_HOME: home,
    LOCI_EMBEDDING_PROVIDER: 'none',
    LOCI_WRITES_ENABLED: 'true',
  };
  const context = createContext({ home, env, caller: { surface: 'mcp', trust: 'agent' } });
  try {
    for (let i = 0; i < RECORDS; i++) await recordOperations.write.run(context, { content: contentOf(i) });
    const readyTimes: number[] = [];
    const echoTimes: number[] = [];
    for (let run = 0; run < PROCESSES; run++) {
      readyTimes.push(await timeToReady(env));
      echoTimes.push(await timeToEcho());
    }
    const queries = Array.from(
      { length: QUERIES },
      (_, i) => `topic ${String(i % 40)} word${String(i % 17)}`,
    );
    const client = await StdioClient.start(env);
    // Warms up both sides: the first calls load and compile code.
    for (const query of queries.slice(0, 50)) {
      await client.search(query);
      await recordOperations.search.run(context, { query });
    }
    const [engineTimes, mcpTimes]: [number[], number[]] = [[], []];
    // The two alternate, so that other load on the machine affects both.
    for (const query of queries) {
      engineTimes.push(...(await timeEach([query], () => recordOperations.search.run(context, { query }))));
      mcpTimes.push(...(await timeEach([query], () => client.search(query))));
    }
    await client.end();
    return [
      {
        what: 'loci mcp answers initialize, from the start of the process',
        unit: 'ms',
        ours: quantile(readyTimes, 0.5),
        baseline: { name: 'a Node that echoes', value: quantile(echoTimes, 0.5) },
        target: { of: 'ours', most: MAX_READY_MS, checked: false },
      },
      ...[0.5, 0.95].map((share): Measure => ({
        what: `MCP stdio adds to a search, p${String(share * 100)}`,
        unit: 'ms',
        ours: quantile(mcpTimes, share) - quantile(engineTimes, share),
        baseline: { name: 'the search itself', value: quantile(engineTimes, share) },
        target: { of: 'ours', most: MAX_ADDED_MS, checked: false },
      })),
    ];
  } finally {
    await context.close();
  }
}

function contentOf(i: number): string {
  const words = Array.from({ length: 40 }, (_, n) => `word${String((i * 7 + n * 13) % 211)}`);
  return `# Note ${String(i)}\n\nAbout topic ${String(i % 40)}: ${words.join(' ')}.`;
}

async function timeToReady(env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  const client = await StdioClient.start(env);
  const elapsed = performance.now() - start;
  await client.end();
  return elapsed;
}

/** The baseline: the time of a minimal server on standard input and output. */
async function timeToEcho(): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, ['--eval', 'process.stdin.pipe(process.stdout)']);
  child.stdin.write('hello\n');
  await once(child.stdout, 'data');
  const elapsed = performance.now() - start;
  await endOf(child);
  return elapsed;
}

/** A minimal client. The official one would add to the measured time. */
class StdioClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, (response: JsonRpcResponse) => void>();
  #id = 0;

  private constructor(env: NodeJS.ProcessEnv) {
    // Runs the compiled command if it was built, else the sources.
    const isBuilt = existsSync(new URL('../dist/bundle', import.meta.url));
    const script = new URL(isBuilt ? '../bin/loci.js' : '../src/surfaces/cli/main.ts', import.meta.url);
    this.#child = spawn(process.execPath, [script.pathname, 'mcp'], { env });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const response = JSON.parse(line) as JsonRpcResponse;
      this.#pending.get(response.id ?? 0)?.(response);
    });
    this.#child.once('exit', () => {
      for (const resolve of this.#pending.values()) resolve({});
    });
  }

  static async start(env: NodeJS.ProcessEnv): Promise<StdioClient> {
    const client = new StdioClient(env);
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const { result } = await client.#request('initialize', params);
    if (result === undefined) throw new Error('loci mcp did not answer initialize');
    return client;
  }

  async search(query: string): Promise<void> {
    const { result } = await this.#request('tools/call', { name: 'memory_search', arguments: { query } });
    if (result === undefined || result.isError === true) throw new Error('loci mcp did not answer a search');
  }

  end(): Promise<void> {
    return endOf(this.#child);
  }

  #request(method: string, params: object): Promise<JsonRpcResponse> {
    const id = ++this.#id;
    const { promise, resolve } = Promise.withResolvers<JsonRpcResponse>();
    this.#pending.set(id, resolve);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return promise;
  }
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin.end();
  await ended;
}
