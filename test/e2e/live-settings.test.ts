import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { writeNotes } from '../contract/engines.ts';
import { startServerProcess } from './server-process.ts';
import { runBin, waitForSockets } from './socket-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

const WAIT = { timeout: 100_000, interval: 50 };

/** A running `loci serve` of a home with a vault. `log` returns what it has logged. */
async function served() {
  const vault = join(new SourcesHome().path, 'notes');
  await writeNotes(vault, { 'oven.md': 'The oven is hot.', 'attic.md': 'The oven of the attic is cold.' });
  const settings = { log: { level: 'info' }, vaults: [{ path: vault }], skills: [] };
  const home = new SourcesHome(settings);
  await home.run(['index']);
  const server = await startServerProcess(home.path);
  await waitForSockets(home.path);
  let log = '';
  server.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  /** What the server answers. On a busy machine, a command does not wait for it. */
  const answered = (...args: string[]): Promise<SearchOutput> =>
    vi.waitFor(async () => {
      const result = await runBin([...args, '--json'], { home: home.path });
      expect(result).toMatchObject({ code: 0, openedStore: false, stderr: '' });
      return JSON.parse(result.stdout) as SearchOutput;
    }, WAIT);
  return { home, settings, answered, log: () => log };
}

it('a server uses a source and weights that the settings get while it runs, and keeps its own while the file is not YAML', async () => {
  const { home, settings, answered, log } = await served();
  home.configure({ ...settings, sources: [GOOGLE_TASKS] });
  await home.run(['sources', 'approve', 'tasks']);
  await vi.waitFor(() => expect(log()).toMatch(/"source":"tasks","added":2/), WAIT);
  expect(await home.conditions()).toContainEqual(['tasks', 'fresh']);

  const search = () => answered('search', 'attic oven', '--min-score', '0', '--source', 'notes', '--explain');
  const addedByText = ({ results }: SearchOutput): number =>
    results[0]!.explanation!.signals.find(({ signal }) => signal === 'text')!.added;
  const before = await search();
  home.configure({ ...settings, search: { limit: 1, weights: { text: 0.01 } } });
  const after = await search();
  expect([before.results.length, after.results.length]).toEqual([2, 1]);
  expect(addedByText(after)).toBeLessThan(addedByText(before) / 2);

  home.configure(`${stringify(settings).slice(0, 40)}\n  - [`);
  await vi.waitFor(() => expect(log()).toMatch(/"level":40.*loci\.yaml:\d.*stay in force/), WAIT);
  const { code, stderr } = await runBin(['status'], { home: home.path });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^loci: warning: process \d+ .*stay in force/)]);
  home.configure({ ...settings, sources: [{ ...GOOGLE_TASKS, id: 'todos', command: 'cat other.json' }] });
  await vi.waitFor(() => expect(log()).toMatch(/"source":"todos","code":"not_approved"/), WAIT);
  expect(await home.conditions()).toContainEqual(['tasks', 'gone']);
});
