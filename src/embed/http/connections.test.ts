import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './http.ts';

/** A client of a server that answers its requests in turn; the last answer is repeated. */
async function clientOf(...answers: readonly RequestListener[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const answer =
      answers[Math.min(asked.push(`${request.headers['content-length']!} bytes`), answers.length) - 1];
    request.resume().on('end', () => answer!(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = new HttpClient(
    { url: `${origin}/v1`, apiKey: undefined, allowLinkLocal: false, concurrency: 1 },
    { needsKey: false },
  );
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const ask = (timeoutMs = 5000.5, signal?: AbortSignal): Promise<unknown> =>
    client.post('embeddings', { text: 'ö' }, { timeoutMs, maxAnswerBytes: 100, ...(signal && { signal }) });
  return { asked, ask, origin };
}

const answer: RequestListener = (_request, response) => void response.end('{}');
const breakOff: RequestListener = (request) => void request.socket.destroy();
const begin: RequestListener = (_request, response) => void response.writeHead(200).write('{');

describe('a connection', () => {
  it('that was kept open and is closed is replaced by another one', async () => {
    const { asked, ask } = await clientOf(answer, breakOff, answer);
    expect([await ask(), await ask()]).toEqual([{}, {}]);
    expect(asked).toEqual(['13 bytes', '13 bytes', '13 bytes']);
  });

  it('that is new and is closed is an error', async () => {
    const { asked, ask, origin } = await clientOf(breakOff);
    await expect(ask()).rejects.toMatchObject({
      kind: 'unreachable',
      message: `${origin} cannot be reached: ECONNRESET`,
    });
    expect(asked).toHaveLength(1);
  });

  it('that breaks during the answer is an error', async () => {
    const breakLater: RequestListener = (request, response) =>
      void response.writeHead(200).write('{', () => request.socket.destroy());
    const { asked, ask, origin } = await clientOf(answer, breakLater);
    await ask();
    await expect(ask()).rejects.toMatchObject({
      kind: 'unreachable',
      message: `the connection to ${origin} broke during the answer`,
    });
    expect(asked).toHaveLength(2);
  });

  it('is given up when an answer has begun and does not end in time, or nobody waits for it', async () => {
    const { ask, origin } = await clientOf(begin);
    await expect(ask(50)).rejects.toMatchObject({
      kind: 'late',
      message: `${origin} did not answer within 50 ms`,
    });
    const stop = new AbortController();
    const stopped = ask(5000, stop.signal);
    stop.abort(new Error('nobody waits'));
    await expect(stopped).rejects.toMatchObject({ code: 'aborted', cause: { message: 'nobody waits' } });
    await expect(ask(5000, stop.signal)).rejects.toMatchObject({ code: 'aborted' });
  });
});

/** Runs in a thread of its own, whose look-ups of any name have these results in turn. */
const WITH_LOOKUPS = `
const { parentPort, workerData } = require('node:worker_threads');
const { lookups, module, url } = workerData;
require('node:dns').lookup = (_name, _options, done) => done(null, lookups.shift());
require('node:module').syncBuiltinESMExports();
import(module).then(async ({ HttpClient }) => {
  const settings = { url, apiKey: undefined, allowLinkLocal: false, concurrency: 1 };
  const client = new HttpClient(settings, { needsKey: false });
  const ask = () => client.post('x', {}, { timeoutMs: 5000, maxAnswerBytes: 100 }).catch(({ message }) => message);
  const answers = [];
  while (lookups.length > 0) answers.push(await ask());
  parentPort.postMessage(answers);
});`;

it('a name is looked up once for each connection, which is made to what was checked', async () => {
  const { origin, asked } = await clientOf((_request, response) => {
    response.writeHead(200, { connection: 'close' }).end('{}');
  });
  const own = { address: '127.0.0.1', family: 4 };
  const linkLocal = { address: '169.254.169.254', family: 4 };
  const translated = { address: '64:ff9b::a9fe:a9fe', family: 6 };
  const worker = new Worker(WITH_LOOKUPS, {
    eval: true,
    workerData: {
      lookups: [[own], [linkLocal], [own, linkLocal], [translated], [own]],
      module: new URL('http.ts', import.meta.url).href,
      url: origin.replace('127.0.0.1', 'provider.example'),
    },
  });
  const [answers] = (await once(worker, 'message')) as [unknown[]];
  const refused = expect.stringContaining('is a link-local address or one of a cloud') as string;
  expect(answers).toEqual([{}, refused, refused, refused, {}]);
  expect(asked).toHaveLength(2);
});
