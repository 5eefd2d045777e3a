import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll, settings } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { openEngine } from '../open.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import type { SearchResultOutput } from './results/search-fields.ts';
import { search } from './search.ts';

const FILLER = 'The walls were painted white in spring, and the floor was laid by two friends. '.repeat(9);
const NOTES = {
  'Deadlock.md':
    `# Deadlock\n\n${FILLER}\n\n## Meaning\n\n> [!note] In short\n> A **deadlock** is a [[Wait|mutual wait]] of two threads for the same locks.\n\n` +
    `## History\n\n${FILLER}\n\n## References\n\n- [[Deadlock theory]]\n- [[Locks and threads]]\n`,
  'Parcel.md': `# Parcel\n\nThe parcel is blue.\n\n## Address\n\nIt goes to Hull.\n`,
  'Stub.md': '# Stub\n',
  'Hub.md': '---\nowner: Zoltan\n---\n\n- [[Deadlock]]\n- [[Parcel|the blue parcel]]\n',
};

let loci: EngineContext;
const folder = folderForAll();
beforeAll(async () => {
  const vault = { name: 'notes', path: join(folder.path, 'vault') };
  await mkdir(vault.path);
  for (const [name, text] of Object.entries(NOTES)) await writeFile(join(vault.path, name), text);
  loci = await openEngine(settings(folder.path, { vaults: [vault] }), { inlineStore: true });
  await indexVaults(loci);
});
afterAll(() => loci.close());

async function found(query: string, title: string): Promise<SearchResultOutput> {
  const { results } = await search(loci, { query, min_score: 0 });
  return results.find((each) => each.title === title)!;
}

const linesOf = (note: keyof typeof NOTES, citation: string): string => {
  const [, first, last] = /#L(\d+)-L(\d+)$/.exec(citation)!;
  return NOTES[note]
    .split('\n')
    .slice(Number(first) - 1, Number(last))
    .join('\n');
};

describe('a result shows', () => {
  it('the passage that has the words of the query, as text, and cites its lines', async () => {
    const { citation, snippet, highlights } = await found('deadlock threads locks', 'Deadlock');
    expect(snippet).toBe('In short\nA deadlock is a mutual wait of two threads for the same locks.');
    expect(highlights.map(([start, end]) => snippet.slice(start, end))).toEqual([
      'deadlock',
      'threads',
      'locks',
    ]);
    expect(linesOf('Deadlock.md', citation)).toContain('mutual wait');
  });

  it('the second best passage, beyond the lines of the first, without links alone', async () => {
    const { citation, snippet, second } = await found('deadlock threads walls', 'Deadlock');
    const lines = [citation, second!.citation].map((each) => linesOf('Deadlock.md', each));
    expect(lines[0]).not.toContain(lines[1]);
    expect(lines.join('\n')).toContain('walls');
    expect(snippet + second!.text).not.toContain('Deadlock theory');
    expect(second!.text.length).toBeLessThanOrEqual(75);
  });

  it('the lines around a short passage too, up to 900 characters', async () => {
    const short = await found('where does the parcel go', 'Parcel');
    expect(linesOf('Parcel.md', short.citation)).toBe(NOTES['Parcel.md'].trim());
    expect(short.second).toBeUndefined();
    const long = await found('deadlock threads locks', 'Deadlock');
    expect(linesOf('Deadlock.md', long.citation).length).toBeLessThanOrEqual(910);
  });

  it('the passage with the phrase that the query requires', async () => {
    const { citation } = await found('"by two friends"', 'Deadlock');
    expect(linesOf('Deadlock.md', citation)).toContain('by two friends');
  });
});
