import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeBoundByModes, type NodeCommand, NOT_BOUND_BY_MODES } from '../../../test/bound-by-modes.ts';

const LIST_AND_READ = `
  const { openVault } = await import(process.env.VAULT_MODULE);
  const vault = openVault({ name: 'notes', root: process.env.VAULT_ROOT });
  const problems = [];
  const report = ({ key, reason, detail, skipped }) => problems.push([key, reason, detail, skipped]);
  const contents = {};
  try {
    for await (const item of vault.list(report)) contents[item.key] = (await vault.read(item, report))?.content ?? null;
    console.log(JSON.stringify({ contents, problems }));
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }
`;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'loci-unreadable-'));
  await chmod(root, 0o755);
  await mkdir(path.join(root, 'locked'));
  for (const key of ['a.md', 'locked/b.md', 'y.md', 'z.md']) await writeFile(path.join(root, key), key);
});

afterEach(async () => {
  for (const each of [root, path.join(root, 'locked')]) await chmod(each, 0o755);
  await rm(root, { recursive: true });
});

/** Lists and reads the vault in a process that the modes of files bind. Returns what it printed. */
function listAndRead({ program, leadingArgs }: NodeCommand): unknown {
  const child = spawnSync(program, [...leadingArgs, '--input-type=module', '--eval', LIST_AND_READ], {
    env: { ...process.env, VAULT_MODULE: new URL('vault.ts', import.meta.url).href, VAULT_ROOT: root },
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr, { cause: child.error });
  return JSON.parse(child.stdout);
}

describe('without permission to read', () => {
  it('a folder or file is skipped and reported, and the others are read', async ({ skip }) => {
    const node = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
    await chmod(path.join(root, 'locked'), 0);
    await chmod(path.join(root, 'y.md'), 0);
    expect(listAndRead(node)).toEqual({
      contents: { 'a.md': 'a.md', 'y.md': null, 'z.md': 'z.md' },
      problems: [
        ['locked', 'unreadable', 'permission denied', true],
        ['y.md', 'unreadable', 'permission denied', true],
      ],
    });
  });

  it('listing the vault throws unreadable', async ({ skip }) => {
    const node = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
    await chmod(root, 0);
    expect(listAndRead(node)).toEqual({
      code: 'unreadable',
      message: `the vault ${root} cannot be read: permission denied`,
    });
  });
});
