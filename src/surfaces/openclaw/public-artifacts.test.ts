import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { publicArtifacts } from './public-artifacts.ts';

it('lists the memory files of each workspace once, with its agents, and follows no links', async () => {
  await using folder = await temporaryFolder();
  const [home, other] = [join(folder.path, 'home'), join(folder.path, 'other')];
  mkdirSync(join(home, 'memory', 'dreaming'), { recursive: true });
  for (const file of [
    'MEMORY.md',
    'NOTES.md',
    'memory/2026-11-20.md',
    'memory/a.txt',
    'memory/dreaming/b.md',
  ])
    writeFileSync(join(home, file), 'text');
  mkdirSync(other);
  symlinkSync(join(home, 'MEMORY.md'), join(other, 'MEMORY.md'));
  symlinkSync(join(home, 'memory'), join(other, 'memory'));
  const workspaces = [
    { agent: 'main', folder: home, extraPaths: [] },
    { agent: 'kids', folder: home, extraPaths: [] },
    { agent: 'other', folder: other, extraPaths: [] },
    { agent: 'new', folder: join(folder.path, 'missing'), extraPaths: [] },
  ];
  const listed = await publicArtifacts(() => workspaces).listArtifacts();
  expect(listed.map(({ kind, relativePath }) => [kind, relativePath])).toEqual([
    ['memory-root', 'MEMORY.md'],
    ['daily-note', 'memory/2026-11-20.md'],
    ['dream-report', 'memory/dreaming/b.md'],
  ]);
  expect(listed[0]).toEqual({
    kind: 'memory-root',
    workspaceDir: home,
    relativePath: 'MEMORY.md',
    absolutePath: join(home, 'MEMORY.md'),
    agentIds: ['main', 'kids'],
    contentType: 'markdown',
  });
});
