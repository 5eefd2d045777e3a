import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENT_NAMES, type ClientSetup } from '../../src/surfaces/mcp/client-setup.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { loci, lociJson, MAIN, ROOT, startLoci, temporaryFolder } from './loci-command.ts';
import { connectStdio } from './mcp-session.ts';
import { startServer } from './rest-server.ts';

interface ServerEntry {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly httpUrl?: string;
  readonly serverUrl?: string;
  readonly bearer_token_env_var?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The entry of Loci in the settings of a client. */
function entryOf(settings: Readonly<Record<string, unknown>>): ServerEntry {
  const { mcpServers, servers: ofVsCode, mcp_servers: ofCodex } = settings;
  const servers = (mcpServers ?? ofVsCode ?? ofCodex) as Record<string, ServerEntry>;
  return servers['loci']!;
}

/** Writes the scripts into a folder, and returns a PATH that begins with this folder. */
function pathWith(scripts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

const LOCI_SCRIPT = `exec '${process.execPath}' '${MAIN}' "$@"`;

async function expectWriteAndSearch(client: Client): Promise<void> {
  await client.callTool({ name: 'memory_write', arguments: { content: 'The oven is induction.' } });
  const found = await client.callTool({ name: 'memory_search', arguments: { query: 'oven' } });
  expect(found.structuredContent).toMatchObject({ results: [{ citation: 'record/1' }] });
}

describe('the output of `loci mcp config`', () => {
  it('starts a server that works with the settings of every client', async () => {
    const home = join(temporaryFolder(), 'home with spaces');
    mkdirSync(home);
    const printed = await Promise.all(
      CLIENT_NAMES.map((name) => startLoci(['mcp', 'config', name, '--json'], { home }).ended),
    );
    const entries = printed.map(({ stdout }) => entryOf((JSON.parse(stdout) as ClientSetup).settings));
    const [{ command = '', args = [] } = {}] = entries;
    for (const entry of entries) expect(entry).toMatchObject({ command, args });
    // A client does not pass on the environment variables of this process.
    await expectWriteAndSearch(await connectStdio({ home, command, args, env: { LOCI_HOME: '', PATH: '' } }));
    expect(await lociJson(['status'], { home })).toMatchObject({ records: 1 });
  });

  it('connects to a server with the settings of every client that can', async () => {
    const server = await startServer({}, { mcp: mcpHandler });
    for (const name of CLIENT_NAMES.filter((each) => each !== 'claude-desktop')) {
      const { settings } = await lociJson<ClientSetup>(
        ['mcp', 'config', name, '--http', `${server.address}/mcp`],
        {
          home: '',
        },
      );
      const { url, httpUrl, serverUrl, headers, bearer_token_env_var: variable } = entryOf(settings);
      const secret = await server.token(name, 'read', 'write');
      // Each client replaces its own form of the variable: ${LOCI_TOKEN}, $LOCI_TOKEN, ${env:…}, ${input:…}.
      const authorization =
        variable === 'LOCI_TOKEN'
          ? `Bearer ${secret}`
          : (headers?.['Authorization']?.replace(/\$(\{[\w:-]+\}|\w+)/, secret) ?? '');
      expect(authorization).toBe(`Bearer ${secret}`);
      const client = new Client({ name, version: '1' });
      onTestFinished(() => client.close());
      const requestInit = { headers: { authorization } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url ?? httpUrl ?? serverUrl ?? ''), { requestInit }),
      );
      await expectWriteAndSearch(client);
    }
  });

  it('has a command for Claude Code that uses the current namespace', async () => {
    const home = temporaryFolder();
    const options = { home, env: { LOCI_NAMESPACE: 'ada lovelace' } };
    const { stdout } = await startLoci(['mcp', 'config', 'claude-code', '--json'], options).ended;
    const { shell, settings } = JSON.parse(stdout) as ClientSetup;
    expect(entryOf(settings).env).toEqual({ LOCI_NAMESPACE: 'ada lovelace' });
    expect(shell).toContain(' loci --env "LOCI_NAMESPACE=ada lovelace" -- ');
    // This script replaces Claude Code. It runs the command of the server that it is asked to add.
    const path = pathWith({ claude: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"' });
    const env = { PATH: path, LOCI_HOME: '' };
    await expectWriteAndSearch(
      await connectStdio({ home, command: '/bin/sh', args: ['-c', shell ?? ''], env }),
    );
  });

  it('lists the clients if the name is wrong, and says what a client does not support', async () => {
    const home = temporaryFolder();
    const missing = await loci(['mcp', 'config'], { home });
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-code, claude-desktop') as string,
    });
    const typo = await loci(['mcp', 'config', 'cursr'], { home });
    expect(typo.stderr).toContain('Did you mean cursor?');
    const desktop = await loci(['mcp', 'config', 'claude-desktop', '--http', 'http://127.0.0.1/mcp'], {
      home,
    });
    expect(desktop.stderr).toContain('Without --http');
    const wrong = await loci(['mcp', 'config', 'cursor', '--http', 'localhost'], { home });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--http must be a URL') as string,
    });
  });
});

describe('docs/clients.md', () => {
  const page = readFileSync(`${ROOT}docs/clients.md`, 'utf8');
  const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json) as object);
  const entries = blocks.map((block) => entryOf(block as Record<string, unknown>));

  it('has a section and settings for every client', () => {
    // Codex has TOML.
    expect(entries.filter(({ command }) => command !== undefined)).toHaveLength(CLIENT_NAMES.length - 1);
    expect(entries.filter(({ command }) => command === undefined)).toHaveLength(CLIENT_NAMES.length - 2);
    expect([...page.matchAll(/```toml\n(.*?)```/gs)].map(([, toml]) => toml)).toEqual([
      '[mcp_servers.loci]\ncommand = "loci"\nargs = ["mcp"]\n',
      '[mcp_servers.loci]\nurl = "https://loci.example.org/mcp"\nbearer_token_env_var = "LOCI_TOKEN"\n',
    ]);
  });

  it('has a command that works if `loci` is on the path', async () => {
    const commandLines = new Set(
      entries.flatMap(({ command, args = [] }) =>
        command === undefined ? [] : [[command, ...args].join(' ')],
      ),
    );
    expect([...commandLines]).toEqual(['loci mcp']);
    const home = temporaryFolder();
    const env = { PATH: pathWith({ loci: LOCI_SCRIPT }) };
    await expectWriteAndSearch(await connectStdio({ home, command: 'loci', args: ['mcp'], env }));
  });
});
