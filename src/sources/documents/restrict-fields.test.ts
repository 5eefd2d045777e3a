import { describe, expect, it } from 'vitest';
import { restrictToFields } from './collect-documents.ts';

const document = {
  id: '7',
  text: 'the body',
  title: 'the subject',
  tags: ['mail'],
  timestamp: 5,
  metadata: { sender: 'Ann', to: 'Bob' },
  completed: false,
  project: 'house',
  url: 'mid:7',
};

describe('restricting fields', () => {
  it('keeps the id and the listed fields', () => {
    const all = ['text', 'title', 'tags', 'timestamp', 'metadata', 'completed', 'project', 'url'] as const;
    expect(restrictToFields(document, all)).toEqual(document);
    for (const field of all)
      expect(restrictToFields(document, [field])).toEqual({
        id: '7',
        metadata: {},
        [field]: document[field],
      });
    expect(restrictToFields({ id: '7', 'metadata.sender': 'Ann', other: 1 }, ['text'])).toEqual({ id: '7' });
  });

  it('can keep a single entry of the metadata', () => {
    expect(restrictToFields(document, ['metadata.sender'])).toEqual({ id: '7', metadata: { sender: 'Ann' } });
    expect(restrictToFields(document, ['metadata.absent'])).toEqual({ id: '7', metadata: {} });
    expect(restrictToFields({ id: '7', metadata: 'Ann' }, ['metadata.sender'])).toEqual({ id: '7' });
  });

  it('returns values that are not documents unchanged', () => {
    for (const printed of [null, 'text', ['a'], 7]) expect(restrictToFields(printed, ['text'])).toBe(printed);
  });
});
