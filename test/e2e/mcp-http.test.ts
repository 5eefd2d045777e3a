import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { toolName } from '../../src/operations/operation.ts';
import { indexedHomes } from './loci-command.ts';
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

const indexedHome = indexedHomes();

describe('MCP over streamable HTTP and the official client', () => {
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
});
