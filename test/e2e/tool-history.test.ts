import { describe, expect, it } from 'vitest';
import type { CorpusOutput } from '../../src/operations/nouns/facts.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { toolName } from '../../src/operations/operation.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { routesOf } from '../../src/surfaces/rest/request-input.ts';
import { filesContaining } from '../contract/raw-file.ts';
import { type HttpResponse, startServer, type TestServer } from './rest-server.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
/** Joined from parts, so that no scanner reports a secret in this file. */
const SECRET = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5'].join('');

function callTool(server: TestServer, token: string, name: string, input: object): Promise<HttpResponse> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return server.request('/mcp', { token, headers: HEADERS, body });
}

async function documents(server: TestServer, token: string): Promise<CorpusOutput['documents']> {
  const { json } = await server.request('/api/v1/memory/corpus?limit=500', { token });
  return (json as CorpusOutput).documents;
}

describe('a run of a tool', () => {
  it('is recorded once over REST and MCP, and returned by memory_corpus, whose own runs are not (F3, F7)', async () => {
    const server = await startServer({}, { mcp: mcpHandler, limits: { requestsPerSecond: 0 } });
    const token = await server.token('alice', 'operator');
    // Only the page of the owner may call some of them.
    const routes = (await routesOf(OPERATIONS)).filter(({ operation }) => operation.onPage !== true);
    const expected: string[] = [];
    for (const { path, operation } of routes) {
      const input = operation.examples[0]?.input ?? {};
      await server.request(path, { token, body: input });
      if (operation.notForAgents !== true) await callTool(server, token, toolName(operation), input);
      const category = operation.steps === true ? 'pipeline_history' : 'pack_history';
      if (operation.unrecorded === true) continue;
      for (const surface of operation.notForAgents === true ? ['rest'] : ['rest', 'mcp'])
        expected.push(`${category} ${toolName(operation)} ${surface}`);
    }
    const runs = (await documents(server, token)).filter(({ collection }) => collection !== 'facts');
    const recorded = runs.map(({ metadata }) =>
      ['category', 'name', 'surface'].map((key) => metadata[key] as string).join(' '),
    );
    expect(recorded.toSorted()).toEqual(expected.toSorted());
    expect(recorded).toContain('pipeline_history reindex mcp');
    for (const { title, collection, content, snippet, metadata } of runs) {
      const heading = collection === 'pack_history' ? 'Pack call' : 'Pipeline run';
      expect(content.startsWith(`## ${heading}: ${title}\n\n`)).toBe(true);
      expect(content).toMatch(/\nOutcome: .+ \(\d+ ms\)$/);
      expect(content).toContain(`By: alice's (${metadata['surface'] as string})`);
      expect(content.startsWith(snippet.replace(/…$/, ''))).toBe(true);
    }
  });

  it('is recorded without texts and secrets in any file of the store', async () => {
    const server = await startServer({}, { mcp: mcpHandler, limits: { requestsPerSecond: 0 } });
    const token = await server.token('alice', 'write');
    const calls: [string, object][] = [
      ['memory_write', { content: `xylophonist ${SECRET}`, title: `xylophonist ${SECRET}`, tags: [SECRET] }],
      [
        'memory_store',
        { key: SECRET, value: `xylophonist ${SECRET}`, category: SECRET, idempotency_key: SECRET },
      ],
      ['memory_recall', { key: SECRET }],
      ['memory_list', { prefix: SECRET, tags: [SECRET, 'plain'] }],
      ['memory_forget', { prefix: SECRET }],
      ['memory_get', { citation: SECRET }],
      ['memory_search', { query: `xylophonist ${SECRET}`, tags: [SECRET], sources: [SECRET] }],
      ['memory_corpus', { query: SECRET }],
      ['startup_inject', { session: SECRET, model: SECRET }],
    ];
    for (const [name, input] of calls) {
      await server.request(`/api/v1/${name.replace('_', '/')}`, { token, body: input });
      await callTool(server, token, name, input);
    }
    const runs = (await documents(server, token)).filter(({ collection }) => collection === 'pack_history');
    expect(runs).toHaveLength(2 * (calls.length - 1));
    expect(JSON.stringify(runs)).not.toContain('xylophonist');
    expect(JSON.stringify(runs)).toContain('[secret masked: GitHub token]');
    expect(JSON.stringify(runs)).toContain('plain');
    expect(JSON.stringify(runs)).not.toContain(SECRET);
    expect(filesContaining(server.home, SECRET)).toEqual([]);
    await server.close();
    expect(filesContaining(server.home, SECRET)).toEqual([]);
  });
});
