import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { indexedHomes, loci, ROOT, type RunningLoci, startLoci, temporaryFolder } from './loci-command.ts';
import {
  comparable,
  requestFor,
  runAnswered,
  runBin,
  runUnanswered,
  sendRequestTo,
  socketsOf,
  waitForSockets,
} from './socket-command.ts';

const indexedHome = indexedHomes();
const OFF = { LOCI_COMMAND_SOCKET: 'off' };
describe('a command while a server runs', () => {
  let home = '';
  let server: RunningLoci | undefined;
  beforeAll(async () => {
    home = indexedHome();
    server = startLoci(['serve', '--port', '0'], { home });
    await waitForSockets(home);
  });
  afterAll(async () => {
    server?.child.kill();
    await server?.ended;
  });

  it.each([
    ['search', 'oven', '--json'],
    ['search', 'oven', '--limit', 'many', '--json'],
    ['search', '--help'],
    ['get', 'Home/No such note.md'],
    ['fact', 'recall', 'nothing'],
  ])('prints the same as without one: %s %s', async (...args) => {
    const answered = await runAnswered(args, { home });
    const alone = await runBin(args, { home, env: OFF });
    expect(comparable(answered)).toEqual(comparable(alone));
  });

  it('prints the same in colours, and from any folder', async () => {
    const env = { FORCE_COLOR: '1' };
    const options = { home, env, cwd: temporaryFolder() };
    const answered = await runAnswered(['search', 'oven'], options);
    expect(answered.code).toBe(0);
    expect(answered.stdout).toContain('\u001b[');
    expect(comparable(answered)).toEqual(
      comparable(await runBin(['search', 'oven'], { home, env: { ...env, ...OFF } })),
    );
  });

  it('prints long texts whole, and ends when its reader does', async () => {
    const line = 'The oven is induction. ';
    await loci(['write', '--title', 'Long', '-'], { home, stdin: line.repeat(30_000) });
    const { stdout: listed } = await loci(['list', '--limit', '1', '--json'], { home });
    const [{ citation }] = (JSON.parse(listed) as { records: [{ citation: string }] }).records;
    const answered = await runAnswered(['get', citation, '--plain'], { home });
    expect(answered.code).toBe(0);
    expect(answered.stdout.trimEnd()).toBe(line.repeat(30_000).trimEnd());
    const { child, ended } = startLoci(['get', citation], { home }, [join(ROOT, 'bin/loci.js')]);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('is formatted for the terminal of the command', async () => {
    const [path = ''] = socketsOf(home);
    const [, answer] = await sendRequestTo(path, requestFor(home, ['search', 'oven'], {}, [50, null]));
    const expected = await loci(['search', 'oven'], { home, terminal: true, columns: 50 });
    const [[fd, text] = []] = (answer as { output: [number, string][] }).output;
    expect({ fd, ...comparable({ code: 0, stdout: text ?? '', stderr: '' }) }).toEqual({
      fd: 1,
      ...comparable(expected),
    });
  });

  it('runs itself when the environment changes its settings, or names another home', async () => {
    const limited = await runUnanswered(['search', 'oven', '--json'], {
      home,
      env: { LOCI_SEARCH_LIMIT: '1' },
    });
    expect((JSON.parse(limited.stdout) as { results: unknown[] }).results).toHaveLength(1);
    const misspelt = await runAnswered(['search', 'oven'], { home, env: { LOCI_SERCH_LIMIT: '1' } });
    expect(misspelt.stderr).toContain('LOCI_SERCH_LIMIT is not a setting');
    await runUnanswered(['search', 'oven', '--home', home], { home });
    await runUnanswered(['search', 'oven'], { home, env: { TZ: 'Asia/Tokyo' } });
    await runUnanswered(['status'], { home, env: { PATH: '/usr/bin' } });
  });

  it('runs itself when it changes something or reads a file', async () => {
    const input = join(temporaryFolder(), 'input.json');
    writeFileSync(input, '{"query": "oven"}');
    await runUnanswered(['search', '--input', input], { home });
    await runUnanswered(['fact', 'store', 'key', 'value'], { home });
  });

  it('sees at once what other processes have written', async () => {
    await loci(['fact', 'store', 'lamp', 'green'], { home });
    expect(await runAnswered(['fact', 'recall', 'lamp'], { home })).toMatchObject({
      stdout: expect.stringContaining('green') as string,
    });
    await loci(['fact', 'forget', 'lamp'], { home });
    expect(await runAnswered(['fact', 'recall', 'lamp'], { home })).toMatchObject({ code: 4 });
  });
});

/** Listens at a name in the folder of the sockets, which stays when the server is closed. */
async function listenAs(home: string, name: string): Promise<Server> {
  const folder = join(home, 'run');
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const server = createServer();
  server.listen(join(folder, 'unfinished'));
  await once(server, 'listening');
  renameSync(join(folder, 'unfinished'), join(folder, name));
  return server;
}

describe('a command while other sockets are in the home', () => {
  it('finds the process that listens after any number of sockets whose processes were killed', async () => {
    const home = indexedHome();
    const server = startLoci(['serve', '--port', '0'], { home });
    onTestFinished(() => void server.child.kill());
    await waitForSockets(home);
    for (let i = 0; i < 9; i++) (await listenAs(home, `0000000${String(i)}.sock`)).close();
    expect(await runAnswered(['search', 'oven'], { home })).toMatchObject({ code: 0 });
  });

  it('runs itself when an answer does not end', async () => {
    const home = indexedHome();
    const server = await listenAs(home, '00000000.sock');
    onTestFinished(() => void server.close());
    let sent = 0;
    server.on('connection', (socket) => {
      socket.on('close', () => (sent = socket.bytesWritten));
      socket.on('error', () => undefined);
      socket.write('{"accepted":true}\n');
      const send = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(1_000_000)));
      };
      socket.on('drain', send);
      send();
    });
    const found = await runUnanswered(['search', 'oven'], { home });
    expect(found.code).toBe(0);
    // Without a limit, some gigabytes are read until the answer is late.
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(200_000_000);
  });
});
