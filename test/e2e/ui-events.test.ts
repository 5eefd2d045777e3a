import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SourcesApproveOutput, SourcesShowOutput } from '../../src/engine/reading/source-schemas.ts';
import { isAlive } from '../contract/alive.ts';
import { SLOW_JOB, STUBBORN_JOB, waitForLog, writeJob } from '../faults/source-jobs.ts';
import { openEvents } from './event-client.ts';
import { loci } from './loci-command.ts';
import { openPage, type OpenPage } from './page-session.ts';
import { startServer } from './rest-server.ts';

const EVENTS = '/api/v1/events';
const headersOf = ({ cookie, csrf }: OpenPage) => ({ cookie, 'x-loci-csrf': csrf });

describe('events', () => {
  it('tell what another process changes in the namespace, and nothing of another one', async () => {
    const server = await startServer({ namespace: 'ada' });
    const page = await openPage(server);
    const bearer = { authorization: `Bearer ${await server.token('bob', 'write')}` };
    const ada = await openEvents(server.address, EVENTS, headersOf(page));
    const bob = await openEvents(server.address, EVENTS, bearer);
    await Promise.all([ada.next('ready'), bob.next('ready')]);
    expect(ada.events[0]?.data).toMatchObject({ kinds: expect.arrayContaining(['records', 'audit']) });
    expect([ada.status, ada.response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await server.request('/api/v1/memory/write', { headers: bearer, body: { content: 'Of Bob' } });
    await bob.next('change');
    expect(ada.events).toHaveLength(1);
    const bobsEvents = bob.events.length;
    for (const [words, kinds] of [
      ['write oven', 'audit records'],
      ['fact store os Linux', 'audit facts records'],
      ['startup set units metric', 'audit startup'],
      ['serve token create --subject ada', 'access audit'],
      ['pack oven', 'receipts'],
    ] as const) {
      const before = ada.events.length;
      expect((await loci(words.split(' '), server)).code).toBe(0);
      // A poll may see a part of what changes at once.
      const changed = (): string[] =>
        ada.events.slice(before).flatMap(({ data }) => (data as { kinds: string[] }).kinds);
      await vi.waitFor(() => expect(changed().toSorted().join(' '), words).toBe(kinds), 100_000);
    }
    expect(bob.events.slice(bobsEvents + 1)).toEqual([]);
  });

  it('tell that a source was refreshed, but not that a search found it', async () => {
    const server = await startServer({ sources: [{ id: 'todo', command: 'cat todo.json' }] });
    writeFileSync(join(server.home, 'todo.json'), JSON.stringify([{ id: 'a', text: 'Buy tiles' }]));
    const page = await openPage(server);
    await loci(['sources', 'approve', 'todo'], server);
    await loci(['sources', 'refresh', 'todo'], server);
    const client = await openEvents(server.address, EVENTS, headersOf(page));
    await client.next('ready');
    await page.request('/api/v1/memory/search?query=tiles');
    await page.request('/api/v1/sources/pause', { body: { id: 'todo' } });
    await client.next('change');
    const changes = client.events.filter(({ event }) => event === 'change');
    expect(changes.map(({ data }) => data)).toEqual([{ kinds: ['sources'] }]);
  });

  it('need the session and its header, and end when it is revoked', async () => {
    const server = await startServer();
    const page = await openPage(server);
    expect((await openEvents(server.address, EVENTS, { cookie: page.cookie })).status).toBe(403);
    expect((await openEvents(server.address, EVENTS, {})).status).toBe(401);
    const client = await openEvents(server.address, EVENTS, headersOf(page));
    await client.next('ready');
    await page.request('/ui/session', { method: 'DELETE' });
    await client.ended;
    expect((await page.request('/api/v1/status')).status).toBe(401);
  });

  it('do not keep a server from stopping', async () => {
    const server = await startServer();
    const page = await openPage(server);
    const clients = await Promise.all(
      [1, 2, 3].map(() => openEvents(server.address, EVENTS, headersOf(page))),
    );
    await Promise.all(clients.map((client) => client.next('ready')));
    const started = performance.now();
    await server.close();
    await Promise.all(clients.map(({ ended }) => ended));
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('are limited for each caller, and a connection that ends makes room', async () => {
    const server = await startServer();
    const page = await openPage(server);
    const open = () => openEvents(server.address, EVENTS, headersOf(page));
    const clients = await Promise.all(Array.from({ length: 16 }, open));
    expect(clients.map(({ status }) => status)).toEqual(Array<number>(16).fill(200));
    expect((await open()).status).toBe(429);
    const other = await openEvents(server.address, EVENTS, headersOf(await openPage(server)));
    expect(other.status).toBe(200);
    clients[0]!.disconnect();
    await vi.waitFor(async () => expect((await open()).status).toBe(200), 100_000);
  });
});

describe('an operation that is answered with events', () => {
  const refresh = '/api/v1/sources/refresh';

  it('reports its progress for longer than other requests may take, then its result', async () => {
    const server = await startServer(
      { sources: [{ id: 'jobs', command: 'node job.mjs' }] },
      { limits: { requestTimeoutMs: 150 } },
    );
    writeJob(server.home, 'job.mjs', SLOW_JOB);
    await loci(['sources', 'approve', 'jobs'], server);
    await loci(['sources', 'pause', 'jobs'], server);
    const page = await openPage(server);
    const client = await openEvents(server.address, refresh, headersOf(page), { ids: ['jobs'] });
    expect((await client.next('result')).data).toMatchObject({ sources: [{ id: 'jobs', added: 1 }] });
    expect(client.events[0]).toEqual({
      event: 'progress',
      data: { stage: 'reading', subject: 'jobs', done: 0, total: 0 },
    });
    await client.ended;
    const failed = await openEvents(server.address, refresh, headersOf(page), { ids: ['none'] });
    expect((await failed.next('problem')).data).toMatchObject({ code: 'not_found', status: 404 });
    const wrong = await openEvents(server.address, refresh, headersOf(page), { colour: 'red' });
    expect([wrong.status, wrong.response.headers['content-type']]).toEqual([400, 'application/problem+json']);
  });

  it('is stopped when the client disconnects', async () => {
    const server = await startServer({ sources: [{ id: 'jobs', command: 'node job.mjs', timeout: '10m' }] });
    writeJob(server.home, 'job.mjs', STUBBORN_JOB);
    await loci(['sources', 'approve', 'jobs'], server);
    await loci(['sources', 'pause', 'jobs'], server);
    const page = await openPage(server);
    const client = await openEvents(server.address, refresh, headersOf(page), { ids: ['jobs'] });
    const [job] = await waitForLog(server.home, 'deaf');
    client.disconnect();
    await vi.waitFor(() => expect(isAlive(job!.pid)).toBe(false), 100_000);
  });
});

describe('the approval of a source on the page', () => {
  it('is of exactly what was shown', async () => {
    const server = await startServer({ sources: [{ id: 'jobs', command: 'node job.mjs' }] });
    writeJob(server.home, 'job.mjs', SLOW_JOB);
    const page = await openPage(server);
    const shown = (await page.request('/api/v1/sources/show?id=jobs')).json as SourcesShowOutput;
    expect(shown.runs).toMatchObject({ argv: ['node', 'job.mjs'], approved: null });
    expect(shown.runs?.files.map(({ path }) => path)).toContain(join(server.home, 'job.mjs'));
    const { fingerprint = '' } = shown.runs ?? {};
    const approve = (body: object) => page.request('/api/v1/sources/approve', { body });
    for (const given of [undefined, fingerprint.slice(0, 16)]) {
      const { problem } = await approve({
        ids: ['jobs'],
        ...(given !== undefined && { fingerprint: given }),
      });
      expect([given, problem.code]).toEqual([given, 'invalid_input']);
    }
    writeJob(server.home, 'job.mjs', `${SLOW_JOB}\nlog('ended');`);
    const changed = await approve({ ids: ['jobs'], fingerprint });
    expect([changed.status, changed.problem.code]).toEqual([409, 'conflict']);
    const { sources } = (await page.request('/api/v1/memory/sources')).json as { sources: object[] };
    expect(sources).toMatchObject([
      { id: 'jobs', condition: 'waiting for approval', command: 'node job.mjs' },
    ]);
    writeJob(server.home, 'job.mjs', SLOW_JOB);
    const { json } = await approve({ ids: ['jobs'], fingerprint });
    expect((json as SourcesApproveOutput).approved).toMatchObject([{ id: 'jobs', command: 'node job.mjs' }]);
  });
});
