import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { GatewayMemory } from './gateway-memory.ts';
import { memoryRuntime } from './memory-runtime.ts';
import type { PluginApi, WorkspacePaths } from './host/api.ts';

/** The runtime needs nothing of the host to classify files. */
const runtime = memoryRuntime(new GatewayMemory('memory-loci', {} as PluginApi));

async function classify(request: WorkspacePaths): Promise<readonly string[]> {
  const classified = await runtime.classifyWorkspaceMemoryPaths(request);
  return classified.map(({ originClass }) => originClass);
}

function fill(folder: string): string {
  for (const name of ['memory/dreaming', 'users/ada']) mkdirSync(join(folder, name), { recursive: true });
  for (const file of [
    'MEMORY.md',
    'DREAMS.md',
    'NOTES.md',
    'memory/2026-11-20.md',
    'memory/dreaming/a.md',
    'memory/a.txt',
    'users/ada/USER.md',
    'users/ada/NOTES.md',
  ])
    writeFileSync(join(folder, file), 'text');
  return folder;
}

it('curated files and those of days are of the agent, generated ones of the system, others not trusted', async () => {
  await using folder = await temporaryFolder();
  const relativePaths = [
    'MEMORY.md',
    'memory/2026-11-20.md',
    'DREAMS.md',
    'memory/dreaming/a.md',
    'NOTES.md',
    'memory/a.txt',
    'users/ada/USER.md',
    'users/ada/NOTES.md',
  ];
  expect(await classify({ workspaceDir: fill(folder.path), relativePaths })).toEqual([
    'agent',
    'agent',
    'system',
    'system',
    'untrusted',
    'untrusted',
    'agent',
    'untrusted',
  ]);
});

it('a file outside of the workspace is not trusted, whatever its name or its link', async () => {
  await using folder = await temporaryFolder();
  await using other = await temporaryFolder();
  const workspaceDir = fill(folder.path);
  const outside = fill(other.path);
  symlinkSync(join(outside, 'MEMORY.md'), join(workspaceDir, 'USER.md'));
  symlinkSync(join(outside, 'memory'), join(workspaceDir, 'memory', 'linked'));
  const relativePaths = [
    'USER.md',
    'memory/linked/2026-11-20.md',
    '../MEMORY.md',
    join(outside, 'MEMORY.md'),
    'missing.md',
  ];
  expect(new Set(await classify({ workspaceDir, relativePaths }))).toEqual(new Set(['untrusted']));
});

it('a file of a remote workspace is trusted by its canonical path alone', async () => {
  const relativePaths = ['MEMORY.md', 'USER.md', 'memory/a.md'];
  const readSources = [
    { relativePath: 'MEMORY.md', canonicalRelativePath: 'MEMORY.md' },
    { relativePath: 'USER.md', canonicalRelativePath: '../USER.md' },
    { relativePath: 'memory/a.md' },
  ];
  expect(await classify({ workspaceDir: '/missing', relativePaths, readSources })).toEqual([
    'agent',
    'untrusted',
    'untrusted',
  ]);
});
