import { describe, expect, it } from 'vitest';
import { sha256 } from '../core/ids.ts';
import { embeddingHash, embeddingText } from './embedding-text.ts';
import { chunking, makePassages, estimateTokens } from './passages.ts';

const CHUNKING = chunking('estimate', { maxTokens: 40, countTokens: estimateTokens });

describe('embeddingText', () => {
  it('says title, headings and speaker, each once, before the words', () => {
    const note = { title: 'Oven', metadata: {} };
    const passage = { headings: ['Oven', 'Cleaning'], text: 'Vinegar.' };
    expect(embeddingText(note, passage)).toBe('Oven\nCleaning\nVinegar.');
    const turn = { title: '', metadata: { speaker: 'Ada', date: '2026-01-01' } };
    expect(embeddingText(turn, { headings: [], text: 'Vinegar.' })).toBe('Ada: Vinegar.');
    expect(embeddingText({ title: 'Same', metadata: {} }, { headings: [], text: 'Same' })).toBe('Same\nSame');
  });

  it('has a hash that is its own: 16 bytes of SHA-256', () => {
    const note = { title: 'Oven', metadata: {} };
    const passage = { headings: [], text: 'Vinegar.' };
    expect(embeddingHash(note, passage)).toBe(sha256('Oven\nVinegar.').slice(0, 32));
    expect(embeddingHash({ ...note, title: 'Fridge' }, passage)).not.toBe(embeddingHash(note, passage));
  });
});

describe('makePassages', () => {
  it('numbers the passages of a text and hashes what is embedded of each', () => {
    const record = { title: 'Oven', metadata: {}, content: `# One\n\n${'word '.repeat(30)}\n\n# Two\n\nend` };
    const passages = makePassages(record, CHUNKING);
    expect(passages.map(({ ordinal, headings }) => [ordinal, headings])).toEqual([
      [0, ['One']],
      [1, ['Two']],
    ]);
    for (const passage of passages) expect(passage.hash).toBe(embeddingHash(record, passage));
  });

  it('gives a note of no words one empty passage, so that its title is found', () => {
    const record = { title: 'Oven', metadata: {}, content: '' };
    const hash = embeddingHash(record, { headings: [], text: '' });
    expect(makePassages(record, CHUNKING)).toEqual([
      { ordinal: 0, headings: [], text: '', startLine: 1, endLine: 1, hash },
    ]);
  });
});

describe('chunking', () => {
  it('signs itself with what counted and how much, so that another way is told apart', () => {
    const options = { maxTokens: 40, countTokens: estimateTokens };
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
    expect(estimateTokens(text)).toBe(tokens);
  });
});
