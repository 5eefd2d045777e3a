import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('compiled code', () => {
  it('declares its types without other packages', () => {
    const types = readFileSync(join(ROOT, 'dist', 'index.d.ts'), 'utf8');
    expect(types).toMatch(/^(?:export )?declare function openLoci\(/m);
    expect(types.match(/^(?:im|ex)port .*from ['"](?!node:).*|\bimport\(['"].*/gm)).toBeNull();
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
