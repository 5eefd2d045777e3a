import type { WeightedWords } from './passage-table.ts';
import type { PoolGroup } from './pool-tables.ts';

/** Words whose frequencies are counted. The others of a longer query are one part of it. */
const MAX_COUNTED = 16;

/**
 * The parts of a query for each group of pools. A table scores words by how rare they are in it, so that scores of several tables cannot
 * be compared: the boosts make them what they would be if one table had the notes of all groups.
 */
export async function weightedWords(groups: readonly PoolGroup[], words: string): Promise<WeightedWords[][]> {
  if (words === '') return groups.map(() => []);
  if (groups.length === 1) return [[{ text: words, boost: 1 }]];
  const parts = partsOf(words);
  const counted = await Promise.all(
    groups.map(async ({ table }) => {
      const passages = await table.count();
      return {
        passages,
        matches: await Promise.all(parts.map((part) => table.countMatches(part, passages))),
      };
    }),
  );
  const passages = sum(counted.map((own) => own.passages));
  const frequencies = parts.map((_, i) => sum(counted.map((own) => own.matches[i]!)));
  return counted.map((own) =>
    parts.flatMap((text, i) => {
      const frequency = own.matches[i]!;
      if (frequency === 0) return [];
      return [{ text, boost: idf(frequencies[i]!, passages) / idf(frequency, own.passages) }];
    }),
  );
}

function partsOf(words: string): string[] {
  const different = new Map(words.split(/\s+/).map((word) => [word.toLowerCase(), word]));
  const all = [...different.values()];
  const rest = all.slice(MAX_COUNTED).join(' ');
  return [...all.slice(0, MAX_COUNTED), ...(rest === '' ? [] : [rest])];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** As LanceDB computes it. */
function idf(frequency: number, passages: number): number {
  return Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));
}
