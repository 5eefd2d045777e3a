import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { PROGRAM } from './installation.ts';
import { baseConfig, OpenclawHome } from './openclaw.ts';

const LOCI = fileURLToPath(new URL('../../bin/loci.js', import.meta.url));

interface Outcome {
  readonly code: number;
  readonly output: Record<string, unknown>;
}

interface Check {
  readonly name: string;
  readonly result: string;
  readonly hint: string | null;
}

let home: OpenclawHome;

/** Runs `loci openclaw` with a configuration file and its own Loci home. */
function loci(configFile: string, ...args: string[]): Promise<Outcome> {
  const env = { ...home.env, OPENCLAW_CONFIG_PATH: configFile, LOCI_HOME: lociHome(configFile) };
  const line = [LOCI, 'openclaw', ...args, '--openclaw', PROGRAM, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, line, { env, cwd: home.folder, timeout: 120_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({
        code,
        output: JSON.parse(stdout === '' ? JSON.stringify({ stderr }) : stdout) as Record<string, unknown>,
      });
    });
  });
}

function lociHome(configFile: string): string {
  return `${configFile}-loci`;
}

/** Where setup has copied the plugin to. */
function pluginPath(configFile: string): string {
  const folder = join(lociHome(configFile), 'openclaw-plugin');
  return join(folder, ...readdirSync(folder));
}

