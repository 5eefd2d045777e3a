import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';
import { Gateway, type GatewayAddress } from './gateway.ts';
import { furnish, RECALLING } from './household.ts';
import { copyPlugin } from '../../src/surfaces/openclaw/setup/package.ts';
import { installOpenclaw } from './installation.ts';
import { startModelServer } from './model-server.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';

/** What all test files share: one installation of the plugin, one model and one gateway. */
export interface SharedSetup {
  readonly home: string;
  readonly tarball: string;
  /** The folder of the installed package. */
  readonly plugin: string;
  readonly modelUrl: string;
  readonly gateway: GatewayAddress;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly shared: SharedSetup;
  }
}

/** Packs what setup copies, as a package that OpenClaw can install. */
async function packPlugin(folder: string): Promise<string> {
  const plugin = join(folder, 'plugin');
  await copyPlugin(plugin);
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: plugin, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  return join(folder, packed.filename);
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installOpenclaw();
  const home = new OpenclawHome();
  const model = await startModelServer();
  let gateway: Gateway | null = null;
  const close = async (): Promise<void> => {
    await gateway?.stop();
    await model.close();
    home.remove();
  };
  try {
    const tarball = await packPlugin(home.folder);
    home.writeConfig({ ...baseConfig(home, await freePort(), model.url), plugins: {} });
    await home.openclaw('plugins', 'install', `npm-pack:${tarball}`, '--force', '--accept-capabilities');
    await furnish(home);
    const { agents } = home.readConfig() as { agents: object };
    const ids = ['main', 'kids', 'archive'];
    for (const id of ids) mkdirSync(home.workspace(id), { recursive: true });
    home.changeConfig({
      agents: { ...agents, list: ids.map((id) => ({ id, workspace: home.workspace(id) })) },
      plugins: {
        slots: { memory: 'memory-loci' },
        entries: {
          'memory-core': { enabled: false },
          // OpenClaw recalls conversations in this session alone, because its recall asks the model too.
          'active-memory': { enabled: true, config: { allowedChatIds: [RECALLING] } },
          'memory-loci': {
            enabled: true,
            hooks: { allowConversationAccess: true },
            config: {
              writes: { enabled: true },
              workspace: { intervalSeconds: 5 },
              autoRecall: { enabled: true, minScore: 0.1 },
              autoCapture: { enabled: true },
            },
          },
        },
      },
    });
    gateway = await Gateway.start(home);
    project.provide('shared', {
      home: home.folder,
      tarball,
      plugin: join(home.folder, 'state', 'npm', 'projects', 'loci-memory', 'node_modules', 'loci-memory'),
      modelUrl: model.url,
      gateway: gateway.address,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
