import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { createContext } from '../../src/operations/context.ts';
import { mcpServer } from '../../src/surfaces/mcp/server.ts';
import { MAIN } from './loci-command.ts';

export interface McpProcess {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program to start; by default Node, which runs the bundled command line. */
  readonly command?: string;
  readonly args?: readonly string[];
}

/** The environment of a server. Agents may write and the embedding provider is `none`, unless `env` sets something else. */
export function serverEnvironment({ home, env }: McpProcess): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    LOCI_HOME: home,
    LOCI_EMBEDDING_PROVIDER: 'none',
    LOCI_WRITES_ENABLED: 'true',
    ...env,
  };
}

export function stdioTransport(server: McpProcess): StdioClientTransport {
  const { command = process.execPath, args = [MAIN, 'mcp'] } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: serverEnvironment(server),
    stderr: 'pipe',
  });
}

/** Connects the official client to a separate process. The client is closed after the test. */
export async function connectStdio(
  server: McpProcess,
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, options);
  onTestFinished(() => client.close());
  await client.connect(stdioTransport(server));
  return client;
}

/** Connects the official client to a server in this process, which answers as `loci mcp` does. Both are closed after the test. */
export async function connectMcp(
  server: Pick<McpProcess, 'home' | 'env'>,
  { name = 'test-client' }: { readonly name?: string } = {},
): Promise<Client> {
  const caller = { surface: 'mcp', trust: 'agent' } as const;
  const context = createContext({
    home: server.home,
    caller,
    inlineStore: true,
    env: serverEnvironment(server),
  });
  const client = new Client({ name, version: '1.0.0' });
  onTestFinished(async () => {
    await client.close();
    await context.close();
  });
  const mcp = mcpServer({
    context: async () => context,
    scopes: new Set(['read', 'write']),
    callerOf: (name) => ({ ...caller, ...(name !== undefined && { actor: name }) }),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([mcp.connect(ours), client.connect(theirs)]);
  return client;
}

/** The text of a tool result. */
export function textOf(result: { readonly content?: unknown }): string {
  const blocks = (result.content ?? []) as { readonly type: string; readonly text?: string }[];
  return blocks.map(({ text = '' }) => text).join('\n');
}
