import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

it('memory-core finds the facts of the agent after `setup --beside`, until it is undone', async () => {
  const before = readFileSync(home.configFile);
  await loci(['fact', 'store', 'oven', 'The oven code is 7731.'], { LOCI_NAMESPACE: 'agent:main' });
  const done = await loci(['openclaw', 'setup', '--beside', '--yes', '--openclaw', PROGRAM]);
  expect(done).toMatchObject({ plugin: 'loci-corpus', installs: false });
  const examined = await loci(['openclaw', 'doctor', '--openclaw', PROGRAM]);
  expect(examined).toMatchObject({ healthy: true });

  gateway = await home.startGateway();
  const { value } = await gateway.invoke('memory_search', { query: 'oven code', corpus: 'all' });
  expect(JSON.stringify(value)).toContain('The oven code is 7731.');
  await gateway.stop();

  const undone = await loci(['openclaw', 'undo', '--openclaw', PROGRAM]);
  expect(undone).toMatchObject({ plugin: 'no longer loaded' });
  const { plugins } = home.readConfig() as { readonly plugins: unknown };
  expect(JSON.stringify(plugins)).not.toContain('loci-corpus');
  // A gateway that has run may have added keys of its own.
  const { files } = undone as { readonly files: readonly { readonly identical: boolean }[] };
  expect(readFileSync(home.configFile).equals(before)).toBe(files[0]?.identical);
});
