import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { MAIN } from './loci-command.ts';

export interface McpProcess {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** This Node runs the bundled command otherwise. */
  readonly command?: string;
  readonly args?: readonly string[];
}

/** The environment of a server: agents may write, and the provider is `none`, unless it says otherwise. */
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

/** The official client, connected to a separate process; closed after the test. */
export async function connectStdio(
  server: McpProcess,
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, options);
  onTestFinished(() => client.close());
  await client.connect(stdioTransport(server));
  return client;
}

/** The text of a tool's answer. */
export function textOf(result: { readonly content?: unknown }): string {
  const blocks = (result.content ?? []) as { readonly type: string; readonly text?: string }[];
  return blocks.map(({ text = '' }) => text).join('\n');
}
