import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { PROGRAM } from './installation.ts';
import type { OpenclawHome } from './openclaw.ts';

const LOOP_MONITOR = new URL('./loop-monitor.mjs', import.meta.url).href;

/** Where a gateway listens. A test in another process than the one that started it needs nothing else. */
export interface GatewayAddress {
  readonly port: number;
  readonly monitorPort: number;
  readonly logFile: string;
}

/** The agent and the rights of a request. */
interface RequestOptions {
  readonly agent?: string;
  /** The scopes of an operator that the request states. Without `operator.admin`, it does not come from the owner. */
  readonly scopes?: string;
}

export interface ToolOutcome {
  readonly status: number;
  readonly value: Record<string, unknown>;
}

/** How long the event loop of a gateway was busy without a pause, at most. */
export interface LoopPauses {
  /** Between two turns of the loop, in milliseconds; other processes on the machine make it longer. */
  readonly longestMs: number;
  /** What the main thread computed in such a time, in milliseconds of its own processor time. */
  readonly longestCpuMs: number;
}

/** The requests that a running gateway answers. */
export class GatewayClient {
  readonly address: GatewayAddress;

  constructor(address: GatewayAddress) {
    this.address = address;
  }

  /** Everything that it printed. */
  get output(): string {
    return readFileSync(this.address.logFile, 'utf8');
  }

  url(path: string): string {
    return `http://127.0.0.1:${String(this.address.port)}${path}`;
  }

  /** Runs a tool. Returns its JSON. */
  async invoke(
    tool: string,
    args: object,
    { agent = 'main', scopes }: RequestOptions = {},
  ): Promise<ToolOutcome> {
    const response = await fetch(this.url('/tools/invoke'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...scopesHeader(scopes) },
      body: JSON.stringify({ tool, args, agentId: agent }),
    });
    const body = (await response.json()) as {
      result?: { content: readonly { text: string }[] };
      error?: unknown;
    };
    const text = body.result?.content[0]?.text;
    return {
      status: response.status,
      value: (text === undefined ? body : JSON.parse(text)) as Record<string, unknown>,
    };
  }

  /** A whole turn of an agent in a session of its own. Returns what it answers. */
  async chat(
    message: string,
    { agent = 'main', session = 'main', scopes }: RequestOptions & { readonly session?: string } = {},
  ): Promise<string> {
    const response = await fetch(this.url('/v1/chat/completions'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-openclaw-session-key': `agent:${agent}:${session}`,
        ...scopesHeader(scopes),
      },
      body: JSON.stringify({ model: `openclaw/${agent}`, messages: [{ role: 'user', content: message }] }),
    });
    const body = (await response.json()) as { choices?: [{ message: { content: string } }] };
    if (body.choices === undefined) throw new Error(`no answer: ${JSON.stringify(body)}\n${this.output}`);
    return body.choices[0].message.content;
  }

  /** The pauses of its event loop since the last call. */
  async takePauses(): Promise<LoopPauses> {
    const response = await fetch(`http://127.0.0.1:${String(this.address.monitorPort)}/`);
    return (await response.json()) as LoopPauses;
  }
}

function scopesHeader(scopes: string | undefined): Record<string, string> {
  return scopes === undefined ? {} : { 'x-openclaw-scopes': scopes };
}

/** A gateway that this process has started. */
export class Gateway extends GatewayClient {
  readonly #process: ChildProcess;
  /** From the start of its process until it answered. */
  readonly readyMs: number;

  private constructor(address: GatewayAddress, child: ChildProcess, readyMs: number) {
    super(address);
    this.#process = child;
    this.readyMs = readyMs;
  }

  /** Starts the gateway of a home, on the port of its configuration. */
  static async start(home: OpenclawHome): Promise<Gateway> {
    const { gateway } = home.readConfig() as { gateway: { port: number } };
    const logFile = join(home.folder, 'gateway.log');
    const log = openSync(logFile, 'a');
    const monitorPort = await freePort();
    const began = performance.now();
    const child = spawn(process.execPath, [PROGRAM, 'gateway', 'run', '--port', String(gateway.port)], {
      env: {
        ...home.env,
        NODE_OPTIONS: `--import=${LOOP_MONITOR}`,
        LOOP_MONITOR_PORT: String(monitorPort),
      },
      cwd: home.folder,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const address = { port: gateway.port, monitorPort, logFile };
    try {
      await untilReady(new GatewayClient(address), child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    return new Gateway(address, child, performance.now() - began);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The memory that it has in use, in MiB. */
  get residentMiB(): number {
    const status = readFileSync(`/proc/${String(this.pid)}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** @param signal SIGKILL ends it in the middle of what it does */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    await ended;
  }
}

/** Polls as an orchestrator does: the gateway has no signal of its own. */
async function untilReady(client: GatewayClient, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the gateway did not start:\n${client.output}`);
    const ready = await fetch(client.url('/readyz')).catch(() => null);
    if (ready?.ok === true) return;
    await delay(100);
  }
}
