import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentCollector } from '../documents/collect-documents.ts';
import { commandEnvironment, type FetchRequest, fetchDocuments } from './command.ts';
import { parseDocuments } from './parse-documents.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-fetch-'));
});
afterAll(() => rm(folder, { recursive: true }));

function shell(line: string, more: Partial<FetchRequest> = {}): FetchRequest {
  const env = commandEnvironment(process.env, []);
  return { argv: ['/bin/sh', '-c', line], cwd: folder, env, timeout: 30_000, ...more };
}

/** The documents in what a command has printed, which is read without running one. */
function documentsIn(
  printed: string,
  options: Pick<FetchRequest, 'fields' | 'map'> = {},
): ReturnType<ReturnType<typeof documentCollector>> {
  return documentCollector(options)(
    parseDocuments(Readable.from([Buffer.from(printed)]), options.map?.items),
  );
}

describe('fetching documents from a command', () => {
  it('returns every field of a document', async () => {
    const document = {
      id: 7,
      text: 'Buy tile samples\r\nfrom Home Depot',
      title: 'Tiles',
      tags: 'home, kitchen,',
      timestamp: 1_764_060_000,
      metadata: { sender: 'Ann', count: 2, open: true, none: null },
      completed: false,
      project: 'house',
      url: 'https://example.org/7',
    };
    await writeFile(join(folder, 'output'), JSON.stringify([document]));
    const fetched = await fetchDocuments(shell('cat output'));
    expect(fetched).toMatchObject({ printed: 1, problems: [], stderr: '' });
    expect(fetched.bytes).toBe(JSON.stringify([document]).length);
    expect(fetched.milliseconds).toBeGreaterThanOrEqual(0);
    expect(fetched.documents).toEqual([
      {
        ...document,
        id: '7',
        text: 'Buy tile samples\nfrom Home Depot',
        tags: ['home', 'kitchen'],
        timestamp: 1_764_060_000_000,
        wholeDay: false,
      },
    ]);
  });

  it('reads the midnights of tasks as days, unless most tasks of the output have a time of day', async () => {
    const midnight = '2026-05-02T00:00:00.000Z';
    const day = new Date(2026, 4, 2).getTime();
    const isTask = { completed: '{{status}}', timestamp: '{{when}}', text: '{{id}}' };
    const task = (id: number, when: string) => ({ id, when, status: 'needsAction' });
    const cases: [string, Pick<FetchRequest, 'map'>, object[], [number | null, boolean][]][] = [
      ['a day', {}, [{ id: 1, text: 'a', timestamp: '2026-05-02' }], [[day, true]]],
      ['a midnight of a task', { map: isTask }, [task(1, midnight)], [[day, true]]],
      [
        'a midnight that is due',
        { map: { timestamp: '{{task.due}}' } },
        [{ id: 1, text: 'a', task: { due: midnight } }],
        [[day, true]],
      ],
      [
        'one task with a time of day',
        { map: isTask },
        [task(1, midnight), task(2, '2026-05-03T15:07:00Z')],
        [
          [day, true],
          [Date.parse('2026-05-03T15:07:00Z'), false],
        ],
      ],
      [
        'more tasks with a time of day',
        { map: isTask },
        [task(1, midnight), task(2, '2026-05-03T15:07:00Z'), task(3, '2026-05-04T15:07:00Z')],
        [
          [Date.parse(midnight), false],
          [Date.parse('2026-05-03T15:07:00Z'), false],
          [Date.parse('2026-05-04T15:07:00Z'), false],
        ],
      ],
      [
        'an event',
        { map: { timestamp: '{{start}}' } },
        [{ id: 1, text: 'a', start: midnight }],
        [[Date.parse(midnight), false]],
      ],
      [
        'a day where there is no time',
        { map: { timestamp: '{{due.at}}', day: '{{due.date}}' } },
        [
          { id: 1, text: 'a', due: { date: midnight } },
          { id: 2, text: 'b', due: { at: '2026-05-03T15:07:00Z', date: '2026-05-03' } },
          { id: 3, text: 'c', due: { date: new Date(2026, 4, 2, 15, 7).toISOString() } },
          { id: 4, text: 'd' },
        ],
        [
          [day, true],
          [Date.parse('2026-05-03T15:07:00Z'), false],
          [day, true],
          [null, false],
        ],
      ],
    ];
    for (const [name, request, printed, expected] of cases) {
      const { documents } = await documentsIn(JSON.stringify(printed), request);
      expect(
        documents.map(({ timestamp, wholeDay }) => [timestamp, wholeDay]),
        name,
      ).toEqual(expected);
    }
  });

  it('reports each invalid document with index and id, and returns the valid ones (S13)', async () => {
    const printed = [
      { id: 'a', text: 'A' },
      { id: 'b' },
      { text: 'C' },
      'd',
      { id: 'e', text: 'E', tags: 5 },
    ];
    const problems = [
      { index: 2, id: 'b', detail: 'text is missing', skipped: true },
      { index: 3, id: null, detail: 'id is missing', skipped: true },
      { index: 4, id: null, detail: 'it should be an object, not text', skipped: true },
      { index: 5, id: 'e', detail: 'tags should be a list of texts, not a number', skipped: true },
    ];
    const asList = await documentsIn(JSON.stringify(printed));
    expect(asList.documents.map(({ id }) => id)).toEqual(['a']);
    expect(asList.problems).toEqual(problems);
    expect(asList.printed).toBe(5);
    const asLines = await documentsIn(printed.map((each) => JSON.stringify(each)).join('\n'));
    expect(asLines).toEqual(asList);
  });

  it('keeps numbers as they are printed: ids of 17 digits, versions and times', async () => {
    const lines = ['20240501123045123', '20240501123045124'].map(
      (id) => `{"id":${id},"text":"x","version":1.10,"tags":[1.20],"timestamp":1.7e9}`,
    );
    for (const output of [lines.join('\n'), `[${lines.join(',')}]`]) {
      const map = { title: '{{version}}', text: 'v{{version}} {{id}}' };
      const { documents, problems } = await documentsIn(output, { map });
      expect(problems).toEqual([]);
      expect(documents).toMatchObject([
        { id: '20240501123045123', title: '1.10', text: 'v1.10 20240501123045123', tags: ['1.20'] },
        { id: '20240501123045124', timestamp: 1_700_000_000_000 },
      ]);
    }
  });

  it('uses the names of labels that are objects', async () => {
    const labels = [{ id: 1, name: 'bug' }, 'ui'];
    const printed = [
      { id: 1, text: 'A', tags: labels, labels },
      { id: 2, text: 'B', tags: [], labels: [{ title: 'bug' }] },
    ];
    const unmapped = await documentsIn(JSON.stringify(printed));
    expect(unmapped.documents.map(({ tags }) => tags)).toEqual([['bug', 'ui'], []]);
    const fetched = await documentsIn(JSON.stringify(printed), { map: { tags: '{{labels}}' } });
    expect(fetched.documents.map(({ tags }) => tags)).toEqual([['bug', 'ui']]);
    expect(fetched.problems.map(({ detail }) => detail)).toEqual([
      'tags.1 should be text, or an object with a `name`, not an object',
    ]);
  });

  it('reports once for each key of a map whose field no document has, or whose name has no braces', async () => {
    const printed = [
      { id: 1, title: 'A', due: null, list: [], from: { name: 'Ann' } },
      { id: 2, title: 'B', list: [] },
    ];
    const map = {
      text: '{{title}} — {{notes}} {{body.text}}',
      title: 'title',
      tags: 'todo',
      timestamp: '{{due}}',
      url: '{{list.url}}',
      project: '{{from.team}}',
      metadata: { who: '{{from.name}}', kind: 'from.name', where: '{{at}}' },
    };
    const fetched = await documentsIn(JSON.stringify(printed), { map });
    expect(fetched.documents.map(({ text }) => text)).toEqual(['A', 'B']);
    expect(fetched.problems.every(({ index, skipped }) => index === null && !skipped)).toBe(true);
    expect(fetched.problems.map(({ detail }) => detail)).toEqual([
      'map.text: no document has notes, body.text',
      'map.project: no document has from.team',
      'map.metadata.where: no document has at',
      `map.title: every document gets the text "title"; write '{{title}}' for the value of that field`,
      `map.metadata.kind: every document gets the text "from.name"; write '{{from.name}}' for the value of that field`,
    ]);
    expect((await documentsIn('[]', { map })).problems).toEqual([]);
  });

  it('returns the last of several documents with the same id, and reports them', async () => {
    const printed = [
      { id: 1, text: 'old' },
      { id: 2, text: 'other' },
      { id: '1', text: 'new' },
    ];
    const { documents, problems } = await documentsIn(JSON.stringify(printed));
    expect(documents.map(({ id, text }) => [id, text])).toEqual([
      ['2', 'other'],
      ['1', 'new'],
    ]);
    expect(problems).toEqual([
      { index: 3, id: '1', detail: 'it replaces document 1, which has the same id', skipped: false },
    ]);
  });

  it('applies the map and returns only the listed fields', async () => {
    const output = {
      kind: 'tasks',
      items: [{ uid: 'x', name: 'Call Bob', notes: 'secret', status: 'completed' }],
    };
    const text = JSON.stringify(output);
    const request = {
      map: {
        items: 'items',
        id: '{{uid}}',
        title: '{{name}}',
        text: '{{name}} — {{notes}}',
        completed: '{{status}}',
      },
    };
    const { documents } = await documentsIn(text, request);
    expect(documents).toMatchObject([
      { id: 'x', title: 'Call Bob', text: 'Call Bob — secret', completed: true },
    ]);
    const restricted = await documentsIn(text, { ...request, fields: ['title', 'completed'] });
    expect(restricted.documents).toMatchObject([{ title: 'Call Bob', text: 'Call Bob', completed: true }]);
    expect(JSON.stringify(restricted.documents)).not.toContain('secret');
    const empty = await documentsIn(text, { ...request, fields: ['tags'] });
    expect(empty.documents).toEqual([]);
    expect(empty.problems).toMatchObject([{ index: 1, id: 'x', skipped: true }]);
  });

  it('neither checks nor quotes fields that are not stored', async () => {
    const documents = [
      {
        id: 1,
        title: 'Call Bob',
        timestamp: 'noon of private',
        url: 'private',
        metadata: { private: ['x'] },
      },
      { id: 2, title: 'Call Ann', tags: 'private', metadata: 'private', text: { body: 'private' } },
      { id: 3, text: 'private' },
    ];
    const fetched = await documentsIn(JSON.stringify(documents), { fields: ['title'] });
    expect(fetched.documents.map(({ text }) => text)).toEqual(['Call Bob', 'Call Ann']);
    const detail = 'it has neither text nor title among its `fields`';
    expect(fetched.problems).toEqual([{ index: 3, id: '3', detail, skipped: true }]);
    expect(JSON.stringify(fetched)).not.toContain('private');
  });

  it('refuses an invalid template before the command runs', async () => {
    const request = shell('touch ran', { map: { text: '{{title' } });
    await expect(fetchDocuments(request)).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('map.text') as string,
    });
    await expect(fetchDocuments(shell('ls ran; echo "[]"'))).resolves.toMatchObject({
      stderr: expect.stringContaining('ran') as string,
    });
  });

  it('fails if the exit code is not 0, even after valid output', async () => {
    const line = `echo '[{"id":1,"text":"a"}]'; echo 'Token expired' >&2; exit 3`;
    await expect(fetchDocuments(shell(line))).rejects.toMatchObject({
      code: 'source_failed',
      message: 'the command ended with exit code 3: Token expired',
    });
  });

  it('fails for truncated, empty and invalid output, but not for an empty list', async () => {
    const failures: readonly (readonly [string, string])[] = [
      [`printf '[{"id":1,"text":"a"},{"id":2,"te'`, 'the output ends within document 2'],
      [`printf '{"id":1,"text":"a"}\\n{"id":2,"te'`, 'the output ends within document 2'],
      ['true', 'the command printed nothing; an empty list is printed as []'],
      ['echo "<html>"', 'the output is not JSON: it begins with "<html>"'],
      [String.raw`printf '[{"id":1,"text":"\377"}]'`, 'the output is not UTF-8'],
    ];
    for (const [line, message] of failures)
      await expect(fetchDocuments(shell(line))).rejects.toMatchObject({ code: 'source_failed', message });
    expect(await fetchDocuments(shell('echo "[]"'))).toMatchObject({
      documents: [],
      problems: [],
      printed: 0,
    });
  });

  it('returns standard error together with valid output', async () => {
    const line = String.raw`printf '\033[31mold\033[0m version\n' >&2; echo '[]'`;
    expect((await fetchDocuments(shell(line))).stderr).toBe('old version\n');
  });
});
