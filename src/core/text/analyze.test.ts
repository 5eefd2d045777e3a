import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, fold, stem } from './analyze.ts';
import { isStopWord } from './stop-words.ts';

function terms(text: string): string[] {
  return analyze(text).map(({ term }) => term);
}

describe('analyze', () => {
  it('folds case, accents and compatibility forms, and stems plain Latin words', () => {
    expect(terms('Cafés ＫＩＴＣＨＥＮ ﬁle naïve Straße')).toEqual([
      'cafe',
      'kitchen',
      'file',
      'naiv',
      'strass',
    ]);
    expect(terms('deciding decided decides')).toEqual(['decid', 'decid', 'decid']);
  });

  it.each([
    ['Łódź', 'Lodz'],
    ['smørrebrød på Ærø', 'smorrebrod pa aero'],
    ['un cœur, sa SŒUR', 'un coeur, sa soeur'],
    ['Đakovo', 'dakovo'],
    ['Þórður og Ísafjörður', 'thordur og isafjordur'],
    ['DİYARBAKIR kışı', 'diyarbakir kisi'],
    ['STRAẞE Größe', 'strasse grosse'],
    ['Ħamrun, Ŋala, ɗan, Azərbaycan', 'hamrun, nala, dan, azerbaycan'],
    ['臺灣的電腦', '台湾的电脑'],
    ['頭髮與發展', '头发与发展'],
    ['USB充電器をカバン', 'USB充电器をカバン'],
  ])('has the same terms for %s and for %s', (text, other) => {
    expect(terms(text)).toEqual(terms(other));
  });

  it('keeps a word with its apostrophe together, and drops the possessive', () => {
    expect(analyze("Ada's don’t").map(({ surface, start, end }) => [surface, start, end])).toEqual([
      ['ada', 0, 5],
      ['dont', 6, 11],
    ]);
  });

  it('cuts Chinese, Japanese and Korean into bigrams and a tail, next to words of other scripts', () => {
    expect(analyze('USB充電器x').map(({ term, kind, start, end }) => [term, kind, start, end])).toEqual([
      ['usb', 'word', 0, 3],
      ['充电', 'bigram', 3, 5],
      ['电器', 'bigram', 4, 6],
      ['器', 'tail', 5, 6],
      ['x', 'word', 6, 7],
    ]);
    expect(terms('냉장고')).toEqual(['냉장', '장고', '고']);
  });

  it.each([
    ['ข้าวผัด', 'ฉันชอบกินข้าวผัดและดื่มชาเย็นทุกวัน'],
    ['ເຂົ້າ', 'ຂ້ອຍມັກກິນເຂົ້າຢູ່ເຮືອນທຸກມື້'],
    ['បាយ', 'ខ្ញុំចូលចិត្តញ៉ាំបាយនៅផ្ទះ'],
    ['បាយ', 'ញ៉ាំ\u200bបា\u200bយ\u200bនៅ'],
    ['မြန်မာ', 'ကျွန်တော်သည်မြန်မာစာကိုလေ့လာနေသည်'],
  ])('finds the word %s within a text without spaces', (word, text) => {
    const bigrams = analyze(word).filter(({ kind }) => kind === 'bigram');
    expect(bigrams.length).toBeGreaterThan(0);
    expect(terms(text)).toEqual(expect.arrayContaining(bigrams.map(({ term }) => term)));
  });

  it.each([
    ['soft\u00adhyphen', 'softhyphen'],
    ['zero\u200bwidth', 'zerowidth'],
    ['\ufeffbom', 'bom'],
    ['wo\u2060rd', 'word'],
    ['a\u202eb\u2066c\u200ed', 'abcd'],
    ["Ada\u200b's", 'ada'],
    ['1\ufe0f\u20e3', '1'],
    ['क्\u200dष', 'क्ष'],
    ['അവന്\u200d', 'അവൻ'],
    ['উত্\u200dসব', 'উৎসব'],
    ['می\u200cخواهم', 'می خواهم'],
    ['❤\ufe0f', ''],
  ])('ignores what is invisible in %j', (text, visible) => {
    expect(terms(text)).toEqual(terms(visible));
  });

  it.each(['データガ', '한국어 각', '東京ガイド', 'パピプペポ'])(
    'gives %s the same terms in every normal form, at the correct offsets',
    (text) => {
      const forms = [text.normalize('NFD'), text.normalize('NFKD')];
      for (const form of forms) {
        expect(terms(form)).toEqual(terms(text));
        for (const { surface, start, end, kind } of analyze(form).filter(({ kind }) => kind !== 'word'))
          expect([kind, fold(form.slice(start, end))]).toEqual([kind, surface]);
      }
    },
  );

  it('treats half-width kana as full-width', () => {
    expect(terms('ﾃﾞｰﾀﾊﾟｽ')).toEqual(terms('データパス'));
  });

  it('splits words at separators that folding inserts', () => {
    expect(terms('½')).toEqual(['1', '2']);
  });

  it('cuts a very long word, but not within a character', () => {
    expect(terms('x'.repeat(500))).toEqual(['x'.repeat(64)]);
    const [long] = terms(`a${'𝕏'.repeat(1)}${'𐐨'.repeat(100)}`);
    expect([long!.isWellFormed(), long!.length <= 64]).toEqual([true, true]);
  });

  it('returns terms in order and with valid offsets for every text', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.lorem());
    fc.assert(
      fc.property(text, (whole) => {
        let last = 0;
        for (const { term, surface, start, end } of analyze(whole)) {
          // A term has no character that a full-text index could take for a word boundary.
          for (const word of [term, surface]) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(whole.length);
          last = start;
        }
      }),
    );
  });
});

describe('words', () => {
  it('fold to the same form in any encoding', () => {
    for (const [a, b] of [
      ['É', 'e'],
      ['e\u0301', 'e'],
      ['Ａ', 'a'],
      ['が'.normalize('NFD'), 'が'],
      ['שָׁלוֹם', 'שלום'],
    ] as const)
      expect(fold(a)).toBe(b);
  });

  it('are stemmed only in plain Latin, and are stop words in folded form', () => {
    expect([stem('ovens'), stem('as'), stem('кухни')]).toEqual(['oven', 'as', 'кухни']);
    expect([isStopWord('the'), isStopWord('dont'), isStopWord('may'), isStopWord('oven')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
