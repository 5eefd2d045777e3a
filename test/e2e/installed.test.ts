import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, temporaryFolder } from './loci-command.ts';

/** `bin/loci.js --help`, which loads what `npm ci` built. */
function runBin(home: string): void {
  // Coverage switches the compile cache off.
  const plain = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
  const { error, status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'bin', 'loci.js'), '--help'],
    { env: { ...process.env, ...plain, LOCI_HOME: home }, encoding: 'utf8' },
  );
  expect(error).toBeUndefined();
  expect({ status, stderr }, 'without dist/, run `npm run build`').toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: loci /);
}

describe('compiled code', () => {
  it('is cached only in a home that exists and belongs to the user', () => {
    const homes = temporaryFolder();
    const [own, shared, missing] = ['own', 'shared', 'missing'].map((name) => join(homes, name));
    mkdirSync(own!);
    mkdirSync(shared!);
    chmodSync(shared!, 0o777);
    for (const home of [own!, shared!, missing!]) runBin(home);
    expect(existsSync(join(own!, 'cache'))).toBe(true);
    expect(existsSync(join(shared!, 'cache'))).toBe(false);
    expect(existsSync(missing!)).toBe(false);
  });
});
