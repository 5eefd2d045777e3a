import { describe, expect, it } from 'vitest';
import type { MemoryDocument } from '../document.ts';
import { restrictTo } from './fields.ts';

const document: MemoryDocument = {
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
const bare = {
  id: '7',
  title: null,
  tags: [],
  timestamp: null,
  metadata: {},
  completed: null,
  project: null,
  url: null,
};

describe('what of a document may be stored', () => {
  it('is its id and the named parts', () => {
    expect(restrictTo(document, ['text'])).toEqual({ ...bare, text: 'the body' });
    const all = ['text', 'title', 'tags', 'timestamp', 'metadata', 'completed', 'project', 'url'];
    expect(restrictTo(document, all)).toEqual(document);
    for (const field of all.slice(2))
      expect(restrictTo(document, ['text', field])).toEqual({
        ...bare,
        text: 'the body',
        [field]: document[field as keyof MemoryDocument],
      });
  });

  it('may be a single entry of its metadata', () => {
    expect(restrictTo(document, ['text', 'metadata.sender'])?.metadata).toEqual({ sender: 'Ann' });
    expect(restrictTo(document, ['text', 'metadata.absent'])?.metadata).toEqual({});
  });

  it('is the subject without the body: the title becomes the text', () => {
    expect(restrictTo(document, ['title'])).toEqual({ ...bare, text: 'the subject', title: 'the subject' });
  });

  it('is nothing when neither text nor title is left, nor a title that stood for the text', () => {
    expect(restrictTo(document, ['tags', 'url'])).toBeNull();
    expect(restrictTo({ ...document, title: null }, ['title'])).toBeNull();
    expect(restrictTo({ ...document, text: 'the subject' }, ['text'])).toBeNull();
    expect(restrictTo({ ...document, text: 'the subject' }, ['title', 'text'])?.text).toBe('the subject');
  });
});
