import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LoadedOperation } from '../../operations/operation.ts';
import { requestInput, routesOf } from './request-input.ts';

const operation: LoadedOperation = {
  name: 'try-it',
  title: 'Try',
  description: 'An operation with one field of each kind.',
  input: z.strictObject({
    text: z.string().exactOptional(),
    number: z.number().exactOptional(),
    whole: z.int().exactOptional(),
    flag: z.boolean().exactOptional(),
    list: z.array(z.string()).exactOptional(),
    numbers: z.array(z.number()).exactOptional(),
    idempotency_key: z.string().exactOptional(),
  }),
  output: z.strictObject({}),
  kind: 'read',
  scope: 'read',
  examples: [],
  run: () => Promise.resolve({}),
};
const [route] = await routesOf([{ name: 'try-it', summary: '', load: () => Promise.resolve(operation) }]);

type Head = Partial<Pick<IncomingMessage, 'method' | 'url' | 'headers'>>;

function inputOf(request: Head, body = ''): unknown {
  return requestInput({ headers: {}, ...request }, route!, body);
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

describe('requestInput', () => {
  it('has a path that follows from the name of the operation', () =>
    expect(route?.path).toBe('/api/v1/try/it'));

  it('parses the query of a GET according to the fields', () => {
    const url = '/x?text=12&number=-1.5&whole=7&flag=true&list=a&list=b,c&numbers=1&numbers=x';
    const expected = {
      text: '12',
      number: -1.5,
      whole: 7,
      flag: true,
      list: ['a', 'b,c'],
      numbers: [1, 'x'],
    };
    expect(inputOf({ method: 'GET', url })).toEqual(expected);
  });

  it.each([
    ['/x', {}],
    ['/x?', {}],
    ['/x?text=', { text: '' }],
    ['/x?text=a%20b+c%FF', { text: 'a b c\ufffd' }],
    ['/x?number=0x10', { number: '0x10' }],
    ['/x?number=', { number: '' }],
    ['/x?flag=yes', { flag: 'yes' }],
    ['/x?text=a&text=b', { text: ['a', 'b'] }],
    ['/x?list=one', { list: ['one'] }],
    ['/x?other=1', { other: '1' }],
  ])('parses %s to %j, without checking it', (url, expected) =>
    expect(inputOf({ method: 'GET', url })).toEqual(expected),
  );

  it('parses the body of a POST', () => {
    expect(inputOf({ method: 'POST', headers: JSON_TYPE }, '{"text":"a"}')).toEqual({ text: 'a' });
    expect(inputOf({ method: 'POST' }, '')).toEqual({});
  });

  it('takes the idempotency key of the header, and refuses a different one in the body', () => {
    const headers = { ...JSON_TYPE, 'idempotency-key': 'k1' };
    const inputWith = (body: string) => inputOf({ method: 'POST', headers }, body);
    expect(inputWith('{"text":"a"}')).toEqual({ text: 'a', idempotency_key: 'k1' });
    expect(inputWith('{"idempotency_key":"k1"}')).toEqual({ idempotency_key: 'k1' });
    expect(() => inputWith('{"idempotency_key":"k2"}')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
    expect(inputWith('[]')).toEqual([]);
  });
});
