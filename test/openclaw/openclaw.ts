import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);

export const VERSION = '2026.9.6';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** OpenClaw has 650 MB, so that it is installed once, outside of the checkout. */
export const CACHE: string = join(
  process.env['LOCI_OPENCLAW_CACHE'] ?? join(homedir(), '.cache', 'loci-openclaw'),
  VERSION,
);
const PROGRAM = join(CACHE, 'node_modules', 'openclaw', 'openclaw.mjs');

/** Installs OpenClaw unless it is installed already. */
export async function installOpenclaw(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', ['install', `openclaw@${VERSION}`, ...options], { cwd: CACHE, timeout: 240_000 });
}

/** Packs the checkout as it would be published. Returns the path of the tarball. */
export async function packPlugin(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    maxBuffer: 50_000_000,
  });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, packed.filename);
}

/** A home folder of OpenClaw, with its state, its configuration and a Loci home. */
export class OpenclawHome {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'loci-openclaw-'));
  readonly configFile: string = join(this.folder, 'state', 'openclaw.json');
  readonly lociHome: string = join(this.folder, 'loci');

  constructor() {
    mkdirSync(dirname(this.configFile), { recursive: true });
    mkdirSync(this.workspace('main'), { recursive: true });
  }

  workspace(agent: string): string {
    return join(this.folder, `workspace-${agent}`);
  }

  get env(): NodeJS.ProcessEnv {
    const { PATH = '' } = process.env;
    return {
      // Certificates and the settings of npm are those of this machine.
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^(LOCI|OPENCLAW|VITEST|NODE_OPTIONS)/.test(name)),
      ),
      NPM_CONFIG_USERCONFIG: join(homedir(), '.npmrc'),
      NPM_CONFIG_CACHE: join(homedir(), '.npm'),
      // `node` of the checkout comes first: OpenClaw needs Node 24.
      PATH: [dirname(process.execPath), PATH].join(delimiter),
      HOME: this.folder,
      OPENCLAW_HOME: this.folder,
      OPENCLAW_STATE_DIR: join(this.folder, 'state'),
      LOCI_HOME: this.lociHome,
      LOCI_EMBEDDING_PROVIDER: process.env['LOCI_EMBEDDING_PROVIDER'] ?? 'none',
      OPENCLAW_SKIP_CHANNELS: '1',
      OPENCLAW_SKIP_CRON: '1',
      OPENCLAW_NO_RESPAWN: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      NO_COLOR: '1',
    };
  }

  readConfig(): Record<string, unknown> {
    return JSON.parse(readFileSync(this.configFile, 'utf8')) as Record<string, unknown>;
  }

  writeConfig(config: object): void {
    writeFileSync(this.configFile, JSON.stringify(config, null, 2));
  }

  /** Runs a command of OpenClaw. */
  async openclaw(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    return run(process.execPath, [PROGRAM, ...args], {
      env: this.env,
      cwd: this.folder,
      timeout: 180_000,
      maxBuffer: 50_000_000,
    });
  }

  async startGateway(): Promise<Gateway> {
    return Gateway.start(this);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const TOKEN = 'test-token-of-the-gateway';

/** A configuration with one agent, whose model is the given server. */
export function baseConfig(home: OpenclawHome, port: number, modelUrl: string): Record<string, unknown> {
  return {
    gateway: {
      mode: 'local',
      port,
      bind: 'loopback',
      auth: { mode: 'token', token: TOKEN },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    models: {
      mode: 'replace',
      providers: {
        scripted: {
          baseUrl: modelUrl,
          apiKey: 'none',
          api: 'openai-completions',
          models: [
            {
              id: 'scripted',
              name: 'scripted',
              contextWindow: 128_000,
              maxTokens: 4096,
              input: ['text'],
              reasoning: false,
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            },
          ],
        },
      },
    },
    agents: {
      defaults: {
        model: { primary: 'scripted/scripted' },
        skipBootstrap: true,
        workspace: home.workspace('main'),
      },
    },
    tools: { toolSearch: false },
    plugins: {
      slots: { memory: 'memory-loci' },
      entries: { 'memory-core': { enabled: false }, 'memory-loci': { enabled: true, config: {} } },
    },
  };
}

/** A free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** A running gateway. */
export class Gateway {
  readonly #home: OpenclawHome;
  readonly #process: ChildProcess;
  readonly port: number;
  /** Everything that it printed. */
  output = '';

  private constructor(home: OpenclawHome, child: ChildProcess, port: number) {
    this.#home = home;
    this.#process = child;
    this.port = port;
    const collect = (chunk: Buffer): void => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  static async start(home: OpenclawHome): Promise<Gateway> {
    const { gateway } = home.readConfig() as { gateway: { port: number } };
    const child = spawn(process.execPath, [PROGRAM, 'gateway', 'run', '--port', String(gateway.port)], {
      env: home.env,
      cwd: home.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new Gateway(home, child, gateway.port);
    await started.#untilReady();
    return started;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Polls as an orchestrator does: the gateway has no signal of its own. */
  async #untilReady(): Promise<void> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      if (this.#process.exitCode !== null || Date.now() > deadline)
        throw new Error(`the gateway did not start:\n${this.output}`);
      const ready = await fetch(`http://127.0.0.1:${String(this.port)}/readyz`).catch(() => null);
      if (ready?.ok === true) return;
      await delay(20);
    }
  }

  /** Runs a tool. Returns its JSON. */
  async invoke(
    tool: string,
    args: object,
    options: { readonly sessionKey?: string } = {},
  ): Promise<ToolOutcome> {
    const response = await fetch(`http://127.0.0.1:${String(this.port)}/tools/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool, args, ...options }),
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

  /** A whole turn of an agent. Returns what it answers. */
  async chat(message: string, session: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${String(this.port)}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'x-openclaw-session-key': session,
      },
      body: JSON.stringify({ model: 'openclaw', messages: [{ role: 'user', content: message }] }),
    });
    const body = (await response.json()) as { choices?: [{ message: { content: string } }] };
    if (body.choices === undefined) throw new Error(`no answer: ${JSON.stringify(body)}\n${this.output}`);
    return body.choices[0].message.content;
  }

  /** @param signal SIGKILL ends it in the middle of what it does */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    await ended;
  }
}

interface ToolOutcome {
  readonly status: number;
  readonly value: Record<string, unknown>;
}
