import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSkills } from './find-skills.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'loci-skills-')));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function skill(folder: string, text: string | Uint8Array): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, 'SKILL.md'), text);
}

const SOURCE =
  '---\nname: Reading List\nmemorySource:\n  command: node list.mjs\n  weight: 0.5\n---\nUse it.\n';

describe('findSkills', () => {
  it('returns the source of each skill that has one, with the name of the skill as id', async () => {
    await skill('reading', SOURCE);
    await skill('plain', '---\nname: plain\n---\nNo source.\n');
    await skill('bare', 'No front matter.\n');
    await mkdir(join(root, 'empty'));
    await writeFile(join(root, 'README.md'), SOURCE);
    expect(await readSkills(root)).toEqual([
      {
        id: 'reading-list',
        folder: join(root, 'reading'),
        memorySource: { command: 'node list.mjs', weight: 0.5 },
        problem: null,
      },
    ]);
  });

  it('takes the id from memorySource if it has one', async () => {
    await skill('a', SOURCE.replace('command:', 'id: Google Tasks\n  command:'));
    await skill('b', SOURCE.replace('command:', 'id: 7\n  command:'));
    expect(await readSkills(root)).toMatchObject([
      { id: 'google-tasks', memorySource: { command: 'node list.mjs', weight: 0.5 } },
      { id: 'reading-list', memorySource: { id: 7 } },
    ]);
  });

  it('returns an empty list if the folder does not exist', async () =>
    expect(await readSkills(join(root, 'missing'))).toEqual([]));

  it('throws unreadable if the folder is a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(readSkills(join(root, 'file'))).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('reports skills that cannot be read', async () => {
    await skill('large', `${SOURCE}${'x'.repeat(300_000)}`);
    await skill('binary', new Uint8Array([0, 1, 2]));
    await skill('broken', '---\nmemorySource: [unclosed\n---\n');
    const problems = (await readSkills(root)).map(({ id, problem }) => [id, problem]);
    expect(problems).toEqual([
      ['binary', 'SKILL.md is not a text file'],
      ['broken', expect.stringContaining('SKILL.md')],
      ['large', 'SKILL.md is larger than 262144 bytes'],
    ]);
  });

  it('does not follow a link out of the folder', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'loci-elsewhere-'));
    try {
      await writeFile(join(elsewhere, 'SKILL.md'), SOURCE);
      await symlink(elsewhere, join(root, 'linked'));
      expect(await readSkills(root)).toMatchObject([{ id: 'linked', memorySource: null }]);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('skips hidden folders, and makes an id from any name', async () => {
    await skill('.hidden', SOURCE);
    await skill('Überblick & Co', '---\nmemorySource:\n  command: x\n---\n');
    await skill('日記', '---\nmemorySource:\n  command: x\n---\n');
    expect((await readSkills(root)).map(({ id }) => id)).toEqual(['uberblick-co', 'skill']);
  });
});
