import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVault } from './vault.ts';

/** A program that replaces a folder of the vault by a symlink, and back, as fast as it can. */
const SWAP = `
  const { renameSync } = await import('node:fs');
  process.on('disconnect', () => process.exit());
  process.send('ready');
  const step = () => {
    for (let n = 0; n < 200; n++) {
      renameSync('vault/notes', 'folder'); renameSync('link', 'vault/notes');
      renameSync('vault/notes', 'link'); renameSync('folder', 'vault/notes');
    }
    setImmediate(step);
  };
  step();
`;

describe('a vault that changes while it is read', () => {
  let base: string;

  beforeEach(async () => {
    base = await mkdtemp(path.join(tmpdir(), 'loci-race-'));
    await mkdir(path.join(base, 'vault/notes'), { recursive: true });
    await writeFile(path.join(base, 'vault/notes/a.md'), 'inside');
  });

  afterEach(() => rm(base, { recursive: true }));

  it.each([
    ['outside of the vault', 'outside', undefined],
    ['of another folder', 'vault/other', ['vault/other']],
  ])('never returns a file %s', async (_, secret, others) => {
    await mkdir(path.join(base, secret));
    await writeFile(path.join(base, secret, 'a.md'), 'secret');
    await symlink(path.join(base, secret), path.join(base, 'link'));
    const swapper = spawn(process.execPath, ['--input-type=module', '--eval', SWAP], {
      cwd: base,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(swapper, 'message');
    const otherFolders = others?.map((each) => path.join(base, each));
    const vault = openVault({
      name: 'notes',
      root: path.join(base, 'vault'),
      ...(otherFolders !== undefined && { otherFolders }),
    });
    const contents = new Set<string | undefined>();
    const reasons = new Set<string>();
    const item = { key: 'notes/a.md', revision: '', bytes: 0 };
    // Both states occur, so that the reads race with the swaps.
    for (let n = 0; n < 1000 || !contents.has('inside') || !reasons.has('outside_root'); n++) {
      contents.add((await vault.read(item, ({ reason }) => reasons.add(reason)))?.content);
    }
    const exited = once(swapper, 'exit');
    swapper.disconnect();
    await exited;
    expect([...contents].filter((content) => content !== undefined && content !== 'inside')).toEqual([]);
  });
});
