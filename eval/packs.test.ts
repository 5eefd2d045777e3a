import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultConfiguration } from './configuration.ts';
import { evaluateSet } from './evaluate.ts';
import { openModel } from './model.ts';
import { setReport } from './set-report.ts';
import { loadSet } from './sets.ts';

const CONFIGURATION = { ...defaultConfiguration(), provider: 'none', minScore: 0 };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-eval-packs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** About 900 tokens, with the sentence in their middle. */
function longText(name: string, sentence: string): string {
  const filler = Array.from(
    { length: 40 },
    (_, i) => `Wall ${String(i)} of the ${name} is painted white.`,
  ).join(' ');
  return `${filler} ${sentence} ${filler}`;
}

it('recall at budget counts documents by their best passage: sections hold it where full texts are too long', async () => {
  const names = ['cellar', 'attic', 'garage'];
  const docs = names.map((name) => ({
    id: name,
    text: longText(name, `Here is the zeppelin in the ${name}.`),
  }));
  const queries = [{ id: 'q', q: 'zeppelin', gold: names, cat: 'all' }];
  const file = join(folder, 'set.json');
  writeFileSync(file, JSON.stringify({ name: 'long', collections: [{ id: 'one', docs, queries }] }));
  const options = { baselines: false, ablate: false, partly: false, typos: false, packs: true };
  const model = await openModel(CONFIGURATION);
  const result = await evaluateSet(loadSet(file), CONFIGURATION, model, {
    ...options,
    folder: join(folder, 'cache'),
  });
  const recalls = result.packs!;
  expect(recalls['pack']).toEqual({ 500: 1 / 3, 1000: 2 / 3, 2000: 1, 4000: 1 });
  for (const rival of ['full texts', 'files']) {
    const values = recalls[rival]!;
    // The first text is longer than 500 tokens before its sentence is over, or little shorter; the third ends before 4,000.
    expect(values['500']).toBeLessThan(0.5);
    expect(values['1000']).toBeCloseTo(1 / 3);
    expect(values['4000']).toBe(1);
  }
  expect(setReport(result).join('\n')).toMatch(/recall at tokens +500 +1000 +2000 +4000\n +pack +33\.3/);
});
