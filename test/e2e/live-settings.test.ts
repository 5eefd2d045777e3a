import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { writeNotes } from '../contract/engines.ts';
import { startServerProcess } from './server-process.ts';
import { runBin, waitForSockets } from './socket-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

/** Longer than two polls of the scheduler. */
const WAIT = { timeout: 30_000, interval: 50 };

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

it('a server refreshes a source that was added and approved while it ran, and forgets one that was removed', async () => {
  const { home, settings, log } = await served();
  home.configure({ ...settings, sources: [GOOGLE_TASKS] });
  await home.run(['sources', 'approve', 'tasks']);
  await vi.waitFor(() => expect(log()).toMatch(/"source":"tasks","added":2/), WAIT);
  expect(await home.conditions()).toContainEqual(['tasks', 'fresh']);
  home.configure({ ...settings, sources: [{ ...GOOGLE_TASKS, id: 'todos', command: 'cat other.json' }] });
  await vi.waitFor(() => expect(log()).toMatch(/"source":"todos","code":"not_approved"/), WAIT);
  expect(await home.conditions()).toContainEqual(['tasks', 'gone']);
});

it('the next search of a server uses changed weights', async () => {
  const { home, settings, answered } = await served();
  const search = () => answered('search', 'attic oven', '--min-score', '0', '--explain');
  const addedByText = ({ results }: SearchOutput): number =>
    results[0]!.explanation!.signals.find(({ signal }) => signal === 'text')!.added;
  const before = await search();
  home.configure({ ...settings, search: { limit: 1, weights: { text: 0.01 } } });
  const after = await search();
  expect([before.results.length, after.results.length]).toEqual([2, 1]);
  expect(addedByText(after)).toBeLessThan(addedByText(before) / 2);
});

it('a server keeps its settings while the file is not YAML, and says so', async () => {
  const { home, settings, answered, log } = await served();
  const before = await answered('search', 'attic');
  home.configure(`${stringify(settings).slice(0, 40)}\n  - [`);
  await vi.waitFor(() => expect(log()).toMatch(/"level":40.*loci\.yaml:\d.*stay in force/), WAIT);
  const { code, stderr } = await runBin(['status'], { home: home.path });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^loci: warning: process \d+ .*stay in force/)]);
  home.configure(settings);
  expect((await answered('search', 'attic')).results).toEqual(before.results);
});

it('a server whose store was changed in the settings goes on with its own, and says that it has to be restarted', async () => {
  const { home, settings, log } = await served();
  home.configure({ ...settings, store: { path: 'other.db' }, server: { port: 9 } });
  const sentence =
    'restart this process to use it (store.path). Until then the settings of before stay in force.';
  await vi.waitFor(() => expect(log()).toContain(sentence), WAIT);
  expect((await runBin(['status'], { home: home.path })).stderr).toContain(sentence);
  rmSync(join(home.path, 'loci.yaml'));
  await vi.waitFor(() => expect(log()).toContain('loci.yaml is no longer there'), WAIT);
});