/** The bytes of a configuration and of its included files, and the names of all files beside them. */
function snapshot(configFile: string): Record<string, string> {
  const folder = dirname(configFile);
  const names = readdirSync(folder).filter((name) =>
    /json5?$|loci-setup|\.bak|clobbered|rejected/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

function resultsOf({ output }: Outcome): Record<string, string> {
  return Object.fromEntries((output['checks'] as Check[]).map(({ name, result }) => [name, result]));
}

/** A configuration file in the state folder. */
function writeConfig(name: string, text: string): string {
  const file = join(dirname(home.configFile), name);
  writeFileSync(file, text);
  return file;
}

const COMMENTED = `// My gateway.
{
  gateway: { mode: 'local', port: PORT, bind: 'loopback', auth: { mode: 'token', token: 'secret' } }, // at home
  agents: { $include: './agents.json5' },
  tools: { toolSearch: false },
  plugins: { $include: './plugins.json5' },
}
`;
const INCLUDED_AGENTS = `{ defaults: { skipBootstrap: true, workspace: 'WORKSPACE' } } // one agent\r\n`;
const INCLUDED_PLUGINS = `{
  // Others stay.
  allow: ['memory-core', 'device-pair'], // short
  entries: {
    'memory-core': { enabled: true /* for now */ },
    'device-pair': { enabled: false },
    'memory-shadowdb': { enabled: true, config: { table: 'memories', "writes": { "enabled": true } } }, // before
  },
  slots: { memory: 'memory-shadowdb' },
}
`;

beforeAll(async () => {
  home = new OpenclawHome();
  writeFileSync(join(home.workspace('main'), 'MEMORY.md'), '# Memory\n\nThe oven will be induction.\n');
}, 300_000);

afterAll(() => {
  home.remove();
});

/** They share one OpenClaw. The first test sets it up, the last undoes that. */
describe('loci openclaw', () => {
  let fresh = '';
  let before: Record<string, string> = {};

  it('sets up a fresh configuration after a dry run that changes nothing', async () => {
    const { plugins: _, ...config } = baseConfig(home, await freePort(), 'http://127.0.0.1:9/v1');
    fresh = writeConfig('fresh.json', JSON.stringify(config, null, 2));
    before = snapshot(fresh);
    const dry = await loci(fresh, 'setup', '--dry-run', '--transcripts');
    expect(dry).toMatchObject({ code: 0, output: { installs: true, gatewayRuns: false } });
    expect(JSON.stringify(dry.output['changes'])).toContain('memory-loci.config.sessions.since');
    expect(dry.output['steps']).toHaveLength(4);
    expect(snapshot(fresh)).toEqual(before);
    expect(existsSync(lociHome(fresh))).toBe(false);

    const done = await loci(fresh, 'setup', '--yes');
    expect(done).toMatchObject({ code: 0, output: { indexed: [{ agent: 'main', files: 1, problems: [] }] } });
    expect(JSON.parse(readFileSync(fresh, 'utf8'))).toEqual({
      ...config,
      plugins: {
        load: { paths: [expect.stringContaining(join(lociHome(fresh), 'openclaw-plugin')) as string] },
        slots: { memory: 'memory-loci' },
        entries: {
          'memory-loci': { enabled: true, config: { home: lociHome(fresh) } },
          'memory-core': { enabled: false },
        },
      },
    });
    expect(resultsOf(await loci(fresh, 'doctor'))).toMatchObject({
      plugin: 'ok',
      'earlier setup': 'ok',
      keys: 'ok',
      'memory of main': 'ok',
    });
  });

  it('finds memory-core in the way, reverts a setup that fails, and sets up beside an index of memory-core', async () => {
    const { plugins: _, gateway, ...rest } = baseConfig(home, await freePort(), 'http://127.0.0.1:9/v1');
    const plugins = {
      load: { paths: [pluginPath(fresh)] },
      slots: { memory: 'memory-loci' },
      entries: { 'memory-loci': { enabled: true } },
    };
    const config = writeConfig(
      'core.json',
      JSON.stringify({ gateway: { ...(gateway as object), mode: 'remote' }, ...rest, plugins }),
    );
    const examined = await loci(config, 'doctor');
    expect(examined.code).toBe(1);
    expect(resultsOf(examined)).toMatchObject({ keys: 'failed', settings: 'ok' });
    expect(existsSync(lociHome(config))).toBe(false);

    // A gateway does not start in this mode, so that the last step fails.
    const initial = snapshot(config);
    const failed = await loci(config, 'setup', '--yes');
    expect(failed).toMatchObject({
      code: 8,
      output: { error: { message: expect.stringContaining('check') as string } },
    });
    expect(snapshot(config)).toEqual(initial);
    for (const folder of ['openclaw-backup', 'openclaw-plugin'])
      expect(existsSync(join(lociHome(config), folder))).toBe(false);

    writeConfig('core.json', JSON.stringify({ gateway, ...rest }));
    await promisify(execFile)(process.execPath, [PROGRAM, 'memory', 'index'], {
      env: { ...home.env, OPENCLAW_CONFIG_PATH: config },
      cwd: home.folder,
    });
    const index = join(dirname(config), 'agents', 'main', 'agent', 'openclaw-agent.sqlite');
    expect(existsSync(index)).toBe(true);
    const original = snapshot(config);
    expect(await loci(config, 'setup', '--yes')).toMatchObject({ code: 0, output: { installs: true } });
    // Nothing would be done again.
    expect(await loci(config, 'setup', '--dry-run')).toMatchObject({
      code: 0,
      output: { installs: false, changes: [] },
    });
    expect(existsSync(index)).toBe(true);
    expect(await loci(config, 'undo')).toMatchObject({
      code: 0,
      output: { plugin: 'removed', copies: null },
    });
    expect(existsSync(join(lociHome(config), 'openclaw-plugin'))).toBe(false);
    expect(snapshot(config)).toEqual(original);
  });

  it('keeps comments, included files and other plugins, and takes over the settings of memory-shadowdb', async () => {
    writeConfig('agents.json5', INCLUDED_AGENTS.replace('WORKSPACE', home.workspace('main')));
    const plugins = writeConfig('plugins.json5', INCLUDED_PLUGINS);
    const config = writeConfig('commented.json', COMMENTED.replace('PORT', String(await freePort())));
    const initial = snapshot(config);
    expect(await loci(config, 'setup', '--yes')).toMatchObject({
      code: 0,
      output: { takesOverShadowdb: true },
    });
    const { 'plugins.json5': __, ...others } = initial;
    expect(snapshot(config)).toMatchObject(others);
    expect(readFileSync(plugins, 'utf8')).toBe(`{
  "load": {
    "paths": [
      "${pluginPath(config)}"
    ]
  },
  // Others stay.
  allow: ["memory-loci", 'memory-core', 'device-pair'], // short
  entries: {
    "memory-loci": {
      "enabled": true,
      "config": {
        "home": "${lociHome(config)}",
        "writes": {
          "enabled": true
        },
        "table": "memories"
      }
    },
    'memory-core': { enabled: false /* for now */ },
    'device-pair': { enabled: false },
    'memory-shadowdb': { enabled: false, config: { table: 'memories', "writes": { "enabled": true } } }, // before
  },
  slots: { memory: "memory-loci" },
}
`);
    // A file that somebody has changed since is left as it is, and undo says what setup had changed there.
    const changed = `${readFileSync(plugins, 'utf8')}// Mine.\n`;
    writeFileSync(plugins, changed);
    const undone = await loci(config, 'undo');
    expect(undone).toMatchObject({ code: 0, output: { plugin: 'kept' } });
    expect(undone.output['files']).toEqual([
      {
        path: plugins,
        identical: false,
        kept: expect.arrayContaining(['plugins.slots.memory', 'plugins.allow']) as unknown,
      },
    ]);
    expect(readFileSync(plugins, 'utf8')).toBe(changed);
    const copies = String(undone.output['copies']);
    expect(readdirSync(copies).map((name) => readFileSync(join(copies, name), 'utf8'))).toContain(
      INCLUDED_PLUGINS,
    );
  });

  it('undoes the first setup byte for byte, and removes the plugin', async () => {
    expect(await loci(fresh, 'undo')).toMatchObject({
      code: 0,
      output: { plugin: 'removed', copies: null },
    });
    expect(snapshot(fresh)['fresh.json']).toBe(before['fresh.json']);
    expect(await loci(fresh, 'undo')).toMatchObject({ code: 4 });
  });
});
