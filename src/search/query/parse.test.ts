import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import { MAX_QUERY_LENGTH, parseQuery, requiredPhrases } from './parse.ts';

function surfaces(text: string): string[] {
  return parseQuery(text).terms.map(({ surface }) => surface);
}

describe('parseQuery', () => {
  it('returns each word once, folded and stemmed, without stop words', () => {
    expect(parseQuery('What did the Cafés of Café decide?').terms).toEqual([
      { terms: ['cafe'], prefix: false, surface: 'cafe', kind: 'word' },
      { terms: ['decid'], prefix: false, surface: 'decide', kind: 'word' },
    ]);
  });

  it('returns stop words if there are no other words', () => {
    expect(surfaces('who am I')).toEqual(['who', 'am', 'i']);
    expect(surfaces('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });

  it.each([
    ["let's talk about the kitchen remodel", ['kitchen', 'remodel']],
    ['hey, can we go over the renovation?', ['hey', 'go', 'renovation']],
    ['I have been thinking about the tiles again', ['tiles']],
    ['Tell me about the dog', ['dog']],
    ['what did Maren talk about on Friday', ['maren', 'talk', 'friday']],
    ['the talk about herring', ['herring']],
    ['tell me about it', ['tell']],
    ['talk about', ['talk']],
  ])('leaves out what only begins a conversation: %s', (query, words) => {
    expect(surfaces(query)).toEqual(words);
  });

  it('returns quoted phrases for all kinds of quotes, and their words as terms', () => {
    const { phrases, terms } = parseQuery('"heat pump" “blue tiles” 「番茄炒蛋」 oven');
    expect(phrases).toEqual([
      { terms: ['heat', 'pump'], prefix: false },
      { terms: ['blue', 'tile'], prefix: false },
      { terms: ['番茄', '茄炒', '炒蛋'], prefix: false },
    ]);
    expect(terms.map(({ surface }) => surface)).toContain('pump');
    // Where a run without spaces ends within a phrase, it ends in the text as well.
    expect(parseQuery('"充電器 説明"').phrases).toEqual([
      { terms: ['充电', '电器', '器', '説明'], prefix: false },
    ]);
    expect(parseQuery('"green 茶"').phrases).toEqual([{ terms: ['green', '茶'], prefix: true }]);
    expect(parseQuery('never "closed here').phrases).toEqual([]);
    expect(parseQuery('nothing in "?!" it').phrases).toEqual([]);
  });

  it.each([
    ['CONV-1234', ['conv', '1234']],
    ['foo_bar', ['foo', 'bar']],
    ['src/a/b.ts', ['src', 'a', 'b', 'ts']],
    ['v1.2.3', ['v1', '2', '3']],
    ['(ada@example.org)', ['ada', 'exampl', 'org']],
  ])('keeps the identifier %s whole', (text, terms) => {
    expect(parseQuery(text).terms.map((term) => [term.kind, term.terms])).toEqual([['identifier', terms]]);
  });

  it('returns hyphenated words together and separately', () => {
    expect(parseQuery('self-healing').terms.map((term) => [term.kind, term.terms])).toEqual([
      ['identifier', ['self', 'heal']],
      ['word', ['self']],
      ['word', ['heal']],
    ]);
  });

  it('returns bigrams for Chinese and Japanese, and a prefix for one character', () => {
    const terms = parseQuery('厨房改造').terms;
    expect(terms.map((term) => [term.kind, term.surface, term.prefix])).toEqual([
      ['bigram', '厨房', false],
      ['bigram', '房改', false],
      ['bigram', '改造', false],
    ]);
    expect(parseQuery('茶').terms).toEqual([{ terms: ['茶'], prefix: true, surface: '茶', kind: 'bigram' }]);
  });

  it('returns each phrase once, up to the maximum', () => {
    expect(parseQuery('"blue tiles" '.repeat(600)).phrases).toEqual([
      { terms: ['blue', 'tile'], prefix: false },
    ]);
    const many = Array.from({ length: 600 }, (_, n) => `"word w${String(n)}"`);
    expect(parseQuery(many.join(' ')).phrases).toHaveLength(32);
  });

  it.each([
    ['"gas line"', 1],
    ['"C++ templates"', 1],
    ['the "gas line"', 1],
    ['"gas line" "blue tiles"', 2],
    ['"gas line" oven', 0],
    ['who wrote "The Tailors"?', 0],
  ])('requires the phrases of a query that is nothing else: %s', (query, required) => {
    expect(requiredPhrases(parseQuery(query))).toHaveLength(required);
  });

  it('treats FTS operators as words', () => {
    expect(surfaces('kitchen AND NOT tiles NEAR(oven, 5) title:*')).toEqual([
      'kitchen',
      'tiles',
      'near',
      'oven',
      '5',
      'title',
    ]);
  });

  it('returns no terms for punctuation', () => {
    for (const text of ['', ' ', '?!* ( ) : ^', '"', '\0'])
      expect(parseQuery(text)).toMatchObject({ terms: [], phrases: [] });
  });

  it.each([
    ['🎂🎉', [['🎂'], ['🎉']], []],
    ['the → ?', [['→']], []],
    ['🍕 on Friday', [['fridai']], [['🍕']]],
    ['from Oslo → Rome', [['oslo'], ['rome']], []],
  ])(
    'searches for symbols only if %s has no other words, and for emoji beside them',
    (query, terms, symbols) => {
      const parsed = parseQuery(query);
      expect(parsed.terms.map((term) => term.terms)).toEqual(terms);
      expect(parsed.symbols.map((term) => term.terms)).toEqual(symbols);
    },
  );

  it.each([
    ['1299.50', ['1299 5', '1 299 5', '1 299 50']],
    ['$1,299.50', ['1299 5', '1299 50', '1 299 5']],
    ['12.5', ['12 50']],
    ['1,299.00', ['1299', '1299 00', '1 299']],
    ['250000', ['250 000']],
    ['2026', []],
    ['250GB', ['250 gb']],
    ['2.5GB', ['2 5 gb']],
    ['e-mail', ['email']],
    ['node.js', ['nodej']],
    ['9fceb02', ['9fceb02*']],
    ['550e8400-e29b-41', ['550e8400 e29b 41*', '550e8400e29b41']],
    ['facade', []],
    ['302-1234567', ['3021234567']],
    [
      '9fceb02d0a'.repeat(4),
      ['9fceb02', '9fceb02d', '9fceb02d0', '9fceb02d0a', '9fceb02d0a9', '9fceb02d0a9f'],
    ],
  ])('knows other ways in which texts write %s', (query, wordings) => {
    const [term] = parseQuery(query).terms;
    const alternatives = term?.alternatives ?? [];
    expect(alternatives.map(({ terms, prefix }) => terms.join(' ') + (prefix ? '*' : ''))).toEqual(wordings);
  });

  it('counts a number or code in groups as its whole, and a unit as a part of the number before it', () => {
    for (const [query, whole] of [
      ['the IBAN DE89 3704 0044 0532 0130 00', 'de89370400440532013000'],
      ['call +49 (0)170 123-4567', '491701234567'],
      ['می‌خواهم', 'میخواهم'],
    ] as const) {
      const parts = parseQuery(query).terms.filter(({ surface }) => !['iban', 'call'].includes(surface));
      expect(parts.length).toBeGreaterThan(1);
      for (const { alternatives = [] } of parts)
        expect(alternatives.map(({ surface }) => surface)).toContain(whole);
    }
    const disk = parseQuery('disk of 250 GB').terms.map(({ surface, alternatives }) => [
      surface,
      alternatives?.[0]?.surface,
    ]);
    expect(disk).toEqual([
      ['disk', undefined],
      ['250', '250gb'],
      ['gb', '250gb'],
    ]);
  });

  it.each([
    ['C++', ['c＋＋']],
    ['C#/.NET?', ['c＃', '．net']],
    ['F#', ['f＃']],
    ['ASP.NET', ['asp net']],
    ['AT&T', ['at t']],
    ['R&D', ['r d']],
  ])('keeps the name %s whole', (query, terms) => {
    expect(parseQuery(query).terms.map((term) => term.terms.join(' '))).toEqual(terms);
  });

  it.each([
    ['USER.md', 'user.md'],
    ['memory/2026-03-16', 'memory/2026-03-16'],
    ['[[Memory/Plan|that]]', 'memory/plan'],
    ['./notes\\Plan.md', 'notes/plan.md'],
    ['24/7', undefined],
    ['and/or', undefined],
    ['v1.2', undefined],
  ])('takes %s for the path of a note or not', (query, path) => {
    expect(parseQuery(query).terms[0]?.path).toBe(path);
  });

  it('truncates a query of 100,000 characters', () => {
    const { text, terms } = parseQuery(
      Array.from({ length: 20_000 }, (_, n) => `w${String(n % 999)}`).join(' '),
    );
    expect([text.length, terms.length, terms[0]?.surface]).toEqual([MAX_QUERY_LENGTH, 64, 'w0']);
  });

  it('accepts any text, also lone surrogates', () => {
    const fragment = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\ud83d',
        '\udc00',
        '"',
        '「',
        '-',
        '_',
        '漢字',
        'ー',
        "it's",
        '½',
        '\u0301',
        ' ',
        'the',
      ),
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 15 }), (fragments) => {
        const { terms, phrases } = parseQuery(fragments.join(''));
        expect(terms.length).toBeLessThanOrEqual(64);
        for (const { surface } of terms) expect(surface).not.toBe('');
        for (const term of [...terms, ...phrases]) {
          expect(term.terms.length).toBeGreaterThan(0);
          for (const word of term.terms) expect(word).not.toBe('');
        }
        const keys = terms.map((term) => [...term.terms, term.prefix].join(' '));
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});

/** Words as people write them: letters with their marks, and numbers. */
const WORDS = [
  ...['मैंने', 'किताब', 'पढ़ी', 'गाड़ी', 'भाषा', 'हिन्दी'],
  ...[
    'বাড়ি',
    'আমরা',
    'বই',
    'সৎ',
    'தமிழ்',
    'மொழி',
    'ఇల్లు',
    'పెద్దది',
    'ಮನೆ',
    'ಕನ್ನಡ',
    'മലയാളം',
    'അവൻ',
    'ગુજરાતી',
    'ਪੰਜਾਬੀ',
    'ଓଡ଼ିଆ',
    'සිංහල',
  ],
  ...[
    'Łódź',
    'smørrebrød',
    'Ærø',
    'œuvre',
    'Straße',
    'ISPARTA',
    'kışı',
    'Þórður',
    'naïve',
    'Cafe\u0301',
    'tiếng',
    'ọmọ',
    'ɗan',
  ],
  ...[
    'дом',
    'ёлка',
    'Київ',
    'θάλασσα',
    'ψυχή',
    'տուն',
    'სახლი',
    'בַּיִת',
    'שלום',
    'كِتَاب',
    'كتاب‌ها',
    'ቤት',
    'བོད་',
    'ᐃᓄᒃᑎᑐᑦ',
  ],
  ...[
    '東京',
    '东京',
    '番茄炒蛋',
    'ひらがな',
    'カタカナ',
    'が',
    '한국어',
    '집',
    'ภาษาไทย',
    'ນ້ຳ',
    'ភាសា',
    'မြန်မာ',
    '𠮷野家',
  ],
  ...['C++', 'R', '42', '1,299.50', 'v1.2.3', 'foo_bar', 'धीरे-धीरे', "l'œuvre", 'X'],
];

describe('a word of a text, taken out and asked', () => {
  const mark = fc.constantFrom('', '.', ',', '!', '…', '।', '。', '»', ')', '”', '؟', '\u200e');
  const opening = fc.constantFrom('', '(', '«', '“', '¿', '\u200f');
  const letters = fc.string({
    unit: fc.constantFrom(...WORDS.flatMap((word) => [...word])),
    minLength: 1,
    maxLength: 12,
  });

  const expectFound = (word: string, text: string): void => {
    const tokens = [...analyze(text), ...additionalTerms(text)];
    const indexed = ` ${tokens.map(({ term }) => term).join(' ')} `;
    for (const { terms, prefix, alternatives = [] } of parseQuery(word).terms) {
      const wordings = [{ terms, prefix }, ...alternatives];
      const isFound = wordings.some((each) =>
        indexed.includes(` ${each.terms.join(' ')}${each.prefix ? '' : ' '}`),
      );
      expect(isFound, `${word} in ${text}: ${terms.join(' ')}`).toBe(true);
    }
  };

  it.each(WORDS)('finds it: %s', (word) => {
    expect(parseQuery(word).terms).not.toEqual([]);
    expectFound(word, `It says (${word}), and more.`);
    expectFound(`${word}?`, word);
  });

  it('finds it after an invisible character and an apostrophe', () => {
    expectFound("'म4म", "\u200f'म4म");
  });

  it('finds it, whatever the letters, their marks and the punctuation around them are', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(opening, letters, mark), { minLength: 1, maxLength: 6 }), (words) => {
        const text = words.map((word) => word.join('')).join(' ');
        for (const [, word] of words) expectFound(word, text);
        for (const word of words) expectFound(word.join(''), text);
      }),
      { numRuns: 300 },
    );
  });
});
