import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withinTime } from './app.ts';

const newResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

it('returns the result, or throws what the work throws, and leaves no listener behind', async () => {
  const response = newResponse();
  expect(await withinTime(10_000, response, () => Promise.resolve('done'))).toBe('done');
  const failing = withinTime(10_000, response, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(response.listenerCount('close')).toBe(0);
});

it.each([
  ['does not hear the signal', () => Promise.withResolvers<never>().promise],
  ['ends when it fires', (signal: AbortSignal) => once(signal, 'abort')],
  ['fails in its own way then', (signal: AbortSignal) => delay(10_000, undefined, { signal })],
])('stops work that %s', async (_, work) => {
  await expect(withinTime(1, newResponse(), work)).rejects.toMatchObject({ code: 'timed_out' });
  const response = newResponse();
  const stopped = withinTime(10_000, response, work);
  response.emit('close');
  await expect(stopped).rejects.toMatchObject({ code: 'aborted', message: 'the client has disconnected' });
});
