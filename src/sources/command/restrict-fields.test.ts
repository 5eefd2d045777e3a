import { describe, expect, it } from 'vitest';
import { restrictToFields } from './fetch-documents.ts';

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

describe('what of a document may be stored', () => {
  it('is its id and the named parts', () => {
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

  it('may be a single entry of its metadata', () => {
    expect(restrictToFields(document, ['metadata.sender'])).toEqual({ id: '7', metadata: { sender: 'Ann' } });
    expect(restrictToFields(document, ['metadata.absent'])).toEqual({ id: '7', metadata: {} });
    expect(restrictToFields({ id: '7', metadata: 'Ann' }, ['metadata.sender'])).toEqual({ id: '7' });
  });

  it('is asked of documents alone: of what is none, that is said', () => {
    for (const printed of [null, 'text', ['a'], 7]) expect(restrictToFields(printed, ['text'])).toBe(printed);
  });
});
