import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createContext } from '../../src/operations/context.ts';
import type { LocalIo } from '../../src/operations/operation.ts';
import { listenForCommands } from '../../src/surfaces/cli/command-socket/listen.ts';
import { copyOfVault, indexedHomes, loci, ROOT, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { connectStdio, stdioTransport } from '../e2e/mcp-session.ts';
import {
  comparable,
  requestFor,
  runAnswered,
  runBin,
  runUnanswered,
  sendLine,
  sendRequestTo,
  socketsOf,
  waitForSockets,
} from '../e2e/socket-command.ts';
import { WatchProcess } from '../e2e/watch-process.ts';

const indexedHome = indexedHomes();
const SEARCH = ['search', 'oven'];

/** A home that `loci sources watch` watches. */
async function watchedHome(): Promise<{ readonly home: string; readonly watch: WatchProcess }> {
  const home = indexedHome();
  const watch = new WatchProcess(home);
  await waitForSockets(home);
  return { home, watch };
}

/** Listens in a home as a server would. It answers nothing of its own accord. */
async function fakeServer(home: string, onRequest: (socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => onRequest(socket));
  });
  onTestFinished(() => void server.close());
  server.listen(join(home, 'run', 'fake.sock'));
  await once(server, 'listening');
}

describe('the socket for commands', () => {
  it('is private, and is removed when the process ends', async () => {
    const { home, watch } = await watchedHome();
    const [path = ''] = socketsOf(home);
    expect(statSync(join(home, 'run')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await runAnswered(SEARCH, { home })).toMatchObject({ code: 0 });
    expect(await watch.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(socketsOf(home)).toEqual([]);
    await runUnanswered(SEARCH, { home });
  });

  it('of an agent’s server answers for the owner, and goes when the agent does', async () => {
    const home = indexedHome();
    writeFileSync(
      join(home, 'loci.yaml'),
      `vaults: [{ path: ${JSON.stringify(copyOfVault())}, includeInContext: false }]\n`,
    );
    await loci(['index'], { home });
    const client = await connectStdio({ home });
    await client.listTools();
    await waitForSockets(home);
    for (const args of [['list', '--limit', '100'], SEARCH]) {
      const answered = await runAnswered(args, { home });
      expect(answered.stdout).toContain('Kitchen remodel');
      const alone = await runBin(args, { home, env: { LOCI_COMMAND_SOCKET: 'off' } });
      expect(comparable(answered)).toEqual(comparable(alone));
    }
    await runUnanswered(SEARCH, { home, env: { LOCI_NAMESPACE: 'other' } });
    await client.close();
    await waitForSockets(home, 0);
  });

  it('does not keep `loci mcp` running while a connection is open', async () => {
    const home = indexedHome();
    const transport = stdioTransport({ home });
    const { promise: closed, resolve } = Promise.withResolvers<undefined>();
    transport.onclose = () => resolve(undefined);
    await transport.start();
    await transport.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    const [path = ''] = await waitForSockets(home);
    const socket = connect(path);
    await once(socket, 'connect');
    // A reset, which is an error, closes the connection too.
    const { promise: end, resolve: ended } = Promise.withResolvers<undefined>();
    socket.on('error', () => undefined).on('close', () => ended(undefined));
    void transport.close();
    await Promise.all([closed, end]);
    expect(socketsOf(home)).toEqual([]);
  });

  it('of one of two processes suffices, and that of a killed process is removed', async () => {
    const { home, watch } = await watchedHome();
    const other = new WatchProcess(home);
    await waitForSockets(home, 2);
    await watch.stop('SIGKILL');
    expect(socketsOf(home)).toHaveLength(2);
    expect(await runAnswered(SEARCH, { home })).toMatchObject({ code: 0 });
    await other.stop('SIGKILL');
    await runUnanswered(SEARCH, { home });
    const third = new WatchProcess(home);
    await third.next(({ event }) => event === 'watching');
    await waitForSockets(home, 1);
    expect(await runAnswered(SEARCH, { home })).toMatchObject({ code: 0 });
  });

  it('is not made when it is turned off, or its path is too long', async () => {
    const home = indexedHome();
    const off = new WatchProcess(home, { LOCI_COMMAND_SOCKET: 'off' });
    await off.next(({ event }) => event === 'watching');
    expect(socketsOf(home)).toEqual([]);
    const long = join(temporaryFolder(), 'x'.repeat(100));
    await loci(['index', copyOfVault()], { home: long });
    const watch = new WatchProcess(long);
    await watch.next(({ event }) => event === 'watching');
    expect(socketsOf(long)).toEqual([]);
    await runUnanswered(SEARCH, { home: long });
    expect(await watch.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a command opens the store itself', () => {
  it('when the server does not use what the settings say now', async () => {
    const { home } = await watchedHome();
    await loci(['config', 'set', 'namespace', 'other'], { home });
    const { stdout } = await runUnanswered([...SEARCH, '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject({ results: [] });
    await loci(['config', 'set', 'namespace', 'default'], { home });
    await runAnswered(SEARCH, { home });
    writeFileSync(join(home, 'loci.yaml'), 'serch: {}\n');
    expect(await runBin(SEARCH, { home })).toMatchObject({ code: 3 });
  });

  it('when the store is another file than the server has open', async () => {
    const { home, watch } = await watchedHome();
    await watch.next(({ event }) => event === 'refreshed');
    for (const file of ['loci.db', 'loci.db-wal', 'loci.db-shm'])
      renameSync(join(home, file), join(home, `old-${file}`));
    expect(await runBin(SEARCH, { home })).toMatchObject({ code: 6, stdout: '' });
  });

  it('when other users may enter the folder of the sockets, or write to the home', async () => {
    const { home } = await watchedHome();
    const run = join(home, 'run');
    for (const [path, mode] of [
      [run, 0o770],
      [run, 0o701],
      [home, 0o770],
    ] as const) {
      chmodSync(path, mode);
      await runUnanswered(SEARCH, { home });
      chmodSync(path, 0o700);
    }
    await runAnswered(SEARCH, { home });
    const elsewhere = join(temporaryFolder(), 'run');
    renameSync(run, elsewhere);
    symlinkSync(elsewhere, run);
    await runUnanswered(SEARCH, { home });
    rmSync(run);
  });

  it('when the other process ends in the middle of an answer', async () => {
    const { home, watch } = await watchedHome();
    const expected = comparable(await runBin(SEARCH, { home }));
    await watch.stop();
    const answers = [
      '',
      '{"accepted":true}\n',
      '{"accepted":true}\n{"exitCode":0,"output":[[1,"1. Kit',
      '{"accepted":true}\n{"exitCode":0,"output":[[1,"1."]]}',
      '{"declined":true}\n',
      'HTTP/1.1 400 Bad Request\n\n',
    ];
    await fakeServer(home, (socket) => socket.end(answers.shift() ?? ''));
    while (answers.length > 0) expect(comparable(await runUnanswered(SEARCH, { home }))).toEqual(expected);
  });

  it('unless Ctrl-C stops it while it waits', async () => {
    const home = indexedHome();
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    const { promise: asked, resolve } = Promise.withResolvers<Socket>();
    await fakeServer(home, (socket) => {
      socket.write('{"accepted":true}\n');
      resolve(socket);
    });
    const { child, ended } = startLoci(SEARCH, { home }, [join(ROOT, 'bin/loci.js')]);
    const socket = await asked;
    const closed = once(socket, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: '' });
    await closed;
  });

  it('when the other process accepts nothing', async () => {
    const { home, watch } = await watchedHome();
    watch.child.kill('SIGSTOP');
    expect(await runUnanswered(SEARCH, { home })).toMatchObject({ code: 0 });
    watch.child.kill('SIGCONT');
  });
});

describe('a process that answers commands', () => {
  it('declines another program, home and environment', async () => {
    const { home } = await watchedHome();
    const [path = ''] = socketsOf(home);
    const ask = async (changes: object): Promise<unknown> =>
      (await sendRequestTo(path, requestFor(home, SEARCH, changes)))[0];
    expect(await ask({})).toEqual({ accepted: true });
    const others = [{ build: '0:0' }, { node: 'v24.0.0' }, { home: '/nowhere' }, { HOME: '/nowhere' }];
    for (const changes of [...others, { TZ: 'Asia/Tokyo' }, { PATH: '' }, { unknown: 1 }])
      expect(await ask(changes)).toEqual({ declined: true });
  });

  it('closes the connection for anything but a request, and continues', async () => {
    const { home, watch } = await watchedHome();
    const [path = ''] = socketsOf(home);
    for (const line of ['\n', 'garbage\n', '[]\n', '{"argv":["search","oven"]}\n', 'GET / HTTP/1.1\r\n\r\n'])
      expect(await sendLine(path, line)).toEqual([]);
    expect(await sendLine(path, 'x'.repeat(70 * 1024))).toEqual([]);
    expect(await sendLine(path, `${'x'.repeat(70 * 1024)}\n`)).toEqual([]);
    const impatient = connect(path);
    impatient.write(`${JSON.stringify(requestFor(home, SEARCH))}\n`);
    impatient.destroySoon();
    expect(await runAnswered(SEARCH, { home })).toMatchObject({ code: 0 });
    expect(await watch.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('stops working on the command of a process that has ended', async () => {
    const home = indexedHome();
    const env = { LOCI_EMBEDDING_PROVIDER: 'none' };
    const context = createContext({ home, env, caller: { surface: 'mcp', trust: 'agent' } });
    onTestFinished(() => context.close());
    await context.loci();
    const begun = Promise.withResolvers<AbortSignal>();
    const stop = await listenForCommands(context, async (_argv, io, openSession) => {
      const caller = { surface: 'cli', trust: 'operator' } as const;
      const machine = {} as LocalIo;
      const session = openSession({ caller, env: io.env, onProgress: () => undefined, machine });
      begun.resolve(session.context.signal);
      await once(session.context.signal, 'abort');
      return 0;
    });
    onTestFinished(stop);
    const socket = connect(socketsOf(home)[0] ?? '');
    socket.write(`${JSON.stringify(requestFor(home, SEARCH))}\n`);
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, 'abort');
    socket.destroy();
    await aborted;
  });

  it('accepts a bounded number of connections', async () => {
    const { home } = await watchedHome();
    const [path = ''] = socketsOf(home);
    const idle = Array.from({ length: 8 }, () => connect(path));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    await runUnanswered(SEARCH, { home });
    for (const socket of idle) socket.destroy();
  });
});
