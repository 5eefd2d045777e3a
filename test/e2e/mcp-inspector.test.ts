import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOfVault, loci, MAIN, ROOT, temporaryFolder } from './loci-command.ts';
import { startEndpoint } from './mcp-endpoint.ts';
import { serverEnvironment } from './mcp-session.ts';

const INSPECTOR = `${ROOT}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;

async function inspect(target: readonly string[], ...args: string[]): Promise<Record<string, unknown>> {
  // The inspector writes its own files into an empty folder.
  const env = { ...serverEnvironment({ home: '' }), HOME: temporaryFolder() };
  const call = promisify(execFile)(process.execPath, [INSPECTOR, '--cli', ...target, ...args], { env });
  const { stdout } = await call;
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('the inspector’s command line', () => {
  const home = join(temporaryFolder(), 'home');
  const settings = ['LOCI_EMBEDDING_PROVIDER=none', `LOCI_HOME=${home}`].flatMap((entry) => ['-e', entry]);
  const stdio = [...settings, process.execPath, MAIN, 'mcp'];

  beforeAll(async () => {
    await loci(['index', copyOfVault()], { home });
  });

  it('searches over standard input and output', async () => {
    const call = '--method tools/call --tool-name memory_search --tool-arg query=oven limit=1';
    const { structuredContent } = await inspect(stdio, ...call.split(' '));
    expect(structuredContent).toMatchObject({ results: [{ title: 'Kitchen remodel' }] });
  });

  it('reads a record over HTTP', async () => {
    const url = await startEndpoint({ home });
    const call = ['--method', 'resources/read', '--uri', 'loci://record/1'];
    const { contents } = await inspect([url.href, '--transport', 'http'], ...call);
    expect(contents).toMatchObject([{ uri: 'loci://record/1', mimeType: 'text/markdown' }]);
  });
});
