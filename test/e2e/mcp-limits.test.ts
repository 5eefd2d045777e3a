import { describe, expect, it } from 'vitest';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { type HttpResponse, startServer, type TestServer } from './rest-server.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

function message(method: string, params: object, id = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

function post(server: TestServer, token: string, body: unknown): Promise<HttpResponse> {
  return server.request('/mcp', { token, headers: HEADERS, body });
}

/** The JSON-RPC messages of an event stream. */
function messagesOf({
  text,
}: HttpResponse): { readonly result?: unknown; readonly error?: { message: string } }[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1] ?? '') as never);
}

describe('limits of MCP over HTTP', () => {
  it.each([
    ['resources/read', { uri: 'loci://record/1' }],
    ['resources/read', { uri: 'loci://my-memory' }],
    ['resources/read', { uri: 'loci://startup' }],
    ['prompts/get', { name: 'recall', arguments: { question: 'oven' } }],
    ['tools/call', { name: 'memory_search', arguments: { query: 'oven' } }],
  ])('answers %s %j only to a token with the scope read', async (method, params) => {
    const server = await startServer({}, { mcp: mcpHandler });
    const [unscoped, write] = [await server.token('alice'), await server.token('alice', 'write')];
    const body = { content: 'The oven is behind the teapot.', title: 'Oven' };
    await server.request('/api/v1/memory/write', { token: write, body });
    const refused = await post(server, unscoped, message(method, params));
    expect(refused.text).toContain('forbidden');
    expect(refused.text).not.toContain('teapot');
    const [allowed] = messagesOf(await post(server, write, message(method, params)));
    expect(allowed?.error).toBeUndefined();
    expect(JSON.stringify(allowed?.result)).not.toContain('forbidden');
  });

  it('counts each message of a batch as a request', async () => {
    const server = await startServer({}, { mcp: mcpHandler, limits: { requestsPerSecond: 5 } });
    const call = (_: unknown, i: number): object =>
      message('tools/call', { name: 'memory_list', arguments: {} }, i + 1);
    const few = await post(server, await server.token('alice', 'read'), Array.from({ length: 5 }, call));
    expect(messagesOf(few)).toHaveLength(5);
    // Some clients send `null` to a tool that needs no arguments.
    const none = [message('tools/call', { name: 'memory_list', arguments: null }, 1)];
    for (const body of [none, none[0]!])
      expect(messagesOf(await post(server, await server.token('carol', 'read'), body))).toMatchObject([
        { result: { structuredContent: { facts: [] } } },
      ]);
    const many = await post(server, await server.token('bob', 'read'), Array.from({ length: 50 }, call));
    expect([many.status, many.problem.code]).toEqual([429, 'rate_limited']);
  });

  it('has the same limits on the size and depth of a body as operations', async () => {
    const server = await startServer({}, { mcp: mcpHandler, limits: { maxBodyBytes: 10_000 } });
    const token = await server.token('alice', 'write');
    const write = (content: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"content":${content}}}}`;
    const large = await post(server, token, write(JSON.stringify('x'.repeat(10_240))));
    expect([large.status, large.problem.code]).toEqual([413, 'too_large']);
    const deep = await post(server, token, write(`${'['.repeat(100)}${']'.repeat(100)}`));
    expect([deep.status, deep.problem.code]).toEqual([400, 'invalid_input']);
    const broken = await post(server, token, '{"jsonrpc":');
    expect([broken.status, broken.problem.code]).toEqual([400, 'invalid_input']);
    expect(messagesOf(await post(server, token, write('"short"')))).toMatchObject([
      { result: { structuredContent: { id: 1 } } },
    ]);
  });
});
