import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { SourcesListOutput, SourcesRefreshOutput } from '../../src/engine/reading/source-schemas.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { temporaryFolder } from './loci-command.ts';
import { connectMcp, connectStdio, textOf } from './mcp-session.ts';
import { startServer, type TestServer } from './rest-server.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

const LIST = '/api/v1/memory/sources';
/** A word in every command and folder of these tests and nowhere else: an output that contains it reveals one of them. */
const SECRET_WORD = 'secretword';

/** A home with sources that were refreshed once. Their intervals are so long that only the tests refresh them again. */
async function homeWithSources(): Promise<{
  home: SourcesHome;
  settings: Readonly<Record<string, unknown>>;
}> {
  const folder = join(temporaryFolder(), SECRET_WORD);
  const settings = {
    sources: [
      { ...GOOGLE_TASKS, refreshInterval: '1h' },
      { id: 'missing', command: `./${SECRET_WORD}/program --all`, refreshInterval: '1h' },
      { id: 'homeless', command: `echo ${SECRET_WORD}`, cwd: join(folder, 'gone'), refreshInterval: '1h' },
      { id: 'talkative', command: `cat ${SECRET_WORD}.json`, refreshInterval: '1h' },
    ],
    skills: [{ path: folder }, { path: join(folder, 'file') }],
  };
  mkdirSync(join(folder, 'lent'), { recursive: true });
  writeFileSync(join(folder, 'file'), 'no folder');
  writeFileSync(join(folder, 'lent', 'SKILL.md'), '---\nmemorySource:\n  command: ./list --json\n---\n');
  writeFileSync(join(folder, 'lent', 'list'), '#!/bin/sh\n', { mode: 0o755 });
  const home = new SourcesHome(settings);
  for (const id of ['tasks', 'homeless', 'talkative']) await home.json('sources', 'approve', id);
  await home.run(['sources', 'refresh']);
  return { home, settings };
}

const sourcesIn = (response: { readonly json: never }): SourcesListOutput['sources'] =>
  (response.json as SourcesListOutput).sources;

async function startServerFor(
  { home, settings }: Awaited<ReturnType<typeof homeWithSources>>,
  moreSettings: Readonly<Record<string, unknown>> = {},
): Promise<TestServer> {
  return startServer({ ...settings, ...moreSettings }, { home: home.path, mcp: mcpHandler });
}

describe('sources over HTTP', () => {
  it('are listed for readers, without commands, folders and fingerprints (S11)', async () => {
    const server = await startServerFor(await homeWithSources());
    const token = await server.token('default', 'read');
    for (const method of ['GET', 'POST']) {
      const response = await server.request(LIST, { token, method, ...(method === 'POST' && { body: {} }) });
      expect([method, response.status]).toEqual([method, 200]);
      expect(sourcesIn(response)).toMatchObject([
        {
          id: 'tasks',
          name: 'Google Tasks',
          condition: 'fresh',
          documents: 2,
          refreshes: 1,
          consecutive_failures: 0,
        },
        { id: 'missing', condition: 'broken', error: expect.any(String) },
        { id: 'homeless', condition: 'failing', error: expect.any(String) },
        { id: 'talkative', condition: 'failing' },
        { id: 'lent', kind: 'skill', condition: 'waiting for approval' },
        { id: 'file', kind: 'skill', condition: 'broken' },
      ]);
      for (const { command, folder, fingerprint, changes, hint } of sourcesIn(response))
        expect([command, folder, fingerprint, changes, hint]).toEqual(Array(5).fill(undefined));
      expect(response.text).not.toContain(SECRET_WORD);
      expect(response.text).not.toContain(server.home);
      expect(response.text).not.toContain('/bin');
    }
    expect((await server.request(LIST)).status).toBe(401);
  });

  it('belong to the configured namespace: another one can neither list nor refresh them', async () => {
    const homeAndSettings = await homeWithSources();
    const server = await startServerFor(homeAndSettings);
    const token = await server.token('bob', 'admin');
    expect(sourcesIn(await server.request(LIST, { token }))).toEqual([]);
    const all = await server.request('/api/v1/sources/refresh', { token, body: {} });
    expect((all.json as SourcesRefreshOutput).sources).toEqual([]);
    for (const operation of ['pause', 'resume']) {
      const { status, text } = await server.request(`/api/v1/sources/${operation}`, {
        token,
        body: { id: 'tasks' },
      });
      expect([status, text]).toEqual([404, expect.stringContaining('there is none')]);
    }
    const refused = await server.request('/api/v1/sources/refresh', { token, body: { ids: ['tasks'] } });
    expect(refused.status).toBe(404);
    const found = await server.request('/api/v1/memory/search?query=tile%20samples&min_score=0', { token });
    expect((found.json as { results: unknown[] }).results).toEqual([]);
    const read = await server.request('/api/v1/memory/get?citation=record/1', { token });
    expect(read.status).toBe(404);
    for (const { text } of [found, read, refused]) expect(text).not.toMatch(/Google|Home Depot|homeless/);
  });
});

