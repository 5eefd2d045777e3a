import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import { indexedHomes, loci, MAIN } from './loci-command.ts';
import { startEndpoint } from './mcp-endpoint.ts';
import { serverEnvironment } from './mcp-session.ts';

/** A client that somebody else wrote, connected to a server. */
interface ConnectedClient {
  /** The names of the tools. */
  list(): Promise<string[]>;
  /** Returns all that a model could read of the result. @throws if the client or the server rejects the call */
  call(tool: string, input: Record<string, Json>): Promise<string>;
}

interface ServerProcess {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

function serverProcess(home: string): ServerProcess {
  return { command: process.execPath, args: [MAIN, 'mcp'], env: serverEnvironment({ home }) };
}

/** Version 1 of the TypeScript SDK, on which most clients are built. It validates structured content with draft-07. */
async function connectSdk(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'sdk-1', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

async function sdkClient(transport: Transport): Promise<ConnectedClient> {
  const client = await connectSdk(transport);
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool, input) => {
      const result = await client.callTool({ name: tool, arguments: input });
      if (result.isError === true) throw new Error(JSON.stringify(result.content));
      return JSON.stringify(result);
    },
  };
}

async function langchainClient(transport: Transport): Promise<ConnectedClient> {
  const tools = await loadMcpTools('loci', await connectSdk(transport));
  return {
    list: () => Promise.resolve(tools.map(({ name }) => name)),
    call: async (tool, input) => JSON.stringify(await tools.find(({ name }) => name === tool)!.invoke(input)),
  };
}

type AiTransport = Parameters<typeof createMCPClient>[0]['transport'];

async function aiClient(transport: AiTransport): Promise<ConnectedClient> {
  const client = await createMCPClient({ transport });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  return {
    list: () => Promise.resolve(Object.keys(tools)),
    call: async (tool, input) => {
      const result = await tools[tool]!.execute(input, { toolCallId: '1', messages: [], context: undefined });
      if ((result as { readonly isError?: boolean }).isError === true)
        throw new Error(JSON.stringify(result));
      return JSON.stringify(result);
    },
  };
}

const CLIENTS: readonly (readonly [string, (home: string) => Promise<ConnectedClient>])[] = [
  ['the TypeScript SDK 1 over stdio', (home) => sdkClient(new StdioClientTransport(serverProcess(home)))],
  ['LangChain over HTTP', async (home) => langchainClient(await httpTransport(home))],
  ['the AI SDK over stdio', (home) => aiClient(new StdioMCPTransport(serverProcess(home)))],
];

async function httpTransport(home: string): Promise<Transport> {
  return new StreamableHTTPClientTransport(await startEndpoint({ home }));
}

const indexedHome = indexedHomes();

/** A call of each tool, and what its result contains. The calls depend on those before them. */
const CALLS: readonly (readonly [tool: string, input: Record<string, Json>, contained: string])[] = [
  ['memory_write', { content: 'The oven is induction.', title: 'Oven', tags: ['kitchen'] }, 'record/'],
  ['memory_search', { query: 'oven induction', limit: 3, explain: true }, 'Oven'],
  ['memory_search', { query: 'kitchen remodel', origins: ['vault'] }, 'Kitchen remodel'],
  ['memory_search', { query: 'zebulon quark' }, 'Nothing found'],
  ['memory_get', { citation: 'Home/Kitchen remodel.md' }, 'Kitchen remodel'],
  ['memory_pack', { query: 'kitchen remodel', budget: 500 }, 'Kitchen remodel'],
  ['memory_timeline', { anchor: 'Home/Kitchen remodel.md', before: 2, after: 2 }, 'Kitchen remodel'],
  ['memory_store', { key: 'preferred_framework', value: 'SolidJS' }, 'preferred_framework'],
  ['memory_recall', { key: 'preferred_framework' }, 'SolidJS'],
  ['memory_list', {}, 'SolidJS'],
  ['memory_categories', {}, 'user_facts'],
  ['memory_forget', { key: 'preferred_framework' }, 'preferred_framework'],
  ['memory_sources', {}, 'vault'],
  ['startup_inject', { model: 'opus' }, 'text'],
];

/** Those of the calls that agents see only if the settings name them. */
const LISTED_ON_REQUEST = [
  ...['memory_timeline', 'memory_undelete', 'memory_recall', 'memory_list', 'memory_forget'],
  ...['memory_categories', 'memory_sources', 'startup_inject'],
];

describe('clients that others wrote', () => {
  it.each(CLIENTS)('%s lists the tools and gets a real answer from each', async (_, connect) => {
    const home = indexedHome();
    await loci(['config', 'set', 'mcp.tools', JSON.stringify(LISTED_ON_REQUEST)], { home });
    const client = await connect(home);
    const tools = await client.list();
    const called = new Set(CALLS.map(([tool]) => tool));
    // These three change the record whose number the first call returns.
    const changing = ['memory_update', 'memory_delete', 'memory_undelete'];
    expect(tools.toSorted()).toEqual([...called, ...changing].toSorted());
    const results: string[] = [];
    for (const [tool, input, contained] of CALLS) {
      const result = await client.call(tool, input);
      expect(result).toContain(contained);
      results.push(result);
    }
    const id = Number(/record\/(\d+)/.exec(results[0]!)![1]);
    for (const tool of changing)
      expect(await client.call(tool, { id, ...(tool === 'memory_update' && { title: 'Range' }) })).toContain(
        String(id),
      );
  });

  it('may write inputs as models do: null and "" for absent, text for numbers, one value for a list, path', async () => {
    const home = indexedHome();
    const client = await sdkClient(new StdioClientTransport(serverProcess(home)));
    const input = {
      query: 'kitchen remodel',
      limit: '1',
      origins: 'vault',
      tags: '[]',
      project: null,
      category: '',
    };
    expect(await client.call('memory_search', input)).toContain('1 result');
    expect(await client.call('memory_get', { path: 'Home/Kitchen remodel.md' })).toContain('Kitchen remodel');
    const [, id = ''] = /record\/(\d+)/.exec(
      await client.call('memory_write', { content: 'The tap drips.', tags: 'kitchen, water' }),
    )!;
    const record = await client.call('memory_get', { citation: `loci://record/${id}` });
    expect(record).toContain('The tap drips.');
    expect(await client.call('memory_search', { query: 'tap drips', tags: 'water' })).toContain('1 result');
    await expect(client.call('memory_search', { query: 'oven', limit: 'three' })).rejects.toThrow(
      'limit must be a number',
    );
  });
});
