import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { loci, temporaryFolder } from '../e2e/loci-command.ts';

/** What is left when a process is killed while it derives the graph: part of the graph, and its lease. */
function leaveHalf(home: string, leaseMs: number): void {
  using database = new DatabaseSync(join(home, 'loci.db'));
  database.exec(`DELETE FROM graph_edge WHERE record > 1; DELETE FROM graph_node WHERE record > 1;
    UPDATE graph_progress SET up_to = 1, similar_up_to = 0, rules = 'building ' || rules;
    UPDATE concept_progress SET up_to = 1;`);
  database
    .prepare(
      'INSERT OR REPLACE INTO lease (namespace, name, holder, until, token) SELECT name, ?, ?, ?, 1 FROM namespace',
    )
    .run('graph', '1@elsewhere/x', Date.now() + leaseMs);
}

async function indexed(): Promise<{ readonly home: string; readonly whole: string }> {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(join(folder, 'notes'));
  for (const [name, text] of [
    ['Kitchen', 'See [[Quotes]].'],
    ['Quotes', 'See [[Garden]].'],
    ['Garden', '- [ ] Rake'],
  ])
    writeFileSync(join(folder, 'notes', `${name!}.md`), text!);
  await loci(['index', join(folder, 'notes')], { home });
  const { code, stdout, stderr } = await loci(['graph', 'export'], { home });
  expect([code, stderr]).toEqual([0, '']);
  return { home, whole: stdout };
}

it('an export waits for the lease of a process that was killed, and is complete', async () => {
  const { home, whole } = await indexed();
  leaveHalf(home, 3000);
  const { code, stdout, stderr } = await loci(['graph', 'export'], { home });
  expect(code).toBe(0);
  expect(stderr).not.toContain('warning');
  expect(stdout).toBe(whole);
});

it('an export of a graph that another process does not finish in time says so, and has exit code 1', async () => {
  const { home, whole } = await indexed();
  leaveHalf(home, 3000);
  // The other process renews its lease, and makes no progress.
  using database = new DatabaseSync(join(home, 'loci.db'), { timeout: 5000 });
  const renew = database.prepare("UPDATE lease SET until = ? WHERE name = 'graph'");
  const renewal = setInterval(() => renew.run(Date.now() + 3000), 200);
  const { code, stdout, stderr } = await loci(['graph', 'export'], { home });
  clearInterval(renewal);
  expect(code).toBe(1);
  expect(stderr).toContain('the exported graph is not complete');
  expect(stdout.length).toBeLessThan(whole.length);
});
