import { expect, it } from 'vitest';
import { packRequest, sampleCandidate } from '../../test/contract/receipts.ts';
import type { Candidate } from './candidate.ts';
import { buildPack } from './pack.ts';

const KEY = 'ghp_0123456789abcdefghij';

function candidateOf(content: string, startLine = 1): Candidate {
  return sampleCandidate(
    1,
    { origin: 'vault', trust: 'operator', title: 'Plan', content, key: 'Plan.md' },
    {
      passage: { ordinal: 0, text: '', startLine, endLine: startLine },
      ...{ score: 0.9, relevance: 1, citation: 'Plan.md' },
    },
  );
}

/** A pack in which the key is a credential wherever it is looked for. */
async function pack(content: string, budget: number, startLine = 1): Promise<string> {
  const candidate = candidateOf(content, startLine);
  const request = await packRequest(['oven'], [candidate], budget);
  const { text } = await buildPack({
    ...request,
    findCredentials: (_, spans) =>
      Promise.resolve({
        secrets: spans
          .flatMap(({ start, end }) => {
            const at = content.slice(start, end).indexOf(KEY);
            return at < 0 ? [] : [{ start: start + at, end: start + at + KEY.length }];
          })
          .toSorted((a, b) => a.start - b.start)
          .filter(({ start }, i, all) => i === 0 || all[i - 1]!.start !== start),
        inTitle: false,
      }),
  });
  return text;
}

const sentence = 'The wall is painted white, and so is the ceiling above it. ';

it('a credential in a heading far above a section, or in the head of a table, is masked', async () => {
  const rows = Array.from({ length: 90 }, (_, i) => `| ${String(i)} | ${sentence}|`);
  const table = `| ${KEY} | what |\n|---|---|\n${[...rows.slice(0, 80), '| x | The oven is here. |'].join('\n')}`;
  const paragraphs = Array.from({ length: 40 }, () => sentence.repeat(10)).join('\n\n');
  for (const content of [
    `# Top\n\n## Part ${KEY}\n\n${paragraphs}\n\nThe oven is here.\n`,
    `# Top\n\n${table}\n`,
  ]) {
    const text = await pack(content, 700);
    expect(text).toContain('The oven is here.');
    expect(text).toContain('[secret masked]');
    expect(text).not.toContain(KEY.slice(0, 12));
  }
});

it('a credential in an excerpt of a section that is too long for the budget is masked', async () => {
  const text = await pack(
    `${sentence.repeat(8)}The oven has the key ${KEY} inside. ${sentence.repeat(8)}\n`,
    140,
  );
  expect(text).toContain('The oven has the key [secret masked] inside.');
});

it('a record of millions of characters is judged around the passage that was found', async () => {
  const lines = Array.from({ length: 60_000 }, () => sentence);
  lines[45_000] = 'The oven stands in the hall.\n\n';
  const text = await pack(`# Log\n\n${lines.join('\n')}\n`, 500, 45_003);
  expect(text).toContain('The oven stands in the hall.');
  expect(text).toMatch(/^◆ Plan\.md#L4\d\d\d\d-L4\d\d\d\d/m);
});

it('a sentence that is longer than the budget is cut, in any language', async () => {
  for (const [unit, word] of [
    ['The oven is in the hall and ', 'oven'],
    ['烤箱在大厅里', '烤箱'],
  ] as const) {
    const content = unit.repeat(150);
    const request = await packRequest([word], [candidateOf(content)], 200);
    const { text, tokens } = await buildPack(request);
    expect(text).toContain(unit.trim());
    expect(tokens).toBeLessThanOrEqual(200);
  }
});

it('a record whose title is a credential is followed by the next one, also in an excerpt', async () => {
  const long = `${'The oven hums and '.repeat(60)}.`;
  const [first, second] = [candidateOf(long), candidateOf(`${long} It is green.`)];
  const other = {
    ...second,
    relevance: 0.9,
    record: { ...second.record, id: 2, uuid: first.record.uuid.replace(/1$/, '2') },
  };
  const request = await packRequest(['oven'], [first, other], 150);
  const { receipt } = await buildPack({
    ...request,
    findCredentials: ({ id }) => Promise.resolve({ secrets: [], inTitle: id === 1 }),
  });
  expect(receipt.candidates.map(({ included, reason }) => [included, reason])).toEqual([
    [false, 'secret'],
    [true, null],
  ]);
});

it('takes linear time for embeds, headings and lines of any number and length', async () => {
  const times: number[] = [];
  for (const size of [1, 8]) {
    const target = Array.from(
      { length: 2000 * size },
      (_, i) => `## H${String(i)}\n\nText ${String(i)}. ^b${String(i)}\n`,
    ).join('\n');
    const host = `The oven.\n\n${Array.from({ length: 50 }, (_, i) => `![[T#^b${String(i)}]]`).join(' ')}${' x'.repeat(20_000 * size)}\n`;
    const [first, second] = [candidateOf(host), candidateOf(target)];
    const other = {
      ...second,
      relevance: 0,
      record: { ...second.record, id: 2, uuid: first.record.uuid.replace(/1$/, '2') },
    };
    const request = await packRequest(['oven'], [first, other], 4000);
    const embeds = Array.from({ length: 50 }, (_, i) => ({
      host: 1,
      offset: 12 + i,
      record: 2,
      block: `b${String(i)}`,
    }));
    const before = process.threadCpuUsage();
    await buildPack({ ...request, embeds });
    // The system divides the sum into user and system time by samples, so that either may be zero.
    const { user, system } = process.threadCpuUsage(before);
    times.push(user + system);
  }
  // Quadratic time would be 64 times as much.
  expect(times[1]! / Math.max(times[0]!, 5000)).toBeLessThan(30);
});
