import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject, it } from 'vitest';
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
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    // The host writes some files first under another name.
    entry.isFile() && !/\.(?:last-good|tmp)$/.test(entry.name) ? [entry.name] : [],
  );
  return [readFileSync(home.configFile, 'utf8'), names];
}

/** How often the gateway has applied a changed configuration. */
function reloads(): number {
  return (gateway?.output.match(/config hot reload applied/g) ?? []).length;
}

async function untilReloaded(times: number): Promise<void> {
  await expect.poll(reloads, { timeout: 100_000, interval: 100 }).toBeGreaterThanOrEqual(times);
}

/** What the owner finds about boats, in another private session. While the gateway applies a change, a request may fail. */
async function boats(): Promise<string> {
  const ask = 'CALL memory_search {"query":"Albatross Pelican","corpus":"sessions"}';
  const answer = await gateway?.chat(ask, { session: 'direct:phone' }).catch(() => '');
  // The question is in the conversation of this session.
  return (answer ?? '').replaceAll('Albatross Pelican', '');
}

/** It runs a dozen commands of OpenClaw while a gateway runs. */
const TIMEOUT_MS = 600_000;

it(
  'beside a running gateway, a setup that fails and one that is undone leave each byte as it was',
  { timeout: TIMEOUT_MS },
  async () => {
    const { plugins: _, ...base } = baseConfig(home, await freePort(), inject('shared').modelUrl);
    const config = { ...base, plugins: { entries: {} } };
    writeFileSync(join(home.workspace('main'), 'MEMORY.md'), 'The oven will be induction.');
    const text = JSON.stringify({ ...config, tools: { deny: ['memory_search'] } }, null, 2);
    const commented = (json: string): string =>
      `// My gateway.\n${json.replace('"agents": {', 'agents: { // one at home\n    ')}`;
    home.writeConfig(config);
    gateway = await home.startGateway();
    await gateway.chat('My boat is called Albatross.', { session: 'direct:ada' });
    // The session in which the host calls tools for setup, unless that names another.
    await gateway.chat('Hello there.');
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
    const examined = await home.openclaw('doctor', '--non-interactive');
    expect(examined.stdout).toContain('Memory search');
    expect(examined.stdout).not.toContain('OPENAI_API_KEY');

    const configured = readFileSync(home.configFile, 'utf8');
    expect(configured).toContain('// one at home');

    // Conversations from before are read only after the user has agreed.
    expect(await boats()).toMatch(/^(?!.*Albatross).*"results"/);
    await gateway.chat('My boat is called Pelican.', { session: 'direct:ada' });
    await expect.poll(boats, { timeout: 100_000, interval: 500 }).toMatch(/^(?!.*Albatross).*Pelican/);
    const agreed = "sessions: { since: '2026-01-01' },";
    const applied = reloads();
    writeFileSync(
      home.configFile,
      configured.replace(/("memory-loci": \{.*?"?config"?: \{)/s, `$1 ${agreed}`),
    );
    await untilReloaded(applied + 1);
    await expect.poll(boats, { timeout: 100_000, interval: 500 }).toContain('Albatross');
    writeFileSync(home.configFile, configured);
    await untilReloaded(applied + 2);

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
