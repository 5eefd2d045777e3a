import { describe, expect, it } from 'vitest';
import { draft } from '../../test/contract/store-samples.ts';
import { sha256 } from '../core/ids.ts';
import { embeddingHash, embeddingText } from './embedding-text.ts';
import { chunking, estimateModelTokens, makePassages, samePassages } from './passages.ts';

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
