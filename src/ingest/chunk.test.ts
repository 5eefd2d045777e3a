import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk } from './chunk.ts';
import { chunk } from './chunk.ts';

function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Like a word-piece tokenizer: two special tokens, words in pieces of six letters, every mark by itself. */
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

function visible(text: string): string {
  return text.replace(/\s+/g, '');
}

/** A sentence of `count` words. */
function sentence(word: string, count: number): string {
  return `${Array.from({ length: count - 1 }, (_, index) => `${word}${index}`).join(' ')} end.`;
}

describe('chunk', () => {
  it('gives nothing for nothing', () => {
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

  it('takes plain text as it stands', () => {
    expect(cut('\n\n  The oven is booked for May. \n')).toEqual([
      { headings: [], text: '  The oven is booked for May.', startLine: 3, endLine: 3 },
    ]);
  });

  it('starts a passage at each heading and carries the path of titles', () => {
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

  it('takes text between two thematic breaks for text', () => {
    expect(texts('---\nHello there\n---\nand more')).toEqual(['---\nHello there\n---\nand more']);
    expect(texts('---\ntitle: never closed\n\ntext')).toEqual(['---\ntitle: never closed\n\ntext']);
  });

  it('packs small sections below one parent', () => {
    expect(cut('# A\n\n## B\n\none\n\n## C\n\ntwo')).toEqual([
      { headings: ['A', 'B'], text: '# A\n\n## B\n\none\n\n## C\n\ntwo', startLine: 1, endLine: 9 },
    ]);
  });

  it('does not pack what belongs to another branch, nor a small section with a large one', () => {
    const branches = ['# A\n\n## B\n\none', '# C\n\ntwo'];
    expect(texts(branches.join('\n\n'))).toEqual(branches);
    const sizes = ['## B\n\none', `## C\n\n${sentence('two', 25)}`, '## D\n\nthree'];
    expect(texts(sizes.join('\n\n'))).toEqual(sizes);
  });

  it('keeps a heading with what follows it', () => {
    const title = `# Title\n\n${sentence('intro', 20)}`;
    const body = `## Sub\n\n### Deeper\n\n${sentence('body', 38)}`;
    const passages = cut(`${title}\n\n${body}`);
    expect(passages[0]!.text).toBe(title);
    expect(passages[1]!.text.startsWith('## Sub\n\n### Deeper\n\nbody0')).toBe(true);
    expect(passages.slice(1).every(({ headings }) => headings.join('/') === 'Title/Sub/Deeper')).toBe(true);
  });

  it('knows no heading inside code, quotes and dashed text', () => {
    const content = '```\n# not a title\n```\n\n> # nor this\n\nfirst line\nsecond line\n---\n\nrest';
    expect(cut(content).map(({ headings }) => headings)).toEqual([[]]);
  });

  it('leaves out comments that take whole lines, and only those', () => {
    expect(texts('before\n\n%% one\n\n# two %%\nafter\n\n<!--\nthree\n-->\n\nlast')).toEqual([
      'before',
      'after',
      'last',
    ]);
    const kept =
      'text %% inline %% text\n\n%% a %% and text\n\n`%%`\n\n```\n%%\ncode\n%%\n```\n\n%% never closed\n\nend';
    expect(texts(kept)).toEqual([kept]);
  });
});

describe('chunk, blocks that are too long', () => {
  it('cuts lists between items, and an item between its own items', () => {
    const item = (name: string): string => `- ${sentence(name, 14)}`;
    const nested = `- ${sentence('parent', 10)}\n${[1, 2, 3].map((n) => `  ${item(`child${n}x`)}`).join('\n')}`;
    const passages = texts([item('one'), item('two'), nested, item('last')].join('\n'));
    expect(passages.every((text) => text.trimStart().startsWith('- '))).toBe(true);
    expect(passages.every((text) => text.endsWith('end.'))).toBe(true);
    expect(passages.length).toBe(4);
  });

  it('leaves a code fence whole where it fits, and cuts it at line ends where not', () => {
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

  it('cuts between words where there is no sentence, and within a word only where it alone is too long', () => {
    const passages = texts('lorem '.repeat(500), 40, wordPieces);
    expect(new Set(passages.flatMap((text) => text.split(' ')))).toEqual(new Set(['lorem']));
    const pieces = texts('x'.repeat(1000), 40, wordPieces);
    expect([pieces.join('').length, pieces.length]).toEqual([1000, 5]);
  });

  it('bounds a passage by its length too, whatever the counter thinks of an endless word', () => {
    expect(Math.max(...texts('x'.repeat(100_000), 64, words).map((text) => text.length))).toBe(1024);
  });
});

describe('chunk, for every text', () => {
  const counters = [words, wordPieces, codePoints];
  const fragment = fc.oneof(
    fc.constantFrom(
      ...[
        '# ',
        '## ',
        '###### ',
        '\n',
        '\n\n',
        '- ',
        '  - ',
        '1. ',
        '> ',
        '```\n',
        '~~~\n',
        '---\n',
        '===\n',
        '| a | b |\n',
      ],
      ...[
        '|-|-|\n',
        '    ',
        '\t',
        '\r\n',
        '\r',
        '[[',
        ']]',
        '![[',
        '[a]: b\n',
        '<div>\n',
        '\\',
        '*',
        '`',
        '。',
        '！',
        '. ',
      ],
      ...[
        '\0',
        '\uFEFF',
        '\u2028',
        '\u00A0',
        '\uD83D',
        '\uDE00',
        '😀',
        '👩‍👩‍👧',
        'é',
        '漢字',
        'end.',
        'a word ',
        '^id\n',
        '<!-- x',
        '%% y',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.lorem({ maxCount: 30 }),
  );
  // Nothing closes a comment and nothing opens front matter, so that every visible character must be found again.
  const content = fc.array(fragment, { maxLength: 60 }).map(
    (parts) =>
      `\n${parts
        .join('')
        .replaceAll('-->', '')
        .replace(/%%([^]*)%%/g, '%%$1')}`,
  );
  const options = fc.record({
    maxTokens: fc.integer({ min: 3, max: 60 }),
    countTokens: fc.constantFrom(...counters),
  });

  it('holds every visible character exactly once and in order, within the limit, on the lines it names', () => {
    fc.assert(
      fc.property(content, options, (text, { maxTokens, countTokens }) => {
        const passages = chunk(text, { maxTokens, countTokens });
        expect(visible(passages.map((passage) => passage.text).join(''))).toBe(visible(text));
        const lines = text.split('\n');
        let from = 0;
        for (const passage of passages) {
          expect(countTokens(passage.text)).toBeLessThanOrEqual(maxTokens);
          expect(visible(passage.text)).not.toBe('');
          const start = text.indexOf(passage.text, from);
          expect(start).toBeGreaterThanOrEqual(from);
          from = start + passage.text.length;
          const named = lines.slice(passage.startLine - 1, passage.endLine).join('\n');
          expect(named).toContain(passage.text);
          expect(passage.text.split('\n').length).toBe(passage.endLine - passage.startLine + 1);
        }
        expect(chunk(text, { maxTokens, countTokens })).toEqual(passages);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves out exactly front matter and whole-line comments', () => {
    const part = fc.constantFrom(
      'para one',
      '# Title',
      '- item\n- item',
      '```\ncode %%\n```',
      '%%\nHID\n\nDEN\n%%',
      '<!-- HID\nDEN -->',
      '%% HIDDEN %%',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), options, (parts, { maxTokens, countTokens }) => {
        const text = `---\nkey: HIDDEN\n---\n${parts.join('\n\n')}`;
        const shown = parts.filter((name) => !name.includes('HID')).join('');
        const passages = chunk(text, { maxTokens, countTokens });
        expect(visible(passages.map((passage) => passage.text).join(''))).toBe(visible(shown));
      }),
    );
  });

  it('takes time in proportion to the length, however odd the text', () => {
    const size = 500_000;
    const odd = {
      'one line': 'word and more text. '.repeat(size / 20),
      'one word': 'a'.repeat(size),
      'open links': '['.repeat(size),
      'closing marks': ')'.repeat(size),
      emphasis: '*_'.repeat(size / 2),
      'one line of code': `\`\`\`\n${'a'.repeat(size)}`,
      'nested quotes': '>'.repeat(size),
      'nested items': '- '.repeat(size / 2),
      'open comments': '%% a\n'.repeat(size / 5),
      'table of one row': '|'.repeat(size),
      headings: Array.from({ length: 10_000 }, (_, n) => `## Heading ${n}\n\nbody ${n}`).join('\n\n'),
      'blank lines': '\n'.repeat(size),
      spaces: `${' '.repeat(size)}x`,
    };
    for (const [name, text] of Object.entries(odd)) {
      const started = performance.now();
      chunk(text, { maxTokens: 256, countTokens: codePoints });
      expect(performance.now() - started, name).toBeLessThan(3000);
    }
  });
});
