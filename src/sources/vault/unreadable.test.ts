import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The user id of nobody on Linux. Root may read files of mode 000, so that tests that root runs read as nobody. */
const NOBODY = 65_534;

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

/** Lists and reads the vault as a user who is not root. Returns a reason if no process can run as such a user. */
function readAsUser(): { output: unknown } | { reason: string } {
  const isRoot = process.getuid?.() === 0;
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', LIST_AND_READ], {
    env: { VAULT_MODULE: new URL('vault.ts', import.meta.url).href, VAULT_ROOT: root },
    encoding: 'utf8',
    cwd: '/',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  if (child.status === 0) return { output: JSON.parse(child.stdout) };
  if (!isRoot) throw new Error(child.stderr);
  return { reason: `no process can run as nobody: ${child.error?.message ?? child.stderr}` };
}

describe('without permission to read', () => {
  it('a folder or file is skipped and reported, and the others are read', async ({ skip }) => {
    await chmod(path.join(root, 'locked'), 0);
    await chmod(path.join(root, 'y.md'), 0);
    const outcome = readAsUser();
    if ('reason' in outcome) return skip(outcome.reason);
    expect(outcome.output).toEqual({
      contents: { 'a.md': 'a.md', 'y.md': null, 'z.md': 'z.md' },
      problems: [
        ['locked', 'unreadable', 'permission denied', true],
        ['y.md', 'unreadable', 'permission denied', true],
      ],
    });
  });

  it('listing the vault throws unreadable', async ({ skip }) => {
    await chmod(root, 0);
    const outcome = readAsUser();
    if ('reason' in outcome) return skip(outcome.reason);
    expect(outcome.output).toEqual({
      code: 'unreadable',
      message: `the vault ${root} cannot be read: permission denied`,
    });
  });
});
