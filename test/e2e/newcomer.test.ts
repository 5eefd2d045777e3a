import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { copyOfVault, loci, lociJson, temporaryFolder } from './loci-command.ts';
import { plainText } from '../../src/sources/markdown/plain-text.ts';

const NOTES = 60;

describe('a newcomer', () => {
  const home = join(temporaryFolder(), 'home');
  const vault = copyOfVault('notes');

  beforeAll(async () => {
    expect((await loci(['index', vault], { home })).code).toBe(0);
  });

  it('indexes a folder once, and later all of them without naming it', async () => {
    expect(readFileSync(join(home, 'loci.yaml'), 'utf8')).toContain(`path: ${vault}`);
    const unchanged = await lociJson<IndexOutput>(['index'], { home });
    expect(unchanged.vaults).toMatchObject([{ name: 'notes', path: vault, seen: NOTES, unchanged: NOTES }]);
    expect(unchanged.configured).toEqual([]);
    const named = await lociJson<IndexOutput>(['index', `${vault}/`], { home });
    expect(named.vaults).toMatchObject([{ name: 'notes', added: 0, unchanged: NOTES }]);
  });

  it('finds the intended note, with age, source, citation and reasons', async () => {
    const { code, stdout } = await loci(['search', "let's", 'talk', 'about', 'the', 'kitchen', 'remodel'], {
      home,
    });
    expect(code).toBe(0);
    const [title, citation, facts] = stdout.split('\n');
    expect(title).toMatch(/^1\. Kitchen remodel/);
    expect(citation).toMatch(/^ {3}Home\/Kitchen remodel\.md#L\d+-L\d+$/);
    expect(facts).toMatch(/^ {3}From vault notes · (in )?\d+\w+( ago)? · score 0\.\d\d · #home #kitchen/);
    expect(stdout).toMatch(/why: text #\d/);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('sees how a score was computed, in numbers that add up', async () => {
    const { results } = await lociJson<SearchOutput>(['search', 'kitchen remodel oven', '-e'], { home });
    expect(results.length).toBeGreaterThan(3);
    for (const { score, explanation } of results) {
      const { signals, boosts, neighbour_contribution, ranking, score: scoreParts } = explanation!;
      const added = [...signals, ...boosts].reduce((sum, part) => sum + part.added, neighbour_contribution);
      expect(added).toBeCloseTo(ranking, 3);
      const logOdds = scoreParts.parts.reduce((sum, part) => sum + part.added, scoreParts.typical);
      expect(logOdds).toBeCloseTo(scoreParts.log_odds, 3);
      expect(scoreParts.factor / (1 + Math.exp(-logOdds))).toBeCloseTo(score, 3);
    }
    expect(results[0]!.explanation).toMatchObject({
      neighbour_contribution: 0,
      score: { factor: 1, coverage: 1 },
    });
    const { stdout } = await loci(['search', 'kitchen remodel oven', '-e', '-n', '1'], { home });
    expect(stdout).toMatch(/ {3}score: log odds \+\d\.\d\d = typical \+1\.\d\d, match /);
  });

  it('reads the text of a citation, with line numbers or plain', async () => {
    const { results } = await lociJson<SearchOutput>(['search', 'induction oven decided', '-n', '1'], {
      home,
    });
    const { citation, snippet } = results[0]!;
    const note = await lociJson<GetOutput>(['get', citation], { home });
    expect(note.citation).toBe(citation);
    expect(citation.endsWith(`#L${String(note.lines.from)}-L${String(note.lines.to)}`)).toBe(true);
    const words = snippet.replaceAll('…', '').trim();
    expect(plainText(note.text)).toContain(words);

    const numbered = (await loci(['get', citation], { home })).stdout.split('\n');
    expect(numbered).toContainEqual(expect.stringMatching(/^links: .*Induction or gas/));
    const first = note.text.split('\n')[0]!;
    expect(numbered).toContain(`${String(note.lines.from)} │ ${first}`.trimEnd());
    expect((await loci(['get', ...citation.split(' '), '--plain'], { home })).stdout).toBe(`${note.text}\n`);
  });

  it('sees the content of the store, and that the store has no faults', async () => {
    const status = await lociJson<StatusOutput>(['status'], { home });
    expect(status).toMatchObject({ home, namespace: 'default', vaults: [{ name: 'notes', records: NOTES }] });
    const before = await lociJson<SearchOutput>(['search', 'stale feed'], { home });
    expect((await loci(['doctor', 'reindex'], { home })).stdout).toMatch(
      /^Rebuilt \d+ records, embedded 0 texts/,
    );
    const after = await lociJson<SearchOutput>(['search', 'stale feed'], { home });
    // The age may change while the test runs.
    const withoutAge = ({ results }: SearchOutput): unknown[] => results.map(({ age: _, ...rest }) => rest);
    expect(withoutAge(after)).toEqual(withoutAge(before));
    const { code, stdout } = await loci(['doctor'], { home });
    expect(stdout).toMatch(
      /notes of notes +1 read despite a fault\n +Home\/Attic boxes\.md: read with a part of its front matter.*; lines 3, 4 of the file: /,
    );
    expect(stdout).toMatch(/No problems found \(1 warning\)\.\n$/);
    expect(code).toBe(0);
  });
});
