import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import type { WriteOutput } from '../../src/engine/records/record-schemas.ts';
import { loci, lociJson, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { countRecords, expireLeases, waitForFirstBatch } from './first-batch.ts';

const NOTES = 300;
const WORDS = 'harbour lantern oven tide maple ledger quarry saffron violin anchor'.split(' ');

/** Notes with different words, so that their scores differ. */
function makeVault(): string {
  const vault = join(temporaryFolder(), 'vault');
  mkdirSync(vault);
  for (let n = 0; n < NOTES; n++) {
    const word = (step: number): string => WORDS[(n * step + Math.floor(n / 7)) % WORDS.length]!;
    const lines = Array.from(
      { length: 12 },
      (_, i) => `The ${word(i + 1)} of day ${String(n)} met the ${word(i + 3)}.`,
    );
    writeFileSync(
      join(vault, `note ${String(n).padStart(3, '0')}.md`),
      `# ${word(1)} ${String(n)}\n\n${lines.join('\n')}\n`,
    );
  }
  return vault;
}

const QUERIES = ['oven harbour', 'maple ledger day 77', 'saffrom violn', '"the tide"'];

async function searchResults(home: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const query of QUERIES) {
    const { results, corrections } = await lociJson<SearchOutput>(['search', query, '--min-score', '0'], {
      home,
    });
    found.push(
      corrections,
      ...results.map(({ citation, snippet, score, why }) => ({ citation, snippet, score, why })),
    );
  }
  return found;
}

describe('indexing', () => {
  const vault = makeVault();
  let expected: unknown[] = [];

  const home = temporaryFolder();

  beforeAll(async () => {
    await lociJson(['index', vault], { home });
    expected = await searchResults(home);
    expect(expected.length).toBeGreaterThan(20);
  });

  it('stops at Ctrl-C with exit code 130, and continues where it stopped', async () => {
    const home = temporaryFolder();
    const running = startLoci(['index', vault], { home });
    await waitForFirstBatch(home, running);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('stopping after this batch');
    expect(stderr).toContain('the same command continues');
    const stored = countRecords(home);
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThan(NOTES);
    // The interrupted command has added the vault to the settings.
    const { vaults } = await lociJson<IndexOutput>(['index'], { home });
    expect(vaults).toMatchObject([{ seen: NOTES, unchanged: stored, added: NOTES - stored }]);
    expect(await searchResults(home)).toEqual(expected);
  });

  it('continues after kill -9, with every committed note and the same search results', async () => {
    const home = temporaryFolder();
    const running = startLoci(['index', vault], { home });
    await waitForFirstBatch(home, running);
    running.child.kill('SIGKILL');
    expect((await running.ended).code).toBeNull();
    expireLeases(home);
    const stored = countRecords(home);
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThan(NOTES);
    const { vaults } = await lociJson<IndexOutput>(['index', vault], { home });
    expect(vaults).toMatchObject([{ unchanged: stored, added: NOTES - stored, problems: [] }]);
    expect(await searchResults(home)).toEqual(expected);
    expect(await loci(['doctor'], { home })).toMatchObject({ code: 0 });
  });

  it('ends at once at the second Ctrl-C', async () => {
    const home = temporaryFolder();
    const running = startLoci(['index', vault], { home });
    await waitForFirstBatch(home, running);
    const firstMessage = new Promise((resolve) => void running.child.stderr?.once('data', resolve));
    running.child.kill('SIGINT');
    await firstMessage;
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expireLeases(home);
    expect((await lociJson<IndexOutput>(['index'], { home })).vaults).toMatchObject([{ seen: NOTES }]);
  });

  it('continues while other processes search, index and write', async () => {
    const home = temporaryFolder();
    await lociJson(['config', 'init'], { home });
    const first = startLoci(['index', vault, '--json'], { home });
    const second = startLoci(['index', vault, '--json'], { home });
    await waitForFirstBatch(home, first);
    const [written, searched] = [
      startLoci(['write', 'Written meanwhile: pangolin', '--json'], { home }),
      startLoci(['search', 'oven', '--json'], { home }),
    ];
    for (const { ended } of [first, second, written, searched])
      expect(await ended).toMatchObject({ code: 0 });
    expect((JSON.parse((await searched.ended).stdout) as SearchOutput).results.length).toBeGreaterThan(0);
    const status = await lociJson<StatusOutput>(['status'], { home });
    expect(status.by_source).toEqual({ vault: NOTES, cli: 1 });
    expect(await loci(['doctor'], { home })).toMatchObject({ code: 0 });
  });
});

describe('a write', () => {
  it('that was confirmed is in the store after kill -9', async () => {
    const home = temporaryFolder();
    const { child, ended } = startLoci(['write', 'The safe opens with 31 turns', '--json'], { home });
    const output = await new Promise<string>((resolve) => {
      child.stdout?.once('data', (chunk: Buffer) => {
        child.kill('SIGKILL');
        resolve(chunk.toString());
      });
    });
    await ended;
    const { citation } = JSON.parse(output) as WriteOutput;
    expect((await loci(['get', citation, '--plain'], { home })).stdout).toBe(
      'The safe opens with 31 turns\n',
    );
  });
});
