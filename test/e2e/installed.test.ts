import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
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
