import { describe, expect, it } from 'vitest';
import { draft } from '../../test/contract/store-samples.ts';
import { sha256 } from '../core/ids.ts';
import {
  type Chunk,
  chunk,
  chunking,
  embeddingHash,
  embeddingText,
  estimateModelTokens,
  makePassages,
  samePassages,
} from './passages.ts';

const CHUNKING = chunking('estimate', { maxTokens: 40, countTokens: estimateModelTokens });

describe('embeddingText', () => {
  it('contains title, headings and speaker, each once, before the text', () => {
    const note = { title: 'Oven', metadata: {} };
    const passage = { headings: ['Oven', 'Cleaning'], text: 'Vinegar.', context: null };
    expect(embeddingText(note, passage)).toBe('Oven\nCleaning\nVinegar.');
    const turn = { title: '', metadata: { speaker: 'Ada', date: '2026-01-01' } };
    const turnPassage = { headings: [], text: 'Vinegar.', context: null };
    expect(embeddingText(turn, turnPassage)).toBe('Ada: Vinegar.');
    expect(embeddingText({ title: 'Vinegar.', metadata: {} }, turnPassage)).toBe('Vinegar.\nVinegar.');
  });

  it('ends with the context of the passage', () => {
    const passage = { headings: [], text: 'Vinegar.', context: 'Kitchen · Home' };
    expect(embeddingText({ title: 'Oven', metadata: {} }, passage)).toBe('Oven\nVinegar.\nKitchen · Home');
  });

  it('has a unique hash: 16 bytes of SHA-256', () => {
    const note = { title: 'Oven', metadata: {} };
    const passage = { headings: [], text: 'Vinegar.', context: null };
    expect(embeddingHash(note, passage)).toBe(sha256('Oven\nVinegar.').slice(0, 32));
    expect(embeddingHash({ ...note, title: 'Fridge' }, passage)).not.toBe(embeddingHash(note, passage));
  });
});

describe('makePassages', () => {
  it('numbers the passages of a text, and hashes the embedded text of each', () => {
    const record = draft({ title: 'Oven', content: `# One\n\n${'word '.repeat(30)}\n\n# Two\n\nend` });
    const passages = makePassages(record, CHUNKING);
    expect(passages.map(({ ordinal, headings }) => [ordinal, headings])).toEqual([
      [0, ['One']],
      [1, ['Two']],
    ]);
    for (const passage of passages) expect(passage.hash).toBe(embeddingHash(record, passage));
  });

  it('returns one empty passage for a note without text, so that its title is found', () => {
    const record = draft({ title: 'Oven' });
    const hash = embeddingHash(record, { headings: [], text: '', context: null });
    expect(makePassages(record, CHUNKING)).toEqual([
      { ordinal: 0, headings: [], text: '', context: null, startLine: 1, endLine: 1, hash },
    ]);
  });

  it('puts properties of a source document that its text does not contain into the context of its last passage', () => {
    const contexts = (overrides: Parameters<typeof draft>[0]): (string | null)[] =>
      makePassages(draft(overrides), CHUNKING).map(({ context }) => context);
    const todo = {
      origin: 'source' as const,
      project: 'Renovation',
      title: 'Clear the hall',
      tags: ['Kitchen', 'hall', 'Clear the hall', '2026'],
      content: `Clear the hall\n\n${'word '.repeat(35)}`,
      metadata: {
        list: 'Kitchen',
        place: 'Lidingö',
        url: 'x-todo-list',
        link: 'https://example.org/',
        mail: 'ada@example.org',
        notes: 'long '.repeat(20),
        completed: true,
      },
    };
    expect(contexts(todo)).toEqual([null, 'Renovation · Kitchen · Lidingö']);
    expect(contexts({ ...todo, project: 'default', tags: [], metadata: {} })).toEqual([null, null]);
    expect(contexts({ ...todo, origin: 'vault' })).toEqual([null, null]);
  });
});

describe('samePassages', () => {
  it('compares the context of documents of sources', () => {
    const [note, todo] = [draft({ tags: ['a tag'] }), draft({ origin: 'source', tags: ['a tag'] })];
    expect(samePassages(note, { ...note, tags: ['other'], project: 'other' })).toBe(true);
    expect(samePassages(todo, { ...todo, metadata: { number: 1 } })).toBe(true);
    expect(samePassages(todo, { ...todo, tags: ['other'] })).toBe(false);
    expect(samePassages(todo, { ...todo, project: 'other' })).toBe(false);
  });
});

