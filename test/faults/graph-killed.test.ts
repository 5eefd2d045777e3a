import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { loci, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { repetitions } from '../repetitions.ts';
import { expireLeases } from './first-batch.ts';

const NOTES = repetitions(1000, 1500);

function makeVault(): string {
  const vault = join(temporaryFolder(), 'vault');
  mkdirSync(vault);
  for (let n = 0; n < NOTES; n++) {
    const link = (step: number): string => `[[note ${String((n * step + 7) % (NOTES + 50))}]]`;
    const tasks = `- [ ] task ${String(n)}\n- [x] done ${String(n)}\n`;
    writeFileSync(
      join(vault, `note ${String(n)}.md`),
      `# Note\n\n${link(3)} and ${link(11)} #t${String(n % 90)}\n\n## Tasks\n\n${tasks}`,
    );
  }
  return vault;
}

/** The last change that the graph in the store of a home takes into account. */
function derivedUpTo(home: string): number {
  try {
    using database = new DatabaseSync(join(home, 'loci.db'), { readOnly: true });
    return Number(database.prepare('SELECT up_to AS n FROM graph_progress').get()?.['n'] ?? 0);
  } catch {
    // The file or its tables are not complete yet.
    return 0;
  }
}

it('a derivation of the graph that kill -9 interrupts is continued, and leads to the same graph', async () => {
  const vault = makeVault();
  const env = { LOCI_EMBEDDING_PROVIDER: 'none' };
  const homes = [temporaryFolder(), temporaryFolder()] as const;
  const killed = startLoci(['index', '--wait', vault], { home: homes[0], env });
  await expect
    .poll(() => derivedUpTo(homes[0]) > 0 || killed.child.exitCode !== null, {
      interval: 5,
      timeout: 100_000,
    })
    .toBe(true);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const upTo = derivedUpTo(homes[0]);
  expect(upTo).toBeGreaterThan(0);
  expect(upTo).toBeLessThan(NOTES);
  expireLeases(homes[0]);
  const exported: string[] = [];
  for (const home of homes) {
    await loci(['index', '--wait', vault], { home, env });
    expect(derivedUpTo(home)).toBe(NOTES);
    exported.push((await loci(['graph', 'export'], { home, env })).stdout);
  }
  expect(exported[0]).toBe(exported[1]);
  expect(exported[0]!.length).toBeGreaterThan(700 * NOTES);
}, 170_000);
