import { describe, expect, it } from 'vitest';
import { UnknownFieldFinder } from './unknown-fields.ts';

function found(
  documents: readonly unknown[],
  restrictions: ConstructorParameters<typeof UnknownFieldFinder>[0] = {},
): string[] {
  const finder = new UnknownFieldFinder(restrictions);
  for (const document of documents) finder.add(document);
  return finder.problems().map(({ detail }) => detail);
}

describe('fields that Loci does not read', () => {
  it('are named once, with the number of documents and the name to use', () => {
    const todos = [
      { id: 1, text: 'Tiles', due: '2026-11-27', status: 'done' },
      { id: 2, text: 'Dentist', due: '2026-11-28', status: 'pending' },
      { id: 3, text: 'Oven', due_date: null, priority: 2 },
    ];
    expect(found(todos)).toEqual([
      "due: 2 documents have it, but Loci does not read it; call it timestamp, or set map.timestamp: '{{due}}'",
      'status: 2 documents have it, but Loci does not read it; write "completed": true for "done", ' +
        "or set map.completed: '{{status}}'",
      'priority: 1 document has it, but Loci does not read it; put it into metadata, ' +
        "or set map.metadata.priority: '{{priority}}'",
    ]);
  });

  it.each([
    [{ dueAt: '2026-11-27' }, 'call it timestamp'],
    [{ 'Due-Date': '2026-11-27' }, 'call it timestamp'],
    [{ done: true }, 'call it completed'],
    [{ state: 'open' }, 'call it completed'],
    [{ body: 'B' }, 'call it text'],
    [{ subject: 'S' }, 'call it title'],
    [{ labels: ['a'] }, 'call it tags'],
    [{ html_url: 'https://example.org' }, 'call it url'],
    [{ uuid: 'u' }, 'call it id'],
    [{ state: 'Texas' }, 'put it into metadata'],
  ])('such as %j: %s', (document, advice) => {
    expect(found([document])).toEqual([expect.stringContaining(`; ${advice}`)]);
  });

  it('get no name that the document has already', () => {
    expect(found([{ id: 1, text: 'T', body: 'B' }])).toEqual([
      expect.stringContaining("put it into metadata, or set map.metadata.body: '{{body}}'"),
    ]);
  });

  it('are not those that a map reads, and with a map only those that the documents lack', () => {
    const issue = { number: 1, title: 'T', due: 1, state: 'closed', node_id: 'x', labels: [] };
    const map = { id: '{{number}}', completed: '{{state}}', metadata: { who: '{{labels.name}}' } };
    expect(found([issue], { map })).toEqual([expect.stringMatching(/^due: 1 document has it/)]);
    expect(found([issue], { map: { ...map, timestamp: '{{milestone.due}}' } })).toEqual([]);
  });

  it('are not those that must not be stored', () => {
    const mail = { id: 1, subject: 'S', body: 'B', sender: 'Ann' };
    expect(found([mail], { fields: ['title', 'timestamp'] })).toEqual([
      expect.stringContaining('subject: 1 document has it'),
    ]);
  });

  it('are limited in number and length, and never quote a value', () => {
    const document = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${String(i)}`, 'SECRET']));
    const details = found([document, { [`\u001b${'x'.repeat(500)}`]: 'SECRET' }]);
    expect(details).toHaveLength(11);
    expect(details.at(-1)).toBe('Loci does not read 190 other fields either');
    const [long] = found([{ [`\u001b${'x'.repeat(500)}`]: 'SECRET', done: 'SECRET' }]).slice(-1);
    expect(long).toMatch(/^x{63}: 1 document has it/);
    expect(details.join()).not.toContain('SECRET');
  });
});
