import { describe, expect, it } from 'vitest';
import { startServer } from './rest-server.ts';

const WORD = 'xylophonist';

describe('monitoring', () => {
  it('has health and readiness checks that reveal nothing else', async () => {
    const server = await startServer();
    expect((await server.request('/healthz')).json).toEqual({ status: 'ok' });
    const ready = await server.request('/readyz');
    expect([ready.status, ready.text]).toEqual([200, '{"status":"ready"}']);
  });

  it('counts requests by route and status, without namespaces, subjects or queries', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'write');
    const operator = await server.token('alice', 'operator');
    await server.request('/api/v1/memory/write', { token, body: { content: `A ${WORD}.` } });
    await server.request(`/api/v1/memory/search?query=${WORD}`, { token });
    await server.request(`/api/v1/memory/get?citation=${WORD}`, { token });
    for (const path of [`/${WORD}`, `/api/v1/${WORD}`, `/api/v1/memory/${WORD}`])
      await server.request(path, { token });
    await server.request('/healthz', { method: 'PROPFIND' });
    const { text, headers } = await server.request('/metrics', { token: operator });
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    const count = (labels: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`loci_http_request_duration_seconds_count{${labels}}`))
          ?.split(' ')[1],
      );
    expect(count('method="POST",route="/api/v1/memory/write",status="200"')).toBe(1);
    expect(count('method="GET",route="/api/v1/memory/search",status="200"')).toBe(1);
    expect(count('method="GET",route="/api/v1/memory/get",status="404"')).toBe(1);
    expect(count('method="GET",route="none",status="404"')).toBe(3);
    // Searches of other servers in this process are counted too.
    expect(text).toMatch(/^loci_search_signal_duration_seconds_count\{signal="text"\} [1-9]/m);
    expect(text).toMatch(/^loci_store_records 1$/m);
    expect(text).toMatch(/^loci_embeddings_pending 0$/m);
    expect(text).toMatch(/^loci_store_bytes [1-9]/m);
    // A file has no connections.
    expect(text).not.toContain('loci_store_connections');
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
    expect(text).not.toMatch(new RegExp(`${WORD}|alice|default|loci_[0-9A-Za-z]{40}`));
  });

  it('logs each request without its content', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'write');
    await server.request('/api/v1/memory/write', {
      token,
      headers: { 'x-request-id': 'r1', 'x-note': WORD, 'user-agent': WORD },
      body: { content: `A ${WORD}.` },
    });
    await server.request(`/api/v1/memory/search?query=${WORD}&limit=0`, {
      token,
      headers: { 'x-request-id': 'r2' },
    });
    await server.request(`/${WORD}`, { token: WORD, headers: { 'x-request-id': 'r3' } });
    const lines = server.log.filter(({ msg }) => msg === 'request');
    expect(lines).toMatchObject([
      { request_id: 'r1', method: 'POST', route: '/api/v1/memory/write', status: 200 },
      { request_id: 'r2', method: 'GET', route: '/api/v1/memory/search', status: 400, code: 'invalid_input' },
      { request_id: 'r3', method: 'GET', route: 'none', status: 404, code: 'not_found' },
    ]);
    for (const line of lines) {
      expect(line['ms']).toBeGreaterThan(0);
      const allowedKeys = ['level', 'time', 'request_id', 'method', 'route', 'status', 'ms', 'code', 'msg'];
      expect(Object.keys(line).filter((key) => !allowedKeys.includes(key))).toEqual([]);
    }
    expect(JSON.stringify(server.log)).not.toMatch(new RegExp(`${WORD}|alice|${token.slice(5, 25)}`));
  });
});
