import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Gateway } from './gateway.ts';
import { PROGRAM } from './installation.ts';

const run = promisify(execFile);

/** A home folder of OpenClaw, with its state, its configuration and a Loci home. */
export class OpenclawHome {
  readonly folder: string;
  readonly configFile: string;
  readonly lociHome: string;
  readonly #embedding: 'local' | 'none';

  /**
   * @param folder that of a home which exists
   * @param embedding `local` compares meanings with the bundled model, as users have it; without it, a gateway starts sooner
   */
  constructor(
    folder: string = mkdtempSync(join(tmpdir(), 'loci-openclaw-')),
    embedding: 'local' | 'none' = 'none',
  ) {
    this.folder = folder;
    this.#embedding = embedding;
    this.configFile = join(folder, 'state', 'openclaw.json');
    this.lociHome = join(folder, 'loci');
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
      // The bundled model is the default, which settings of the plugin may change.
      LOCI_EMBEDDING_PROVIDER:
        process.env['LOCI_EMBEDDING_PROVIDER'] ?? (this.#embedding === 'none' ? 'none' : undefined),
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

  /** Replaces top keys of the configuration. The others stay: OpenClaw restores a file that lacks its own keys. */
  changeConfig(keys: object): void {
    this.writeConfig({ ...this.readConfig(), ...keys });
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

/** A configuration with one agent, whose model is the given server. */
export function baseConfig(home: OpenclawHome, port: number, modelUrl: string): Record<string, unknown> {
  return {
    gateway: {
      mode: 'local',
      port,
      bind: 'loopback',
      // On loopback, so that a request may state fewer rights than those of the owner.
      auth: { mode: 'none' },
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
    plugins: {
      slots: { memory: 'memory-loci' },
      entries: { 'memory-core': { enabled: false }, 'memory-loci': { enabled: true, config: {} } },
    },
  };
}
