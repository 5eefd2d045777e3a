import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { toolName } from '../../src/operations/operation.ts';
import { indexedHomes, temporaryFolder } from './loci-command.ts';
import { startEndpoint } from './mcp-endpoint.ts';
import { textOf } from './mcp-session.ts';

async function connectHttp(
  url: URL,
  options: ConstructorParameters<typeof Client>[1] = {},
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, options);
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const missingHome = (): string => join(temporaryFolder(), 'home');
const indexedHome = indexedHomes();

describe('MCP over streamable HTTP and the official client', () => {
  it.each([
    ['without sessions, as before 2026', {}],
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('writes, finds and reads (%s)', async (_, options) => {
    const client = await connectHttp(await startEndpoint({ home: missingHome() }), options);
    const written = await client.callTool({
      name: 'memory_write',
      arguments: { content: 'The oven is induction.', title: 'Oven' },
    });
    expect(written.structuredContent).toMatchObject({ id: 1 });
    const found = await client.callTool({ name: 'memory_search', arguments: { query: 'oven' } });
    expect(textOf(found)).toMatch(/^1 result.*\n~~~ recalled\n1\. Oven\n/);
    const { contents } = await client.readResource({ uri: 'loci://record/1' });
    expect(contents).toMatchObject([
      { text: expect.stringContaining('\n\nThe oven is induction.\n~~~') as string },
    ]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('memory_write');
  });

  it('lists and runs only tools that the scopes of the caller permit', async () => {
    const home = indexedHome();
    const client = await connectHttp(await startEndpoint({ home, scopes: ['read'] }));
    const { tools } = await client.listTools();
    const operations = await Promise.all(OPERATIONS.map(({ load }) => load()));
    const readOperations = operations.filter(
      ({ local, scope, listedOnRequest }) => local !== true && scope === 'read' && listedOnRequest !== true,
    );
    expect(tools.map(({ name }) => name)).toEqual(readOperations.map(toolName));
    const refused = await client.callTool({ name: 'memory_write', arguments: { content: 'x' } });
    expect(textOf(refused)).toMatch(/^forbidden: memory_write needs the scope write — /);
    const owner = await connectHttp(await startEndpoint({ home, scopes: ['read', 'write', 'operator'] }));
    expect((await owner.listTools()).tools.map(({ name }) => name)).toContain('doctor');
  });

  it.each([
    ['without sessions', {}],
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('reports the progress of a long call to a client that requests it (%s)', async (_, options) => {
    const home = indexedHome();
    const client = await connectHttp(await startEndpoint({ home, scopes: ['read', 'operator'] }), options);
    const reported: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }): void => void reported.push(progress);
    const result = await client.callTool({ name: 'reindex', arguments: {} }, { onprogress });
    expect(result.isError).not.toBe(true);
    expect(reported.length).toBeGreaterThan(0);
    expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  });

  it('separates callers whose requests are concurrent', async () => {
    const url = await startEndpoint({
      home: missingHome(),
      namespaceOf: (subject) => subject ?? 'default',
    });
    const subjects = ['alice', 'bob', 'carol'];
    const clients = await Promise.all(
      subjects.map((subject) => connectHttp(url, {}, { 'x-subject': subject })),
    );
    const write = (client: Client, i: number): Promise<unknown> =>
      client.callTool({ name: 'memory_write', arguments: { content: `the oven of ${subjects[i]!}` } });
    await Promise.all(clients.map(write));
    const found = await Promise.all(
      clients.map((client) => client.callTool({ name: 'memory_search', arguments: { query: 'the oven' } })),
    );
    for (const [i, result] of found.entries())
      expect(result.structuredContent).toMatchObject({
        results: [{ text: `the oven of ${subjects[i]!}` }],
      });
  });

  it('answers invalid requests with an HTTP error, never with a stack trace', async () => {
    const url = await startEndpoint({ home: missingHome() });
    const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      });
    const responses = await Promise.all([
      post('{'),
      post('null'),
      post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}'),
      post('{}', { 'content-type': 'text/plain' }),
      fetch(url, { headers: { accept: 'text/event-stream' } }),
    ]);
    for (const response of responses) {
      expect(response.status).toBeLessThan(500);
      expect(await response.text()).not.toMatch(/node_modules|\.ts:\d|^\s+at /m);
    }
    expect(responses.at(-1)?.status).toBe(405);
  });
});
