import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import type { Gateway } from './gateway.ts';
import { PROGRAM, ROOT } from './installation.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';

const home = new OpenclawHome();
let gateway: Gateway | undefined;

afterAll(async () => {
  await gateway?.stop();
  home.remove();
});

/** Runs `loci openclaw`. @param onLine sees each line of progress, and may stop the process */
async function loci(
  args: readonly string[],
  onLine: (line: string, stop: () => void) => void = () => undefined,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'bin', 'loci.js'), 'openclaw', ...args, '--openclaw', PROGRAM],
    {
      env: home.env,
      cwd: home.folder,
    },
  );
  let printed = '';
  const add = (chunk: Buffer): void => {
    printed += chunk.toString();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  createInterface(child.stderr).on('line', (line) => {
    onLine(line, () => child.kill('SIGINT'));
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed };
}

/** The configuration, and the names of all files beside it, but for the copy that a gateway makes of each one that it accepts. */
function state(): unknown {
  const folder = dirname(home.configFile);
  const names = readdirSync(folder).filter((name) => !name.endsWith('.last-good'));
  return [readFileSync(home.configFile, 'utf8'), names];
}

/** How often the gateway has applied a changed configuration. */
function reloads(): number {
  return (gateway?.output.match(/config hot reload applied/g) ?? []).length;
}

async function untilReloaded(times: number): Promise<void> {
  await expect.poll(reloads, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(times);
}

/** It runs a dozen commands of OpenClaw while a gateway runs. */
const TIMEOUT_MS = 600_000;

it(
  'beside a running gateway, a setup that fails and one that is undone leave each byte as it was',
  { timeout: TIMEOUT_MS },
  async () => {
    const { plugins: _, ...config } = baseConfig(home, await freePort(), 'http://127.0.0.1:9/v1');
    const text = JSON.stringify({ ...config, tools: { deny: ['memory_search'] } }, null, 2);
    const commented = (json: string): string =>
      `// My gateway.\n${json.replace('"agents": {', 'agents: { // one at home\n    ')}`;
    home.writeConfig(config);
    gateway = await home.startGateway();
    writeFileSync(home.configFile, commented(text));
    await untilReloaded(1);

    // The denied tool keeps the last step from ending; the gateway has loaded the plugin by then.
    const before = state();
    const failed = await loci(['setup', '--yes'], (line, stop) => {
      // The line that says where it stopped has these words too.
      if (line.startsWith('loci: wait until')) void untilReloaded(2).then(stop);
    });
    expect(failed.printed).toContain('are as they were before');
    expect(existsSync(join(home.lociHome, 'openclaw-plugin'))).toBe(false);
    expect(state()).toEqual(before);
    await untilReloaded(3);
    expect(state()).toEqual(before);

    writeFileSync(home.configFile, commented(text.replace('"memory_search"', '')));
    const initial = state();
    await untilReloaded(4);
    expect(await loci(['setup', '--yes'])).toMatchObject({ code: 0 });
    const { value } = await gateway.invoke('memory_search', { query: 'oven' });
    expect(value).toMatchObject({ provider: 'loci' });
    expect(readFileSync(home.configFile, 'utf8')).toContain('// one at home');

    const loaded = reloads();
    const undone = await loci(['undo']);
    expect(undone).toMatchObject({ code: 0, printed: expect.stringContaining('openclaw-plugin') as string });
    expect(state()).toEqual(initial);
    await untilReloaded(loaded + 1);
    expect(state()).toEqual(initial);

    // It is removed when no gateway can use it any more.
    expect((await loci(['doctor'])).printed).toMatch(/warning +earlier setup +.*openclaw-plugin/);
  },
);
