import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DocumentMap } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { documentMapper } from './map-document.ts';

function mapped(map: DocumentMap, item: unknown): unknown {
  return documentMapper(map)(item);
}

describe('mapping documents', () => {
  it('keeps the JSON value if a template is a single placeholder', () => {
    const item = { n: 5, when: 1_764_060_000, labels: ['a', 'b'], done: false, from: { name: 'Ann' } };
    const map = {
      id: '{{n}}',
      text: '{{ from.name }}',
      tags: '{{labels}}',
      timestamp: '{{when}}',
      completed: '{{done}}',
      metadata: {
        count: '{{n}}',
        open: '{{done}}',
        all: '{{labels}}',
        gone: '{{absent}}',
        second: '{{labels.1}}',
      },
    };
    expect(mapped(map, item)).toMatchObject({
      id: 5,
      text: 'Ann',
      tags: ['a', 'b'],
      timestamp: 1_764_060_000,
      completed: false,
      metadata: { count: 5, open: false, all: 'a, b', second: 'b' },
    });
    expect(mapped(map, item)).not.toHaveProperty('metadata.gone');
  });

  it('inserts values into a text, and removes separators next to missing values', () => {
    const texts: readonly (readonly [string, object, string])[] = [
      ['{{a}} — {{b}}', { a: 'x', b: 'y' }, 'x — y'],
      ['{{a}} — {{b}}', { a: 'x' }, 'x'],
      ['{{a}} — {{b}}', { b: 'y' }, 'y'],
      ['{{a}} — {{b}}', { a: ' ', b: null }, ''],
      ['{{a}} · {{b}} · {{c}}', { a: 1, c: true }, '1 · true'],
      ['Due: {{a}} | {{b}}', { b: ['p', null, 'q'] }, 'Due: p, q'],
      ['Due: {{a}}', {}, 'Due'],
      ['({{a}})', {}, '()'],
      ['{{a}}: {{b}}', { a: '- item', b: 'say:' }, '- item: say:'],
      ['{{a}}{{b}}', { a: { deep: 1 }, b: 2 }, '{"deep":1}2'],
      ['a } }} {{a}}', { a: 1 }, 'a } }} 1'],
    ];
    for (const [text, item, expected] of texts)
      expect(mapped({ text }, item), text).toMatchObject({ text: expected });
  });

  it('accepts a constant for fields that can be the same in all documents', () => {
    const constant = { title: 'Mail', tags: 'mail, unread', completed: 'no', project: 'house' };
    expect(mapped(constant, { id: 1, text: 'a' })).toMatchObject({ ...constant, completed: false });
    for (const field of ['id', 'text', 'timestamp', 'day'])
      expect(() => documentMapper({ [field]: 'notes' })).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: `map.${field} is a constant, which makes all documents the same: notes`,
          hint: expect.stringContaining("'{{notes}}'"),
        }) as Error,
      );
  });

  it('takes fields without a template from the fields of the same name', () => {
    const item = {
      id: 1,
      text: 'a',
      title: 2,
      tags: [1, 'b'],
      metadata: { x: 1 },
      completed: 'x',
      url: 'a:b',
      project: null,
    };
    expect(mapped({ text: '{{id}}: {{text}}' }, item)).toEqual({
      ...item,
      text: '1: a',
      title: '2',
      tags: ['1', 'b'],
      completed: true,
      timestamp: undefined,
    });
  });

  it('reads a field of every item of a list', () => {
    const item = { labels: [{ name: 'bug' }, { other: 1 }, { name: 'ui' }], list: ['a'] };
    expect(
      mapped({ tags: '{{labels.name}}', text: '{{labels.0.name}} of {{labels.name}}' }, item),
    ).toMatchObject({
      tags: ['bug', 'ui'],
      text: 'bug of bug, ui',
    });
    expect(mapped({ text: '{{list.length}}{{list.7}}{{list.constructor}}' }, item)).toMatchObject({
      text: '',
    });
  });

  it('recognises the words for completed tasks', () => {
    const completed = (status: unknown) =>
      (mapped({ completed: '{{status}}' }, { status }) as { completed: unknown }).completed;
    for (const word of [
      'true',
      'Yes',
      'y',
      1,
      '1',
      'X',
      'done',
      ' DONE ',
      'completed',
      'complete',
      'closed',
      'cancelled',
      'canceled',
      'finished',
      true,
    ])
      expect(completed(word), String(word)).toBe(true);
    for (const word of ['needsAction', 'false', 'no', 0, 'open', 'undone', false])
      expect(completed(word), String(word)).toBe(false);
    for (const none of [null, undefined, '', ' ']) expect(completed(none) ?? null).toBeNull();
  });

  it('returns values that are not objects unchanged', () => {
    for (const item of ['text', 5, null, ['a']]) expect(mapped({ text: '{{a}}' }, item)).toBe(item);
  });

  it('reports the key of an invalid template', () => {
    const invalid: readonly (readonly [DocumentMap, string])[] = [
      [{ text: 'a {{title' }, 'map.text has a {{ that is not closed: {{title'],
      [{ id: '{{}}' }, 'map.id has a placeholder without a name: {{}}'],
      [{ url: '{{a..b}}' }, 'map.url has a placeholder without a name: {{a..b}}'],
      [{ metadata: { who: '{{ }}' } }, 'map.metadata.who has a placeholder without a name: {{ }}'],
    ];
    for (const [map, message] of invalid)
      expect(() => documentMapper(map)).toThrow(
        expect.objectContaining({ code: 'invalid_config', message }) as Error,
      );
  });

  it('reads only own properties, and changes no prototype', () => {
    const item = JSON.parse('{"__proto__": {"polluted": "own"}, "a": {"__proto__": 1}}') as object;
    const map = {
      text: '{{constructor}}{{toString}}{{a.hasOwnProperty}}',
      title: '{{__proto__.polluted}}',
      metadata: JSON.parse('{"__proto__": "{{a.__proto__}}"}') as Record<string, string>,
    };
    const document = mapped(map, item) as { metadata: object };
    expect(document).toMatchObject({ text: '', title: 'own' });
    expect(Object.entries(document.metadata)).toEqual([['__proto__', 1]]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('throws only errors that name the invalid template', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('{{', '}}', '.', 'a', '0', ' — ')).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, text, fc.jsonValue(), (one, other, item) => {
        let map: (item: unknown) => unknown;
        try {
          map = documentMapper({ text: one, tags: other, completed: other, metadata: { m: other } });
        } catch (error) {
          expect(error).toBeInstanceOf(LociError);
          return;
        }
        expect(() => map(item)).not.toThrow();
        expect(() => map({ a: item })).not.toThrow();
      }),
    );
  });
});
