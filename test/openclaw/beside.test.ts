import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import type { Gateway } from './gateway.ts';
import { PROGRAM, ROOT } from './installation.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';

let home: OpenclawHome;
let gateway: Gateway | undefined;

beforeAll(async () => {
  home = new OpenclawHome();
  const config = baseConfig(home, await freePort(), 'http://127.0.0.1:9/v1');
  home.writeConfig({ ...config, plugins: {} });
});

afterAll(async () => {
  await gateway?.stop();
  home.remove();
});

/** Runs `loci` and returns its JSON. */
async function loci(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'bin', 'loci.js'), ...args, '--json'],
    { env: { ...home.env, ...env }, cwd: home.folder, timeout: 120_000 },
  );
  return JSON.parse(stdout);
}

/** A memory that is no part of OpenClaw, and answers nothing. */
function otherMemory(): string {
  const folder = join(home.folder, 'memory-other');
  mkdirSync(folder);
  const openclaw = { extensions: ['./index.js'], compat: { pluginApi: '>=2026.9.6' } };
  const manifest = { id: 'memory-other', name: 'Other', kind: 'memory', configSchema: { type: 'object' } };
  const files = {
    'package.json': JSON.stringify({ name: 'memory-other', version: '1.0.0', type: 'module', openclaw }),
    'openclaw.plugin.json': JSON.stringify({ ...manifest, activation: { onStartup: true } }),
    'index.js': "export default { id: 'memory-other', name: 'Other', kind: 'memory', register() {} };",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('memory-core finds the facts of the agent after `setup --beside`, also where another plugin is the memory', async () => {
  home.changeConfig({
    plugins: {
      slots: { memory: 'memory-other' },
      load: { paths: [otherMemory()] },
      entries: { 'memory-other': { enabled: true } },
    },
  });
  await loci(['fact', 'store', 'oven', 'The oven code is 7731.'], { LOCI_NAMESPACE: 'agent:main' });
  const done = await loci(['openclaw', 'setup', '--beside', '--yes', '--openclaw', PROGRAM]);
  expect(done).toMatchObject({ plugin: 'loci-corpus', installs: false });
  const examined = await loci(['openclaw', 'doctor', '--openclaw', PROGRAM]);
  expect(examined).toMatchObject({ healthy: true });

  gateway = await home.startGateway();
  const found = (): Promise<string> =>
    gateway!.invoke('memory_search', { query: 'oven code', corpus: 'all' }).then(
      ({ value }) => JSON.stringify(value),
      () => 'the gateway is loading its plugins',
    );
  await expect.poll(found, { timeout: 100_000 }).toContain('The oven code is 7731.');
  const { plugins: beside } = home.readConfig() as { readonly plugins: object };
  home.changeConfig({ plugins: { ...beside, slots: { memory: 'memory-core' } } });
  await expect.poll(() => gateway!.output, { timeout: 100_000 }).toContain('config hot reload applied');
  await expect.poll(found, { timeout: 100_000 }).toContain('The oven code is 7731.');
  await gateway.stop();

  // The file was changed since, so that it is left as it is.
  const changed = readFileSync(home.configFile);
  const undone = await loci(['openclaw', 'undo', '--openclaw', PROGRAM]);
  expect(undone).toMatchObject({ plugin: 'kept', files: [{ identical: false }] });
  const { files } = undone as { readonly files: readonly { readonly kept: readonly string[] }[] };
  expect(files[0]!.kept).toEqual(
    expect.arrayContaining(['plugins.load.paths', 'plugins.entries.loci-corpus.enabled']),
  );
  expect(readFileSync(home.configFile).equals(changed)).toBe(true);
});
