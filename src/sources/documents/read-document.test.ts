import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from './read-document.ts';

const emptyFields = {
  title: null,
  tags: [],
  timestamp: null,
  wholeDay: false,
  metadata: {},
  completed: null,
  project: null,
  url: null,
};

function detailOf(value: unknown): string {
  const read = readDocument(value, 3);
  if (!('problem' in read)) throw new Error(`read as a document: ${JSON.stringify(read)}`);
  expect(read.problem).toMatchObject({ index: 3, skipped: true });
  return read.problem.detail;
}

function documentOf(value: unknown): unknown {
  const read = readDocument(value, 1);
  expect(read).toHaveProperty('document');
  return 'document' in read ? read.document : null;
}

describe('reading a document', () => {
  it('requires an id, and a text or a title', () => {
    expect(documentOf({ id: 'a', text: 'b' })).toEqual({ ...emptyFields, id: 'a', text: 'b' });
    expect(documentOf({ id: 1.5, title: ' b \n c' })).toEqual({
      ...emptyFields,
      id: '1.5',
      text: 'b c',
      title: 'b c',
    });
    expect(documentOf({ id: 'a', text: '  ', title: 'b' })).toMatchObject({ text: 'b' });
    const nulls = {
      title: null,
      tags: null,
      timestamp: null,
      metadata: null,
      completed: null,
      project: null,
      url: null,
    };
    expect(documentOf({ id: 'a', text: 'b', ...nulls, more: { ignored: 1 } })).toEqual({
      ...emptyFields,
      id: 'a',
      text: 'b',
    });
    expect(
      documentOf({ id: 'a', text: 'b', title: '', tags: '', timestamp: ' ', project: ' ', url: '' }),
    ).toEqual({
      ...emptyFields,
      id: 'a',
      text: 'b',
    });
  });

  it('reports which field is invalid, and what was expected', () => {
    const good = { id: 'a', text: 'b' };
    const errors: readonly (readonly [unknown, string])[] = [
      [null, 'it is missing'],
      [[], 'it should be an object, not a list'],
      [{}, 'id is missing'],
      [{ id: null, text: 'a' }, 'id is missing'],
      [{ id: '', text: 'a' }, 'id is empty'],
      [{ id: 'a\nb', text: 'a' }, 'id has a control character'],
      [{ id: 'x'.repeat(513), text: 'a' }, 'id has 513 characters; at most 512 are allowed'],
      [{ id: {}, text: 'a' }, 'id should be text or a number, not an object'],
      [{ id: 2 ** 60, text: 'a' }, 'id is a number too large to be exact; print it as text'],
      [{ id: Infinity, text: 'a' }, 'id should be text or a number, not a number that is not finite'],
      [{ id: 'a' }, 'text is missing'],
      [{ id: 'a', text: ' ' }, 'text is missing'],
      [{ id: 'a', text: ['b'] }, 'text should be text, not a list'],
      [{ id: 'a', text: 'x'.repeat(100_001) }, 'text has 100001 characters; at most 100000 are allowed'],
      [{ ...good, title: 'x'.repeat(501) }, 'title has 501 characters; at most 500 are allowed'],
      [{ ...good, tags: { a: 1 } }, 'tags should be a list of texts, not an object'],
      [{ ...good, tags: ['a', 5] }, 'tags.2 should be text, or an object with a `name`, not a number'],
      [
        { ...good, tags: Array.from({ length: 65 }, (_, i) => `t${String(i)}`) },
        'tags are 65; at most 64 are allowed',
      ],
      [{ ...good, tags: ','.repeat(9999) }, 'tags are too many'],
      [
        { ...good, timestamp: 'soon' },
        'timestamp should be ISO 8601, or seconds or milliseconds since 1970, not "soon"',
      ],
      [
        { ...good, timestamp: true },
        'timestamp should be ISO 8601, or seconds or milliseconds since 1970, not true',
      ],
      [{ ...good, metadata: [1] }, 'metadata should be an object, not a list'],
      [
        { ...good, metadata: { from: { name: 'Ann' } } },
        'metadata.from should be text, a number, true, false or null, not an object',
      ],
      [
        { ...good, metadata: { n: Infinity } },
        'metadata.n should be text, a number, true, false or null, not a number that is not finite',
      ],
      [
        { ...good, metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [String(i), i])) },
        'metadata has 65 entries; at most 64 are allowed',
      ],
      [
        { ...good, metadata: { a: 'x'.repeat(16_384) } },
        'metadata has 16392 bytes as JSON; at most 16384 are allowed',
      ],
      [{ ...good, completed: 'yes' }, 'completed should be true or false, not text'],
      [{ ...good, project: 5 }, 'project should be text, not a number'],
      [
        { ...good, url: 'not an address' },
        'url should be an address such as https://example.org, not "not an address"',
      ],
      [
        { title: 5, tags: 5 },
        'id is missing; title should be text, not a number; tags should be a list of texts, not a number',
      ],
    ];
    for (const [value, detail] of errors) expect(detailOf(value)).toBe(detail);
  });

  it('reports the id of an invalid document if it has a valid one', () => {
    const idOf = (value: unknown) => {
      const read = readDocument(value, 1);
      return 'problem' in read ? read.problem.id : 'good';
    };
    expect(idOf({ id: 7, text: 5 })).toBe('7');
    for (const value of [{ id: 'a\u001b[2J' }, { id: [] }, {}, 'x', null, ['id']])
      expect(idOf(value)).toBeNull();
  });

  it('accepts any URL with a scheme', () => {
    for (const url of [
      'https://a.b/c?d',
      'mailto:ann@example.org',
      'file:///a%20b',
      'message:%3Cid%3E',
      'things:///show?id=1',
    ])
      expect(documentOf({ id: 1, text: 'a', url })).toMatchObject({ url });
  });

  it('replaces lone surrogates and control characters', () => {
    const read = documentOf({
      id: 'a\ud800',
      text: 'a\u0000b\r\nc\rd\u001b[2J\udc00\te',
      title: 'x\u0007y\nz',
      tags: [' a\n b ', 'a b', ''],
      metadata: { k: 'v\ud800\u0000' },
    });
    expect(read).toMatchObject({
      id: 'a\ufffd',
      text: 'a b\nc\nd [2J\ufffd\te',
      title: 'x y z',
      tags: ['a b'],
      metadata: { k: 'v\ufffd ' },
    });
  });

  it('keeps a metadata entry called __proto__ as an own property', () => {
    const value: unknown = JSON.parse(
      '{"id":1,"text":"a","metadata":{"__proto__":"x"},"__proto__":{"title":"no"}}',
    );
    const { metadata, title } = documentOf(value) as { metadata: object; title: unknown };
    expect(Object.entries(metadata)).toEqual([['__proto__', 'x']]);
    expect(title).toBeNull();
  });

  it.each(['id', 'text', 'title', 'tags', 'timestamp', 'metadata', 'completed', 'project', 'url'])(
    'names a %s that is an object with a length',
    (field) => {
      const value = JSON.parse('{"length": {"valueOf": 1, "toString": 1}}') as unknown;
      expect(readDocument({ id: 1, text: 'a', [field]: value }, 1)).toMatchObject({
        problem: { detail: expect.stringMatching(new RegExp(`^${field}.* should be `)) },
      });
    },
  );

  it('never throws, for any document', () => {
    const anything = fc.anything({ maxDepth: 3, withNullPrototype: true });
    const document = fc.record(
      {
        id: anything,
        text: anything,
        title: anything,
        tags: anything,
        timestamp: anything,
        metadata: anything,
        completed: anything,
        url: anything,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, document), (value) => {
        const read = readDocument(value, 1);
        if ('problem' in read) expect(read.problem.detail).not.toBe('');
        else expect(read.document.text.trim()).not.toBe('');
      }),
    );
  });
});