describe('chunking', () => {
  it('has a signature that depends on the counter and the limit', () => {
    const options = { maxTokens: 40, countTokens: estimateModelTokens };
    const signatures = [
      chunking('estimate', options),
      chunking('model', options),
      chunking('estimate', { ...options, maxTokens: 41 }),
    ].map(({ signature }) => signature);
    expect(new Set(signatures).size).toBe(3);
    expect(chunking('estimate', options).signature).toBe(signatures[0]);
  });
});

describe('estimateTokens', () => {
  it.each([
    ['', 0],
    ['oven', 1],
    ['ovens', 2],
    ['厨房', 2],
    ['厨房 oven', 4],
    ['냉장고', 3],
  ])('counts "%s" as %d', (text, tokens) => {
    expect(estimateModelTokens(text)).toBe(tokens);
  });
});

function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Counts like a WordPiece tokenizer: two special tokens, words in pieces of six letters, and other characters one by one. */
function wordPieces(text: string): number {
  return 2 + (text.match(/\p{L}{1,6}|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu)?.length ?? 0);
}

function codePoints(text: string): number {
  return [...text].length;
}

function cut(content: string, maxTokens = 40, countTokens = words): Chunk[] {
  return chunk(content, { maxTokens, countTokens });
}

function texts(content: string, maxTokens?: number, countTokens?: (text: string) => number): string[] {
  return cut(content, maxTokens, countTokens).map((passage) => passage.text);
}

/** A sentence of `count` words. */
function sentence(word: string, count: number): string {
  return `${Array.from({ length: count - 1 }, (_, index) => `${word}${index}`).join(' ')} end.`;
}

describe('chunk', () => {
  it('returns no passages for an empty text', () => {
    for (const content of [
      '',
      ' \n\t\n',
      '---\ntitle: only this\n---\n',
      '%%\nhidden\n%%',
      '<!-- hidden -->',
    ]) {
      expect(cut(content)).toEqual([]);
    }
  });

  it('returns plain text unchanged', () => {
    expect(cut('\n\n  The oven is booked for May. \n')).toEqual([
      { headings: [], text: '  The oven is booked for May.', startLine: 3, endLine: 3 },
    ]);
  });

  it('starts a passage at each heading and returns the path of its headings', () => {
    const [kitchen, oven, garden] = [sentence('kitchen', 30), sentence('oven', 30), sentence('garden', 30)];
    const first = `# House\n\n## The **Kitchen**\n\n${kitchen}`;
    const second = `### [[Oven|The \`oven\`]] #\n\n${oven}`;
    const third = `Garden\n------\n\n${garden}`;
    expect(cut(`${first}\n\n${second}\n\n${third}\n`)).toEqual([
      { headings: ['House', 'The Kitchen'], text: first, startLine: 1, endLine: 5 },
      { headings: ['House', 'The Kitchen', 'The `oven`'], text: second, startLine: 7, endLine: 9 },
      { headings: ['House', 'Garden'], text: third, startLine: 11, endLine: 14 },
    ]);
  });

  it('counts the lines of the front matter, whose text is in no passage', () => {
    const [passage] = cut('---\ntitle: Oven\ntags: [kitchen]\n---\n\nBooked.\n');
    expect(passage).toEqual({ headings: [], text: 'Booked.', startLine: 6, endLine: 6 });
  });

  it('treats text between two thematic breaks as text', () => {
    expect(texts('---\nHello there\n---\nand more')).toEqual(['---\nHello there\n---\nand more']);
    expect(texts('---\ntitle: never closed\n\ntext')).toEqual(['---\ntitle: never closed\n\ntext']);
  });

  it('packs small sections with the same parent into one passage', () => {
    expect(cut('# A\n\n## B\n\none\n\n## C\n\ntwo')).toEqual([
      { headings: ['A', 'B'], text: '# A\n\n## B\n\none\n\n## C\n\ntwo', startLine: 1, endLine: 9 },
    ]);
  });

  it('does not pack sections of different branches, nor a small section with a large one', () => {
    const branches = ['# A\n\n## B\n\none', '# C\n\ntwo'];
    expect(texts(branches.join('\n\n'))).toEqual(branches);
    const sizes = ['## B\n\none', `## C\n\n${sentence('two', 25)}`, '## D\n\nthree'];
    expect(texts(sizes.join('\n\n'))).toEqual(sizes);
  });

  it('keeps a heading with the text below it', () => {
    const title = `# Title\n\n${sentence('intro', 20)}`;
    const body = `## Sub\n\n### Deeper\n\n${sentence('body', 38)}`;
    const passages = cut(`${title}\n\n${body}`);
    expect(passages[0]!.text).toBe(title);
    expect(passages[1]!.text.startsWith('## Sub\n\n### Deeper\n\nbody0')).toBe(true);
    expect(passages.slice(1).every(({ headings }) => headings.join('/') === 'Title/Sub/Deeper')).toBe(true);
  });

  it('finds no heading in code, in quotes and in several lines above dashes', () => {
    const content = '```\n# not a title\n```\n\n> # nor this\n\nfirst line\nsecond line\n---\n\nrest';
    expect(cut(content).map(({ headings }) => headings)).toEqual([[]]);
  });

  it('omits comments on whole lines, and only those', () => {
    expect(texts('before\n\n%% one\n\n# two %%\nafter\n\n<!--\nthree\n-->\n\nlast')).toEqual([
      'before',
      'after',
      'last',
    ]);
    const content =
      'text %% inline %% text\n\n%% a %% and text\n\n`%%`\n\n```\n%%\ncode\n%%\n```\n\n%% never closed\n\nend';
    expect(texts(content)).toEqual([content]);
  });
});

