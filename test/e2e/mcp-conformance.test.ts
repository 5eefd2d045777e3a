import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyOfVault, loci, ROOT, temporaryFolder } from './loci-command.ts';
import { mcpHandler } from '../../src/surfaces/mcp/http.ts';
import { startServer } from './rest-server.ts';

const SUITE = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** Scenarios of the suite that any server has to pass. */
const APPLY = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

const WANTS_A_TEST_TOOL = 'calls a tool that only the suite’s own example server has';
const WANTS_A_TEST_RESOURCE = 'reads test:// resources that only the suite’s own example server has';
const WANTS_A_TEST_PROMPT = 'gets prompts that only the suite’s own example server has';

/** Those that do not apply, and why. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  'logging-set-level': 'logs go to standard error: the protocol’s own logging is deprecated since 2026-07-28',
  'completion-complete': 'there is nothing to complete: no argument has a list of values',
  'tools-call-simple-text': WANTS_A_TEST_TOOL,
  'tools-call-image': WANTS_A_TEST_TOOL,
  'tools-call-audio': WANTS_A_TEST_TOOL,
  'tools-call-embedded-resource': WANTS_A_TEST_TOOL,
  'tools-call-mixed-content': WANTS_A_TEST_TOOL,
  'tools-call-with-logging': WANTS_A_TEST_TOOL,
  'tools-call-error': WANTS_A_TEST_TOOL,
  'tools-call-with-progress': WANTS_A_TEST_TOOL,
  'tools-call-sampling': WANTS_A_TEST_TOOL,
  'tools-call-elicitation': WANTS_A_TEST_TOOL,
  'json-schema-2020-12': WANTS_A_TEST_TOOL,
  'elicitation-sep1034-defaults': WANTS_A_TEST_TOOL,
  'elicitation-sep1330-enums': WANTS_A_TEST_TOOL,
  'server-sse-polling': WANTS_A_TEST_TOOL,
  'server-sse-multiple-streams':
    'opens streams of one session: this endpoint keeps none, as MCP does since 2026-07-28',
  'resources-read-text': WANTS_A_TEST_RESOURCE,
  'resources-read-binary': WANTS_A_TEST_RESOURCE,
  'resources-templates-read': WANTS_A_TEST_RESOURCE,
  'resources-subscribe': 'a record changes too seldom to be watched: the server does not say that it can be',
  'resources-unsubscribe':
    'a record changes too seldom to be watched: the server does not say that it can be',
  'prompts-get-simple': WANTS_A_TEST_PROMPT,
  'prompts-get-with-args': WANTS_A_TEST_PROMPT,
  'prompts-get-embedded-resource': WANTS_A_TEST_PROMPT,
  'prompts-get-with-image': WANTS_A_TEST_PROMPT,
};

async function suite(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITE, ...args]);
  return stdout;
}

/** Starts a proxy that adds a token to each request, as the suite can send none. Returns the address of the proxy. */
async function addToken(address: string, token: string): Promise<string> {
  const proxy = createServer(({ method, url = '', headers }, outgoing) => {
    const forwarded = request(new URL(url, address), {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
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
  it('has no server scenario that is neither run nor skipped for a reason', async () => {
    const listed = [...(await suite('list', '--server')).matchAll(/^ {2}- ([\w-]+)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.toSorted()).toEqual([...APPLY, ...Object.keys(DO_NOT_APPLY)].toSorted());
  });

  it.each(APPLY)('passes %s', async (scenario) => {
    const home = temporaryFolder();
    await loci(['index', copyOfVault(), '--once'], { home });
    const server = await startServer({}, { home, mcp: mcpHandler });
    const address = await addToken(server.address, await server.token('default', 'write'));
    const said = await suite('server', '--url', `${address}/mcp`, '--scenario', scenario, '--verbose');
    expect(said).toContain('SUCCESS');
    expect(said).not.toContain('FAILURE');
  });
});
