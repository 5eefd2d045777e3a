import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventStream } from './events.ts';

interface Connection {
  readonly client: Socket;
  readonly stream: EventStream;
  /** When the server has no connection any more. */
  readonly closed: Promise<unknown>;
}

/** A client that has sent a request, and the stream that answers it. */
async function open(heartbeatMs = 60_000): Promise<Connection> {
  const opened = Promise.withResolvers<{ response: ServerResponse; stream: EventStream }>();
  const answer = getRequestListener(
    (_, env) => {
      const { outgoing: response } = env as HttpBindings;
      const stream = new EventStream(response, heartbeatMs);
      opened.resolve({ response, stream });
      return stream.response;
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const { response, stream } = await opened.promise;
  return { client, stream, closed: once(response, 'close') };
}

describe('EventStream', () => {
  it('sends one line of data, with control and invisible characters escaped, and closes the connection', async () => {
    const { client, stream } = await open();
    stream.send('result', JSON.stringify({ text: 'a\n\nevent: x\u202e\u2028' }));
    stream.end();
    expect(await text(client)).toContain(
      '\nevent: result\ndata: {"text":"a\\n\\nevent: x\\u202e\\u2028"}\n\n',
    );
  });

  it('shows with comments that the connection works, for longer than it may be idle', async () => {
    const { client } = await open(20);
    let received = '';
    for await (const chunk of client.setEncoding('utf8')) {
      received += chunk as string;
      if (received.split(': \n\n').length > 4) break;
    }
    expect(received).toContain('content-type: text/event-stream');
  });

  it.each([false, true])('disconnects a client that reads nothing (after the end: %s)', async (isEnded) => {
    const { client, stream, closed } = await open(100);
    client.pause();
    while (!stream.isFull) {
      stream.send('change', JSON.stringify('x'.repeat(4_000_000)));
      await new Promise(setImmediate);
    }
    if (isEnded) stream.end();
    await closed;
    expect(stream.signal.aborted).toBe(true);
  });

  it('ends when the client has gone, and ignores what is sent then', async () => {
    const { client, stream } = await open();
    const aborted = once(stream.signal, 'abort');
    client.destroy();
    await aborted;
    expect(() => {
      stream.send('change', '{}');
      stream.end();
    }).not.toThrow();
  });

  it('ends when the server gives its body up before the connection is closed', async () => {
    const response = Object.assign(new EventEmitter(), { socket: null });
    const stream = new EventStream(response as unknown as ServerResponse);
    await stream.response.body!.cancel();
    expect(stream.signal.aborted).toBe(true);
    stream.send('change', '{}');
    stream.end();
  });
});