describe('chunk, blocks that are too long', () => {
  it('cuts lists between items, and a long item between its nested items', () => {
    const item = (name: string): string => `- ${sentence(name, 14)}`;
    const nested = `- ${sentence('parent', 10)}\n${[1, 2, 3].map((n) => `  ${item(`child${n}x`)}`).join('\n')}`;
    const passages = texts([item('one'), item('two'), nested, item('last')].join('\n'));
    expect(passages.every((text) => text.trimStart().startsWith('- '))).toBe(true);
    expect(passages.every((text) => text.endsWith('end.'))).toBe(true);
    expect(passages.length).toBe(4);
  });

  it('keeps a code fence whole if it fits, and otherwise cuts it at line ends', () => {
    const fence = (lines: number): string =>
      `\`\`\`js\n${Array.from({ length: lines }, (_, n) => `  call(${n});`).join('\n\n')}\n\`\`\``;
    const before = sentence('text', 15);
    expect(texts(`# Code\n\n${before}\n\n${fence(35)}\n\nafter`)).toEqual([
      `# Code\n\n${before}`,
      `${fence(35)}\n\nafter`,
    ]);
    const passages = texts(fence(100));
    expect(passages.length).toBe(3);
    expect(passages.every((text) => /^(```js\n|  call)/.test(text) && /(;|```)$/.test(text))).toBe(true);
  });

  it('cuts tables between rows', () => {
    const rows = Array.from({ length: 30 }, (_, n) => `| row ${n} | a cell |`);
    const passages = texts(`| h | i |\n|---|---|\n${rows.join('\n')}`);
    expect(passages.length).toBeGreaterThan(3);
    expect(passages.every((text) => text.startsWith('|') && text.endsWith('|'))).toBe(true);
  });

  it('cuts prose between sentences', () => {
    const passages = texts(Array.from({ length: 12 }, (_, n) => sentence(`s${n}w`, 11)).join(' '));
    expect(passages.length).toBe(4);
    expect(passages.every((text) => /^s\d+w0 /.test(text) && text.endsWith('end.'))).toBe(true);
  });

  it('cuts Chinese and Japanese between sentences, at pauses, and never inside a character', () => {
    const zh = Array.from({ length: 30 }, (_, n) => `厨房改造的第${n}个决定是换烤箱。`).join('');
    expect(texts(zh, 60, codePoints).every((text) => text.endsWith('。') && text.length > 30)).toBe(true);
    const quoted = '「冷蔵庫を買いました。」'.repeat(20);
    expect(texts(quoted, 60, codePoints).every((text) => text.startsWith('「') && text.endsWith('」'))).toBe(
      true,
    );
    const pauses = '厨房改造，换烤箱，'.repeat(40);
    expect(texts(pauses, 60, codePoints).every((text) => text.endsWith('，'))).toBe(true);
    expect(texts('𠮷'.repeat(100), 7, codePoints).every((text) => /^𠮷+$/u.test(text))).toBe(true);
  });

  it('cuts between words if there is no sentence, and within a word only if the word alone is too long', () => {
    const passages = texts('lorem '.repeat(500), 40, wordPieces);
    expect(new Set(passages.flatMap((text) => text.split(' ')))).toEqual(new Set(['lorem']));
    const pieces = texts('x'.repeat(1000), 40, wordPieces);
    expect([pieces.join('').length, pieces.length]).toEqual([1000, 5]);
  });

  it('limits the length of a passage in characters too, even if the counter counts a long word as one token', () => {
    expect(Math.max(...texts('x'.repeat(100_000), 64, words).map((text) => text.length))).toBe(1024);
  });
});
