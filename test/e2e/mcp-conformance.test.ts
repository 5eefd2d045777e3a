import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { indexedHomes, ROOT } from './loci-command.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { startServer } from './rest-server.ts';

const indexedHome = indexedHomes();
const SUITE = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** Scenarios of the suite that any server has to pass. */
const APPLICABLE = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

const NEEDS_TEST_TOOL = 'calls a tool that only the suite’s own example server has';
const NEEDS_TEST_RESOURCE = 'reads test:// resources that only the suite’s own example server has';
const NEEDS_TEST_PROMPT = 'gets prompts that only the suite’s own example server has';

/** Scenarios that do not apply, with the reasons. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'logging-set-level': 'logs go to standard error: the protocol’s own logging is deprecated since 2026-07-28',
  'completion-complete': 'there is nothing to complete: no argument has a list of values',
  'tools-call-simple-text': NEEDS_TEST_TOOL,
  'tools-call-image': NEEDS_TEST_TOOL,
  'tools-call-audio': NEEDS_TEST_TOOL,
  'tools-call-embedded-resource': NEEDS_TEST_TOOL,
  'tools-call-mixed-content': NEEDS_TEST_TOOL,
  'tools-call-with-logging': NEEDS_TEST_TOOL,
  'tools-call-error': NEEDS_TEST_TOOL,
  'tools-call-with-progress': NEEDS_TEST_TOOL,
  'tools-call-sampling': NEEDS_TEST_TOOL,
  'tools-call-elicitation': NEEDS_TEST_TOOL,
  'json-schema-2020-12': NEEDS_TEST_TOOL,
  'elicitation-sep1034-defaults': NEEDS_TEST_TOOL,
  'elicitation-sep1330-enums': NEEDS_TEST_TOOL,
  'server-sse-polling': NEEDS_TEST_TOOL,
  'server-sse-multiple-streams':
    'opens streams of one session: this endpoint has no sessions, like MCP since 2026-07-28',
  'resources-read-text': NEEDS_TEST_RESOURCE,
  'resources-read-binary': NEEDS_TEST_RESOURCE,
  'resources-templates-read': NEEDS_TEST_RESOURCE,
  'resources-subscribe': 'records rarely change, so the server offers no subscriptions',
  'resources-unsubscribe': 'records rarely change, so the server offers no subscriptions',
  'prompts-get-simple': NEEDS_TEST_PROMPT,
  'prompts-get-with-args': NEEDS_TEST_PROMPT,
  'prompts-get-embedded-resource': NEEDS_TEST_PROMPT,
  'prompts-get-with-image': NEEDS_TEST_PROMPT,
};

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
  it('has only server scenarios that are run here or skipped for a stated reason', async () => {
    const listed = [...(await runSuite('list', '--server')).matchAll(/^ {2}- ([\w-]+)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.toSorted()).toEqual([...APPLICABLE, ...Object.keys(NOT_APPLICABLE)].toSorted());
  });

  it.each(APPLICABLE)('passes %s', async (scenario) => {
    const server = await startServer({}, { home: indexedHome(), mcp: mcpHandler });
    const address = await startTokenProxy(server.address, await server.token('default', 'write'));
    const report = await runSuite('server', '--url', `${address}/mcp`, '--scenario', scenario, '--verbose');
    expect(report).toContain('SUCCESS');
    expect(report).not.toContain('FAILURE');
  });
});
