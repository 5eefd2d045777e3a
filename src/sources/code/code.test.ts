import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LociError } from '../../core/errors.ts';
import type { FetchResult } from '../document.ts';
import { type CodeOptions, openCode } from './code.ts';

function fetched(returned: unknown, options: Partial<CodeOptions> = {}): Promise<FetchResult> {
  return openCode({ fetchDocuments: () => returned, timeout: 30_000, ...options }).fetch({});
}

describe('a function that returns documents', () => {
  it('gives every field of a document, with a Date as time', async () => {
    const document = {
      id: 7,
      text: 'Buy tile samples\r\nfrom Home Depot',
      title: 'Tiles',
      tags: ['home'],
      timestamp: new Date(1_764_060_000_000),
      metadata: { sender: 'Ann', count: 2 },
      completed: false,
      project: 'house',
      url: 'https://example.org/7',
      toString: () => 'a method',
    };
    const { toString: _, ...fields } = document;
    const result = await fetched(Promise.resolve([document]));
    expect(result).toMatchObject({ printed: 1, problems: [], stderr: '' });
    expect(result.bytes).toBeGreaterThan(100);
    expect(result.documents).toEqual([
      {
        ...fields,
        id: '7',
        text: 'Buy tile samples\nfrom Home Depot',
        timestamp: 1_764_060_000_000,
        wholeDay: false,
      },
    ]);
  });

  it.each([
    [undefined, 'fetch() returned undefined, not a list of documents'],
    ['[]', 'fetch() returned text, not a list of documents'],
    [{ length: 0 }, 'fetch() returned a value of type object, not a list of documents'],
    [new Array(10_001), 'fetch() returned more than 10000 documents'],
    [[{ id: 1, text: 'x'.repeat(10_000_001) }], 'fetch() returned more than 10 MB'],
  ])('fails when it returns %.20s', async (returned, message) => {
    await expect(fetched(returned)).rejects.toMatchObject({ code: 'source_failed', message });
  });

  it('fails when it throws or rejects, whatever is thrown', async () => {
    const failing = (thrown: unknown): Promise<FetchResult> =>
      fetched(null, {
        fetchDocuments: () => {
          throw thrown;
        },
      });
    const failed = (message: string): object => ({ code: 'source_failed', message });
    await expect(failing(new Error('no network'))).rejects.toMatchObject(
      failed('fetch() failed: no network'),
    );
    await expect(failing('no network')).rejects.toMatchObject(failed('fetch() failed: no network'));
    await expect(failing(new LociError('aborted', 'mine'))).rejects.toMatchObject(
      failed('fetch() failed: mine'),
    );
    await expect(fetched(Promise.reject(new Error('later')))).rejects.toMatchObject(
      failed('fetch() failed: later'),
    );
  });

  it('gives the good documents among others that are invalid', async () => {
    const cycle: Record<string, unknown> = { id: 'cycle', text: 'C' };
    cycle['self'] = cycle;
    const thrower = {
      id: 'thrower',
      get text(): string {
        throw new Error('no');
      },
    };
    let nested: unknown = 1;
    for (let depth = 0; depth < 200; depth++) nested = [nested];
    const all = [
      { id: 'a', text: 'A' },
      cycle,
      thrower,
      12n,
      () => 1,
      null,
      { id: 'n', text: nested },
      { id: 'b' },
    ];
    const { documents, problems, printed } = await fetched([...all, { id: 'a', text: 'again' }]);
    expect(documents.map(({ id, text }) => [id, text])).toEqual([['a', 'again']]);
    expect(printed).toBe(9);
    expect(problems.map(({ index, detail }) => [index, detail])).toEqual([
      [2, 'it cannot be written as JSON'],
      [3, 'it cannot be written as JSON'],
      [4, 'it cannot be written as JSON'],
      [5, 'it cannot be written as JSON'],
      [6, 'it is missing'],
      [7, 'it is nested deeper than 100 levels'],
      [8, 'text is missing'],
      [9, 'it replaces document 1, which has the same id'],
    ]);
  });

  it('is restricted to fields, and its unknown fields are named', async () => {
    const mail = { id: 1, title: 'Invoice', text: 'secret', due: 1 };
    const result = await fetched([mail], { fields: ['title', 'timestamp'] });
    expect(result.documents).toMatchObject([{ text: 'Invoice', title: 'Invoice' }]);
    expect(result.problems.map(({ detail }) => detail)).toEqual([
      'due: 1 document has it, but Loci does not read it; call it timestamp',
    ]);
  });

  it('is told to stop at its timeout, and is not called again before it has ended', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<readonly unknown[]>();
    const signals: AbortSignal[] = [];
    const source = openCode({
      fetchDocuments: (signal) => {
        signals.push(signal);
        return ended;
      },
      timeout: 20,
    });
    await expect(source.fetch({})).rejects.toMatchObject({
      code: 'source_failed',
      message: 'fetch() did not end within 0.02 s',
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(source.fetch({})).rejects.toMatchObject({
      code: 'source_failed',
      message: 'the last call of fetch() has not ended',
    });
    end([]);
    await setImmediate();
    await expect(source.fetch({})).resolves.toMatchObject({ printed: 0 });
    expect(signals).toHaveLength(2);
  });

  it('is stopped by a signal, also before it is called', async () => {
    const stop = new AbortController();
    const { promise: called, resolve: call } = Promise.withResolvers<AbortSignal>();
    const source = openCode({
      fetchDocuments: (signal) => {
        call(signal);
        return Promise.withResolvers<never>().promise;
      },
      timeout: 30_000,
    });
    const fetching = source.fetch({ signal: stop.signal });
    const signal = await called;
    stop.abort();
    await expect(fetching).rejects.toMatchObject({ code: 'aborted' });
    expect(signal.aborted).toBe(true);
    await expect(source.fetch({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
