import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../core/json.ts';
import { LociError } from '../../core/errors.ts';
import { parseDocuments } from './parse-documents.ts';
import type { OutputValue } from '../documents/collect-documents.ts';

async function* inChunks(bytes: Uint8Array, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const offsets = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [i, end] of offsets.slice(1).entries()) yield bytes.subarray(offsets[i], end);
}

async function parsed(
  text: string | Uint8Array,
  items?: string,
  cuts?: readonly number[],
): Promise<OutputValue[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const all: OutputValue[] = [];
  for await (const value of parseDocuments(inChunks(bytes, cuts), items)) all.push(value);
  return all;
}

async function failureOf(text: string | Uint8Array, items?: string): Promise<string> {
  const outcome: unknown = await parsed(text, items).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(LociError);
  return (outcome as LociError).message;
}

const values = (...all: unknown[]) => all.map((value, i) => ({ index: i + 1, value }));

describe('parsing the output of a command', () => {
  it('parses a JSON array, JSON Lines, and a list within an object', async () => {
    expect(await parsed(' \n[{"id":1}, "two",[3],null ]\n')).toEqual(values({ id: 1 }, 'two', [3], null));
    expect(await parsed('\uFEFF{"id":1}\r\n\n  \r\n{"id":2}')).toEqual(values({ id: 1 }, { id: 2 }));
    const nested = '{"a":{"items":[9]},"data":{"kind":"x","items":[{"id":1},5]},"items":[7],"z":[1]}';
    expect(await parsed(nested, 'data.items')).toEqual(values({ id: 1 }, 5));
    expect(await parsed('[{"l":[1,2]},{"l":[3]}]', '1.l')).toEqual(values(3));
    expect(await parsed('{"items":[]}', 'items')).toEqual([]);
    expect(await parsed('[]')).toEqual([]);
  });

  it('reports an invalid line and parses the others', async () => {
    expect(await parsed('{"id":1}\n{"id":}\n[2]\n{"id":3}\n')).toEqual([
      { index: 1, value: { id: 1 } },
      { index: 2, problem: 'the line is not valid JSON' },
      { index: 3, value: [2] },
      { index: 4, value: { id: 3 } },
    ]);
  });

  it('reports where the output is truncated or invalid', async () => {
    expect(await failureOf('[{"id":1},{"id":2,"x":[')).toBe('the output ends within document 2');
    expect(await failureOf('[{"id":1},')).toBe('the output ends before its list does, after document 1');
    expect(await failureOf('{"l":[{"id":1}', 'l')).toBe(
      'the output ends before its list does, after document 1',
    );
    expect(await failureOf('{"id":1}\n{"id":2')).toBe('the output ends within document 2');
    expect(await failureOf('[{"id":1},{id:2}]')).toBe('the output is not valid JSON at document 2');
    expect(await failureOf('[{"id":1}]\n[]')).toBe('the output is not valid JSON after its end');
    expect(await failureOf('[{"id":1}}')).toBe('the output is not valid JSON at document 2');
  });

  it('describes output that is not a list of documents', async () => {
    expect(await failureOf('')).toBe('the command printed nothing; an empty list is printed as []');
    expect(await failureOf(' \n\uFEFF'.slice(0, 2))).toBe(
      'the command printed nothing; an empty list is printed as []',
    );
    expect(await failureOf('null')).toBe('the output is not JSON: it begins with "null"');
    expect(await failureOf(`<!DOCTYPE html>\n\u001b[31m<p>${'x'.repeat(99)}`)).toBe(
      `the output is not JSON: it begins with "<!DOCTYPE html> <p>${'x'.repeat(41)}…"`,
    );
    expect(await failureOf(Buffer.from('[{"id":1,"text":"\xe9"}]', 'latin1'))).toBe(
      'the output is not UTF-8',
    );
    expect(await failureOf(Buffer.from('[{"id":"é'.slice(0, -1) + 'é').subarray(0, -1))).toBe(
      'the output is not UTF-8',
    );
    expect(await failureOf(Buffer.from('\uFEFF[]', 'utf16le'))).toBe('the output is not UTF-8');
    expect(await failureOf('{\n  "id": 1,\n  "items": []\n}\n')).toBe(
      'no line of the output is a document; the first line: the line is not valid JSON',
    );
    expect(await failureOf('{"id":1,}')).toContain('no line of the output is a document');
  });

  it('reports that there is no list at the path', async () => {
    expect(await failureOf('{"items":{"a":1}}', 'items')).toBe('`items` is not a list in the output');
    expect(await failureOf('{"items":5}', 'items')).toBe('`items` is not a list in the output');
    expect(await failureOf('{"other":[1]}', 'items')).toBe('the output has no list at `items`');
    expect(await failureOf('[1,2]', 'items')).toBe('the output has no list at `items`');
    for (const path of ['', 'a..b', '.', 'a.*'])
      await expect(parsed('{}', path)).rejects.toMatchObject({ code: 'invalid_config' });
  });

  it('refuses more than 10,000 documents', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `{"id":${String(i)}}`);
    expect(await parsed(`[${lines.join(',')}]`)).toHaveLength(10_000);
    expect(await parsed(lines.join('\n'))).toHaveLength(10_000);
    const more = [...lines, '{"id":"more"}'];
    const message = 'the command printed more than 10000 documents';
    expect(await failureOf(`[${more.join(',')}]`)).toBe(message);
    expect(await failureOf(more.join('\n'))).toBe(message);
    expect(await failureOf(`{"l":[${more.join(',')}]}`, 'l')).toBe(message);
  });

  it('limits the depth and size of hostile JSON, and changes no prototype', async () => {
    const deep = '['.repeat(100_000);
    expect(await failureOf(deep)).toBe('document 1 is nested deeper than 100 levels');
    expect(await failureOf('{"a":'.repeat(100_000), 'b')).toContain('is nested deeper than 100 levels');
    const closed = `{"id":1,"x":${deep}${']'.repeat(100_000)}}`;
    expect(await parsed(`{"id":"[[\\\\"}\n${closed}`)).toEqual([
      { index: 1, value: { id: '[[\\' } },
      { index: 2, problem: 'it is nested deeper than 100 levels' },
    ]);
    expect(await parsed(`{"id":2}\n{"id":"${'x'.repeat(1_000_001)}"}\n{"id":3}`)).toMatchObject([
      { value: { id: 2 } },
      { problem: 'the line has more than 1000000 characters' },
      { value: { id: 3 } },
    ]);
    const wide = `{"id":1,${Array.from({ length: 60_000 }, (_, i) => `"${String(i)}":1`).join(',')}}`;
    expect(await failureOf(`[{},${wide}]`)).toBe('document 2, or the text next to it, is too large');
    const unusual = '{"__proto__":{"polluted":1},"constructor":2,"n":1e999,"m":-0,"s":"\\ud800\\u0000"}';
    for (const [text, items] of [
      [`[${unusual}]`, undefined],
      [unusual, undefined],
      [`{"__proto__":1,"l":[${unusual}]}`, 'l'],
    ] as const) {
      const [first] = (await parsed(text, items)) as { value: object }[];
      expect(Object.entries(first!.value)).toEqual([
        ['__proto__', { polluted: 1 }],
        ['constructor', 2],
        ['n', '1e999'],
        ['m', '-0'],
        ['s', '\ud800\u0000'],
      ]);
      expect(Object.getPrototypeOf(first!.value)).toBe(Object.prototype);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  const key = fc.string({ unit: 'grapheme' });
  const documents = fc.array(
    fc.dictionary(
      key,
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.jsonValue()),
      {
        noNullPrototype: true,
      },
    ),
    { maxLength: 8 },
  );
  const cuts = fc.array(fc.nat(), { maxLength: 12 });

  it('parses any documents, in a list or on lines and in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(documents, cuts, fc.boolean(), async (printed, at, spaced) => {
        // Byte order marks are removed, because the parser may drop one.
        const expected = parseExact(JSON.stringify(printed).replaceAll('\uFEFF', '')) as object[];
        const list = JSON.stringify(expected, null, spaced ? 2 : 0);
        expect(await parsed(list, undefined, at)).toEqual(values(...expected));
        expect(await parsed(`{"a":[1],"b":{"c":${list}}}`, 'b.c', at)).toEqual(values(...expected));
        if (expected.length === 0) return;
        const lines = expected.map((each) => JSON.stringify(each)).join(spaced ? '\r\n' : '\n');
        expect(await parsed(lines, undefined, at)).toEqual(values(...expected));
        expect(await parsed(`${lines}\n`, undefined, at)).toEqual(values(...expected));
      }),
    );
  });

  it('never accepts a truncated list, and throws source_failed', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(), cuts, async (printed, length, at) => {
        const whole = Buffer.from(JSON.stringify(printed));
        const truncated = whole.subarray(0, length % whole.length);
        await expect(parsed(truncated, undefined, at)).rejects.toMatchObject({ code: 'source_failed' });
      }),
    );
  });

  it('throws only LociError, for any output', async () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '1',
      'e',
      '-',
      '.',
      '\\',
      'u',
      '\n',
      ' ',
      'true',
      'é',
      '{"id":1}',
    );
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(bits, { maxLength: 30 }).map((all) => Buffer.from(all.join(''))),
      fc.array(bits, { maxLength: 30 }).map((all) => Buffer.from(`[{"id":1}${all.join('')}`)),
    );
    await fc.assert(
      fc.asyncProperty(garbage, cuts, fc.constantFrom(undefined, 'id'), async (bytes, at, items) => {
        const outcome: unknown = await parsed(bytes, items, at).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || outcome instanceof LociError).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('does not block the event loop', async () => {
    let turns = 0;
    let reading = true;
    const turn = (): void => {
      turns++;
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    const text = JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ id, text: 'é "x" '.repeat(50) })));
    expect(await parsed(text)).toHaveLength(5000);
    reading = false;
    expect(turns).toBeGreaterThan(5);
  });
});
