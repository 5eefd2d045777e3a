import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { lociJson, startLoci, temporaryFolder } from './loci-command.ts';
import { sendRequest, makeToken, startServer } from './rest-server.ts';
import { isAlive } from '../contract/alive.ts';
import { STUBBORN_JOB, waitForLog, writeJob } from '../faults/source-jobs.ts';
import { startServerProcess } from './server-process.ts';
import { SourcesHome } from './sources-home.ts';

describe('loci serve', () => {
  it('answers running requests after a signal and loses no confirmed write', async () => {
    const home = temporaryFolder();
    const token = await makeToken(home, 'default', ['write']);
    const server = await startServerProcess(home);
    const confirmed: string[] = [];
    const write = async (i: number): Promise<void> => {
      const content = `Fact number ${String(i)}`;
      const { status } = await sendRequest(server.address, '/api/v1/memory/write', {
        token,
        body: { content },
      });
      if (status === 200) confirmed.push(content);
    };
    await write(0);
    const writes = Array.from({ length: 40 }, (_, i) => write(i + 1).catch(() => undefined));
    await Promise.race(writes);
    server.child.kill('SIGTERM');
    const [{ code, stderr }] = await Promise.all([server.ended, ...writes]);
    expect([code, stderr.includes('bug in Loci')]).toEqual([0, false]);
    expect(confirmed.length).toBeGreaterThan(1);
    const { records } = await lociJson<{ records: number }>(['status'], { home });
    expect(records).toBeGreaterThanOrEqual(confirmed.length);
    for (const content of confirmed) {
      const found = await lociJson<{ results: object[] }>(['search', `"${content}"`], { home });
      expect(JSON.stringify(found.results)).toContain(content);
    }
  });

  it('does not wait for idle connections, and closes slow ones after a timeout', async () => {
    const server = await startServer({}, { limits: { shutdownTimeoutMs: 300 } });
    const { port } = server;
    const idle = connect(port, '127.0.0.1');
    const slow = connect(port, '127.0.0.1');
    await Promise.all([once(idle, 'connect'), once(slow, 'connect')]);
    for (const socket of [idle, slow]) socket.on('error', () => undefined);
    slow.write('POST /api/v1/memory/search HTTP/1.1\r\nHost: localhost\r\n');
    expect((await sendRequest(server.address, '/healthz')).status).toBe(200);
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(5000);
    await expect(sendRequest(server.address, '/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('stops the command of a running refresh at once, and answers its request', async () => {
    const home = new SourcesHome({ sources: [{ id: 'jobs', command: 'node job.mjs', timeout: '10m' }] });
    writeJob(home.path, 'job.mjs', STUBBORN_JOB);
    await home.json('sources', 'approve', 'jobs');
    // A paused source is refreshed only on request.
    await home.json('sources', 'pause', 'jobs');
    const token = await makeToken(home.path, 'default', ['admin']);
    const server = await startServerProcess(home.path);
    const refreshing = sendRequest(server.address, '/api/v1/sources/refresh', {
      token,
      body: { ids: ['jobs'] },
    });
    const [job] = await waitForLog(home.path, 'deaf');
    const started = performance.now();
    server.child.kill('SIGTERM');
    const [{ code }, { status, problem }] = await Promise.all([server.ended, refreshing]);
    expect([code, status, problem.code]).toEqual([0, 499, 'aborted']);
    expect(performance.now() - started).toBeLessThan(4000);
    expect(isAlive(job!.pid)).toBe(false);
  });

  it('explains why it cannot start, with the exit code of the error table', async () => {
    const home = temporaryFolder();
    const server = await startServerProcess(home);
    const { port } = new URL(server.address);
    const run = (...args: string[]) => startLoci(['serve', '--home', home, ...args], { home }).ended;
    const portInUse = await run('--port', port);
    expect([portInUse.code, portInUse.stderr]).toEqual([
      5,
      expect.stringContaining(`127.0.0.1:${port} is already in use`),
    ]);
    const shortSecret = await startLoci(['serve', '--home', home], {
      home,
      env: { LOCI_AUTH_JWT_SECRET: 'short' },
    }).ended;
    expect([shortSecret.code, shortSecret.stderr]).toEqual([3, expect.not.stringContaining('short')]);
  });
});
