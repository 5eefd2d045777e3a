import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A system of Debian 13 with PostgreSQL 17 and pgvector, which Debian 12 does not have. It takes 700 MB and two minutes, so that it
 * is made once, outside of the checkout. Only root can make it.
 */
export const SYSTEM: string = join(
  process.env['LOCI_POSTGRES_CACHE'] ?? join(homedir(), '.cache', 'loci-postgres'),
  'trixie',
);
const COMPLETE = join(SYSTEM, 'complete');

/** Makes the system unless there is one. */
export async function installPostgres(): Promise<void> {
  if (existsSync(COMPLETE)) return;
  rmSync(SYSTEM, { recursive: true, force: true });
  mkdirSync(SYSTEM, { recursive: true });
  if (!existsSync('/usr/sbin/debootstrap')) {
    await run('apt-get', ['update', '-q'], { timeout: 120_000 });
    await run('apt-get', ['install', '-yq', '--no-install-recommends', 'debootstrap'], { timeout: 120_000 });
  }
  const packages = '--include=postgresql-17,postgresql-17-pgvector';
  const options = { timeout: 400_000, maxBuffer: 100_000_000 };
  await run('debootstrap', ['--variant=minbase', packages, 'trixie', SYSTEM], options);
  mkdirSync(COMPLETE);
}

/** Where the programs of a server are. */
interface Programs {
  /** What their paths begin with outside of the system that they run in. */
  readonly root: string;
  readonly folder: string;
  /** Who may run them: root may not. `null` is the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** Programs of a server with pgvector on this machine; `null` if there are none. */
export function findPrograms(): Programs | null {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync(COMPLETE))
    return { root: SYSTEM, folder: '/usr/lib/postgresql/17/bin', user: userIn(SYSTEM) };
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const version = versions
    .sort((a, b) => Number(b) - Number(a))
    .find((each) => existsSync(`/usr/share/postgresql/${each}/extension/vector.control`));
  return version === undefined
    ? null
    : { root: '', folder: `/usr/lib/postgresql/${version}/bin`, user: isRoot ? userIn('') : null };
}

/** The user `postgres` of a system. */
function userIn(root: string): { uid: number; gid: number } {
  const line = readFileSync(`${root}/etc/passwd`, 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = (line ?? 'postgres:x:100:102').split(':').map(Number);
  return { uid: uid!, gid: gid! };
}

export function command(
  { root, folder, user }: Programs,
  program: string,
  options: readonly string[],
): [string, string[]] {
  const path = join(folder, program);
  if (user === null) return [path, [...options]];
  return ['chroot', [`--userspec=${String(user.uid)}:${String(user.gid)}`, root || '/', path, ...options]];
}

export interface Server {
  readonly url: string;
  /** Kills the server as a crash would, and starts it again. */
  restartAfterCrash(): Promise<void>;
  close(): Promise<void>;
}

/** What the server writes survives its crash, but need not survive a power failure. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=/tmp',
  'fsync=off',
  'max_connections=200',
];

/** Starts a server with a new data folder, which is removed with it. */
export async function startServer(programs: Programs): Promise<Server> {
  const data = mkdtempSync(join(programs.root, tmpdir(), 'loci-postgres-'));
  chmodSync(data, 0o700);
  if (programs.user !== null) chownSync(data, programs.user.uid, programs.user.gid);
  const folder = data.slice(programs.root.length);
  const initial = ['-D', folder, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  await run(...command(programs, 'initdb', initial));
  const port = await freePort();
  const settings = [...SETTINGS, `port=${String(port)}`].flatMap((setting) => ['-c', setting]);
  const start = (): Promise<ChildProcess> =>
    startProcess(...command(programs, 'postgres', ['-D', folder, ...settings]));
  let server = await start();
  return {
    url: `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
    restartAfterCrash: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      for (;;) {
        try {
          server = await start();
          return;
        } catch (error) {
          // The processes of its connections end when they notice that the server is gone.
          if (!/shared memory block|lock file|Address already in use/.test(String(error))) throw error;
        }
      }
    },
    close: async () => {
      const ended = once(server, 'exit');
      // Immediate: what the server holds is removed.
      server.kill('SIGQUIT');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server accepts connections. */
async function startProcess(program: string, options: readonly string[]): Promise<ChildProcess> {
  const server = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (text: Buffer) => {
      log += text.toString();
      if (log.includes('ready to accept connections')) resolve(server);
    });
    server.once('exit', () => {
      reject(new Error(`PostgreSQL did not start: ${log}`));
    });
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
