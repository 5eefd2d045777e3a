import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApi } from './openapi.ts';
import { holderOf } from './who-listens.ts';

async function holding(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, '0.0.0.0'), 'listening');
  return holderOf({ host: '0.0.0.0', port: (server.address() as AddressInfo).port });
}

function answering(body: string): Server {
  return createHttpServer((request, response) =>
    response.end(request.url === '/api/v1/openapi.json' ? body : ''),
  );
}

describe('who holds a place', () => {
  it('is Loci where its description is', async () => {
    expect(await holding(answering(JSON.stringify(openApi([]))))).toBe('Loci');
  });

  it('is another program where there is something else, or nothing that speaks HTTP', async () => {
    const other = JSON.stringify({ openapi: '3.1.0', info: { title: 'Something' } });
    expect(await holding(answering(other))).toBe('another program');
    expect(await holding(answering(''))).toBe('another program');
    expect(await holding(createServer((socket) => socket.end('SSH-2.0\r\n')))).toBe('another program');
  });

  it('is another program where nothing is said, or no end', async () => {
    const open: Set<{ destroy(): void }> = new Set();
    onTestFinished(() => open.forEach((socket) => socket.destroy()));
    expect(await holding(createServer((socket) => void open.add(socket)))).toBe('another program');
    const endless = createHttpServer((_, response) => void response.write('x'.repeat(100_000)));
    endless.on('connection', (socket) => void open.add(socket));
    expect(await holding(endless)).toBe('another program');
  });
});