describe('sources over MCP', () => {
  it('are listed by a tool and a resource, without commands, folders and fingerprints (S11)', async () => {
    const { home } = await homeWithSources();
    const client = await connectMcp({ home: home.path });
    const { structuredContent, ...result } = await client.callTool({ name: 'memory_sources', arguments: {} });
    const tool = (structuredContent as SourcesListOutput).sources;
    expect(tool).toMatchObject([
      { id: 'tasks', condition: 'fresh', documents: 2 },
      { id: 'missing' },
      { id: 'homeless', condition: 'failing' },
      { id: 'talkative' },
      { id: 'lent' },
      { id: 'file' },
    ]);
    expect((await client.listResources()).resources).toContainEqual(
      expect.objectContaining({ uri: 'loci://sources', mimeType: 'application/json' }),
    );
    const { contents } = await client.readResource({ uri: 'loci://sources' });
    const [{ text = '' } = {}] = contents as { text?: string }[];
    expect((JSON.parse(text) as SourcesListOutput).sources.map(({ id }) => id)).toEqual(
      tool.map(({ id }) => id),
    );
    for (const output of [text, textOf(result), JSON.stringify(tool)])
      expect(output).not.toMatch(new RegExp(`${SECRET_WORD}|${home.path}|fingerprint|/bin`));
  });

  it('cannot be refreshed, paused, approved or removed by agents', async () => {
    const { home } = await homeWithSources();
    const client = await connectStdio({ home: home.path });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => name.includes('source'))).toEqual([]);
    for (const name of ['sources_refresh', 'sources_pause', 'sources_resume']) {
      const refused = await client.callTool({ name, arguments: { id: 'tasks' } });
      expect([name, refused.isError, textOf(refused)]).toEqual([
        name,
        true,
        expect.stringMatching(/^forbidden: .*on the command line: `loci sources /),
      ]);
    }
    for (const name of ['sources_approve', 'sources_test', 'sources_show', 'sources_remove'])
      await expect(client.callTool({ name, arguments: { id: 'tasks' } })).rejects.toMatchObject({
        code: -32602,
      });
    expect(await home.search('tile samples')).toHaveLength(1);
  });
});

describe('an MCP server that is started without a store', () => {
  it('refreshes sources after the operator approves them', async () => {
    const home = new SourcesHome();
    const client = await connectStdio({ home: home.path });
    const search = { name: 'memory_search', arguments: { query: 'tile samples' } };
    expect(textOf(await client.callTool(search))).toContain('store_not_found');
    await home.json('sources', 'approve', 'tasks');
    const isFound = async (): Promise<boolean> =>
      textOf(await client.callTool(search)).includes('Home Depot');
    await vi.waitUntil(isFound, { timeout: 100_000, interval: 100 });
  });
});
