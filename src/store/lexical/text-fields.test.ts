import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../core/types.ts';
import { indexPassage, sameFields, textFields, type IndexedFields } from './text-fields.ts';

const RECORD: IndexedFields = {
  ...{ title: 'Oven', tags: ['kitchen', 'to buy'], metadata: {} },
  ...{ origin: 'vault', key: 'home/Oven.md' },
};
const PASSAGE = { ordinal: 0, headings: ['Home', 'Kitchen'], text: 'It costs too much.', context: null };

function withMetadata(metadata: Metadata): IndexedFields {
  return { ...RECORD, metadata };
}

describe('text fields', () => {
  it('are the title, the headings, the text and the tags', () => {
    expect(textFields(RECORD, PASSAGE)).toEqual({
      title: 'Oven',
      headings: 'Home\nKitchen',
      body: 'It costs too much.',
      tags: 'kitchen\nto buy',
    });
  });

  it('contain aliases in the title, speaker and date in the headings, and the caption in the text', () => {
    const metadata = {
      aliases: ['stove', 7, 'range'],
      speaker: 'Ada',
      date: '2026-09-04T10:00',
      caption: 'A photograph',
    };
    expect(textFields(withMetadata(metadata), PASSAGE)).toMatchObject({
      title: 'Oven\nstove\nrange',
      headings: 'Home\nKitchen\nAda\n2026-09-04 4 September 2026',
      body: 'It costs too much.\nA photograph',
    });
  });

  it('contain front matter only in the first passage', () => {
    const record = withMetadata({
      frontMatter: { status: 'open', people: ['Ada', 3], price: 9, by: { name: 'Bo' } },
    });
    expect(textFields(record, PASSAGE).body).toBe('It costs too much.\nopen\nAda\nBo');
    expect(textFields(record, { ...PASSAGE, ordinal: 1 }).body).toBe('It costs too much.');
  });

  it('contain the file name of a note with another title, in the first passage', () => {
    const named = (key: string, origin: IndexedFields['origin'] = 'vault'): string =>
      textFields({ ...RECORD, key, origin }, { ...PASSAGE, text: '' }).body.trim();
    expect([named('home/old-stove.md'), named('x.md'), named('old.md', 'source')]).toEqual([
      'old-stove',
      '',
      '',
    ]);
  });

  it('accept metadata of any shape', () => {
    const unusual: Metadata[] = [
      { aliases: 'one', speaker: ['a', 'b'], date: 20260904, frontMatter: ['x'], caption: null },
      { aliases: null, speaker: { name: 'Ada' }, date: 'tomorrow', frontMatter: 'text' },
      { date: '2026-13-41' },
    ];
    expect(unusual.map((metadata) => textFields(withMetadata(metadata), PASSAGE).headings)).toEqual([
      'Home\nKitchen\na\nb',
      'Home\nKitchen',
      'Home\nKitchen\n2026-13-41 41  2026',
    ]);
  });

  it('are equal for two versions of a record with the same searched text', () => {
    expect(sameFields(RECORD, withMetadata({ links: ['x'], session: 's' }))).toBe(true);
    const others: (typeof RECORD)[] = [
      { ...RECORD, title: 'Stove' },
      { ...RECORD, tags: ['kitchen'] },
      withMetadata({ aliases: ['stove'] }),
      withMetadata({ speaker: 'Ada' }),
      withMetadata({ date: '2026-01-01' }),
      withMetadata({ caption: 'x' }),
      withMetadata({ frontMatter: { status: 'open' } }),
    ];
    expect(others.map((other) => sameFields(RECORD, other))).toEqual(others.map(() => false));
  });
});

describe('indexPassage', () => {
  it('returns the terms of each field in order, and each word once', () => {
    const record = { ...RECORD, title: 'Ovens, 数据库', key: null };
    const indexed = indexPassage(record, { ...PASSAGE, text: 'The oven. An OVEN!' });
    expect(indexed.terms).toEqual({
      title: ['oven', '数据', '据库', '库'],
      headings: ['home', 'kitchen'],
      body: ['the', 'oven', 'an', 'oven'],
      tags: ['kitchen', 'to', 'bui'],
    });
    expect([...indexed.words].sort()).toEqual(['an', 'buy', 'home', 'kitchen', 'oven', 'ovens', 'the', 'to']);
  });
});
