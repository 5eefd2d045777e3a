import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from './loci-command.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { startServer } from './rest-server.ts';

const SUITE = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** Scenarios of the suite that any server has to pass. The others call what only its own example server has. */
const APPLICABLE = [
  ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  'dns-rebinding-protection',
];

async function runSuite(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITE, ...args]);
  return stdout;
}

/** Starts a proxy that adds a token to each request, because the suite cannot send one. Returns the address of the proxy. */
async function startTokenProxy(address: string, token: string): Promise<string> {
  const proxy = createServer(({ method, url = '', headers }, outgoing) => {
    const forwarded = request(new URL(url, address), {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.req.pipe(forwarded);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
}

describe('the conformance suite of MCP', () => {
  it.each(APPLICABLE)('passes %s', async (scenario) => {
    const server = await startServer({}, { mcp: mcpHandler });
    const address = await startTokenProxy(server.address, await server.token('default', 'write'));
    const report = await runSuite('server', '--url', `${address}/mcp`, '--scenario', scenario, '--verbose');
    expect(report).toContain('SUCCESS');
    expect(report).not.toContain('FAILURE');
  });
});
