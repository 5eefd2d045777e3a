import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { importMemory } from './import.ts';
import { listStartup } from '../startup/startup.ts';

it('files of a workspace are read in whatever case their names have, and as plain text', async () => {
  await using folder = await temporaryFolder();
  const workspace = `${folder.path}/workspace`;
  await writeNotes(workspace, {
    'memory.md': '# Memory\n\n- The boiler code is 4711\n',
    'User.md': '# User\n\n- likes tea\n',
    'SOUL.md': 'calm',
    'soul.md': 'loud',
    'agents.MD': 'Ask first.',
    'Memory/notes.txt': 'The boiler is in the cellar.',
    'Memory/2026-03-16.MD': 'The boiler was serviced.',
    'Memory/photo.jpg': 'The boiler, as a picture.',
    'notes.txt': 'Not memory.',
  });
  const loci = await openInline(settings(folder.path));
  try {
    const report = await importMemory(loci, { path: workspace });
    expect(report.problems).toEqual([{ location: 'soul.md', message: 'SOUL.md is imported in its place' }]);
    const filter = { now: Date.now() };
    const records = await loci.store.records.list(loci.namespace, { filter }, { after: null, limit: 10 });
    expect(
      records
        .map(({ category, metadata, title }) => `${category}: ${JSON.stringify(metadata['file'])} ${title}`)
        .sort(),
    ).toEqual([
      'daily: "Memory/2026-03-16.MD" 2026-03-16',
      'daily: "Memory/notes.txt" notes',
      'memory: "memory.md" memory',
      'user: "User.md" User',
    ]);
    expect((await listStartup(loci)).entries.map(({ key, content }) => [key, content])).toEqual([
      ['soul', 'calm'],
      ['agents', 'Ask first.'],
    ]);
    const again = await importMemory(loci, { path: workspace });
    expect(again.records).toMatchObject({ added: 0, updated: 0, removed: 0, unchanged: 4 });
  } finally {
    await loci.close();
  }
});
