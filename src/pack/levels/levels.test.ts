import { describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../tokens.ts';
import { sentenceSpans } from '../text/blocks.ts';
import { abstractOf, splitText, summaryOf } from './levels.ts';
import { bestSentence, excerptOf } from './excerpt.ts';

const textsOf = (
  text: string,
  spans: readonly { readonly start: number; readonly end: number }[],
): string[] => spans.map(({ start, end }) => text.slice(start, end));
const whole = (text: string) => ({ start: 0, end: text.length });

describe('sentences', () => {
  it.each([
    [
      'The oven is wide, e.g. 90 cm. Dr. Braun sold it! Why?',
      ['The oven is wide, e.g. 90 cm.', 'Dr. Braun sold it!', 'Why?'],
    ],
    [
      'Der Ofen kommt am 3. Mai. Das ist z. B. gut. Ende 2026. Neu',
      ['Der Ofen kommt am 3. Mai.', 'Das ist z. B. gut.', 'Ende 2026.', 'Neu'],
    ],
    ['我们买了烤箱。它很大！“好。”然后走了', ['我们买了烤箱。', '它很大！', '“好。”', '然后走了']],
    [
      'オーブンを買った。とても大きい？「はい。」終わり',
      ['オーブンを買った。', 'とても大きい？', '「はい。」', '終わり'],
    ],
  ])('of %j are found', (text, expected) => {
    expect(textsOf(text, sentenceSpans(text, whole(text)))).toEqual(expected);
  });

  it('that are too long are cut between words, and nothing but white space is lost', () => {
    const text = 'word '.repeat(400);
    const spans = sentenceSpans(text, whole(text));
    expect(spans.length).toBeGreaterThan(3);
    expect(textsOf(text, spans).join(' ')).toBe(text.trim());
  });
});

const NOTE = `---
title: Kitchen remodel
tags: [home]
---
# Kitchen remodel

The first line is an introduction. The kitchen remodel is a plan for the autumn. More words follow here.

## Oven

We decided to buy the wide oven. It needs a cable of its own.

- [ ] call the plumber about the gas line
- [x] measure the wall
- [-] sell the car
- [/] paint the fence

## Cables

The electrician comes on 2026-09-14 to lay the cable. The cable for the oven is thick. Cable prices for the oven and the kitchen rise.

\`\`\`js
const oven = 'code is not in a summary';
\`\`\`
`;

describe('L0', () => {
  it('is the sentence that says what the title is', () => {
    const split = splitText(NOTE);
    expect(textsOf(NOTE, [abstractOf(split, 'Kitchen remodel')!])).toEqual([
      'The kitchen remodel is a plan for the autumn.',
    ]);
    expect(textsOf(NOTE, [abstractOf(split, 'Something else')!])).toEqual([
      'The first line is an introduction.',
    ]);
  });

  it.each([
    ['description: "What it is"', 'What it is'],
    ['summary: plain words', 'plain words'],
    ['abstract: >\n  folded\n  lines\nother: 1', 'folded\n  lines'],
  ])('is what front matter says: %j', (line, expected) => {
    const text = `---\ntitle: T\n${line}\n---\nT is another thing.\n`;
    expect(textsOf(text, [abstractOf(splitText(text), 'T')!])).toEqual([expected]);
  });

  it('is missing for a text without a sentence', () => {
    expect(abstractOf(splitText(''), 'T')).toBeNull();
    expect(abstractOf(splitText('# Only a heading\n'), 'T')).toBeNull();
  });
});

describe('L1', () => {
  it('has the lead, the outline, decisions, open tasks and dates, in their order, each as it stands in the text', () => {
    // Among sentences that are more central, only these have a place of their own.
    const about = Array.from(
      { length: 40 },
      (_, i) => `The oven and the kitchen are room ${String(i)} of the oven.`,
    );
    const text = `${about.slice(0, 20).join(' ')}\n\n${NOTE}\n${about.slice(20).join(' ')}\n`;
    const parts = summaryOf(splitText(text));
    const shown = textsOf(text, parts);
    for (const sentence of [
      ...about.slice(0, 2),
      ...['- [ ] call the plumber about the gas line', '- [/] paint the fence'],
      'We decided to buy the wide oven.',
      ...['# Kitchen remodel', '## Oven', '## Cables'],
      'The electrician comes on 2026-09-14 to lay the cable.',
    ])
      expect(shown).toContain(sentence);
    expect(parts.map(({ start }) => start)).toEqual(
      parts.map(({ start }) => start).toSorted((a, b) => a - b),
    );
    expect(shown.join()).not.toContain('code is not');
  });

  it('is short, whatever the text', () => {
    const copies = Array.from({ length: 300 }, (_, i) => NOTE.replaceAll('. ', ` in room ${String(i)}. `));
    const long = copies.join('\n\n');
    const length = summaryOf(splitText(long)).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(length).toBeLessThanOrEqual(1200);
    expect(length).toBeGreaterThan(600);
  });

  it('of German, Chinese and Japanese texts knows decisions and dates', () => {
    const about = Array.from(
      { length: 40 },
      (_, i) => `Der Ofen und die Küche sind Raum ${String(i)} der Küche.`,
    );
    const wanted = [
      'Wir haben beschlossen, den Ofen zu kaufen.',
      '我们决定买烤箱。',
      'Er kommt am 3. Mai.',
      '9月14日到货。',
    ];
    const text = `${about.join(' ')} ${wanted[0]!} ${wanted[2]!}\n\n${wanted[1]!}${wanted[3]!}\n`;
    const shown = textsOf(text, summaryOf(splitText(text)));
    for (const sentence of wanted) expect(shown).toContain(sentence);
    expect(shown.length).toBeLessThan(about.length);
  });
});

it('no level has a sentence with a credential', () => {
  const text = 'Intro. The key is hunter2hunter2, we decided. Afterwards.';
  const start = text.indexOf('hunter2');
  const split = splitText(text, [{ start, end: start + 14 }]);
  expect(textsOf(text, summaryOf(split))).toEqual(['Intro.', 'Afterwards.']);
  expect(textsOf(text, [abstractOf(split, 'key')!])).toEqual(['Intro.']);
});

describe('L2', async () => {
  const count = await loadTokenCounter();
  const filler = Array.from(
    { length: 40 },
    (_, i) => `Sentence number ${String(i)} has nothing to say.`,
  ).join(' ');
  const text = `${filler} The oven needs 32 A. ${filler}`;
  const terms = new Map([
    ['oven', 0.7],
    ['sentenc', 0.3],
  ]);

  it('surrounds the sentence with the rarest words of the query, with 60 tokens or little more', () => {
    const best = bestSentence(text, whole(text), terms);
    expect(textsOf(text, [best])).toEqual(['The oven needs 32 A.']);
    const excerpt = excerptOf(text, whole(text), best, count, 60);
    const [shown = ''] = textsOf(text, [excerpt]);
    expect(shown).toContain('The oven needs 32 A.');
    expect(count(shown)).toBeGreaterThanOrEqual(60);
    expect(count(shown)).toBeLessThan(75);
    expect(text[excerpt.end]).toMatch(/\s/);
  });

  it('is the whole passage if that is short, and grows before the match at its end', () => {
    const short = 'The oven needs 32 A. And that is all.';
    expect(excerptOf(short, whole(short), { start: 0, end: 20 }, count, 60)).toEqual(whole(short));
    const atEnd = `${filler} The oven needs 32 A.`;
    const excerpt = excerptOf(atEnd, whole(atEnd), bestSentence(atEnd, whole(atEnd), terms), count, 60);
    expect(excerpt.end).toBe(atEnd.length);
    expect(count(atEnd.slice(excerpt.start))).toBeGreaterThanOrEqual(60);
  });

  it('cuts Chinese between characters', () => {
    const chinese = `${'我们在厨房里讨论了很多事情𠮷。'.repeat(30)}烤箱需要电。${'我们在厨房里讨论了很多事情𠮷。'.repeat(30)}`;
    const best = bestSentence(chinese, whole(chinese), new Map([['烤箱', 1]]));
    const [shown = ''] = textsOf(chinese, [excerptOf(chinese, whole(chinese), best, count, 60)]);
    expect(shown).toContain('烤箱需要电。');
    expect(shown.isWellFormed()).toBe(true);
    expect(count(shown)).toBeGreaterThanOrEqual(58);
  });
});
