import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGES = ['postgresql-17', 'postgresql-17-pgvector', 'pgbouncer'];
const CACHE = process.env['LOCI_POSTGRES_CACHE'] ?? join(homedir(), '.cache', 'loci-postgres');
/**
 * A system of Debian 13 with PostgreSQL 17 and pgvector, which Debian 12 does not have, and PgBouncer. It takes 700 MB and two minutes,
 * so that it is made once, outside of the checkout. Only root can make it. Other packages make another system.
 */
export const SYSTEM: string = join(CACHE, ['trixie', ...PACKAGES].join('+'));

/** Makes the system unless there is one. @throws Error for a user who is not root */
export async function installPostgres(): Promise<void> {
  if (existsSync(SYSTEM)) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      'Only root can install a server for these tests. Install PostgreSQL with pgvector, or name a server in LOCI_TEST_POSTGRES_URL.',
    );
  if (!existsSync('/usr/sbin/debootstrap')) {
    await run('apt-get', ['update', '-q'], { timeout: 120_000 });
    await run('apt-get', ['install', '-yq', '--no-install-recommends', 'debootstrap'], { timeout: 120_000 });
  }
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'making-'));
  try {
    chmodSync(made, 0o755);
    const packages = `--include=${PACKAGES.join(',')}`;
    const options = { timeout: 400_000, maxBuffer: 100_000_000 };
    await run('debootstrap', ['--variant=minbase', packages, 'trixie', made], options);
    // Another process may have finished first.
    if (!existsSync(SYSTEM)) renameSync(made, SYSTEM);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Where the programs of a server are. */
export interface Programs {
  /** What their paths begin with outside of the system that they run in. */
  readonly root: string;
  readonly folder: string;
  /** Who may run them: root may not. `null` is the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** Programs of a server with pgvector on this machine; `null` if there are none. */
export function findPrograms(): Programs | null {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync(SYSTEM))
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
  const path = resolve(folder, program);
  if (user === null) return [path, [...options]];
  return ['chroot', [`--userspec=${String(user.uid)}:${String(user.gid)}`, root || '/', path, ...options]];
}

/** Runs a program of PostgreSQL, such as `pg_dump`. Paths are those of its system. */
export async function runProgram(
  programs: Programs,
  program: string,
  options: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const PATH = `${programs.folder}:${process.env['PATH'] ?? ''}`;
  await run(...command(programs, program, options), {
    timeout: 60_000,
    env: { ...process.env, PATH, ...env },
  });
}

/** A new folder that the programs may write to. */
export interface DataFolder extends Disposable {
  /** Its path for the programs. */
  readonly path: string;
  /** Its path for the tests. */
  readonly outside: string;
}

export function dataFolder({ root, user }: Programs): DataFolder {
  const outside = mkdtempSync(join(root, tmpdir(), 'loci-postgres-'));
  chmodSync(outside, 0o700);
  if (user !== null) chownSync(outside, user.uid, user.gid);
  return {
    path: outside.slice(root.length),
    outside,
    [Symbol.dispose]: () => {
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

export interface Server {
  readonly url: string;
  /** Of the process that has started the others. */
  readonly pid: number;
  /** Kills all processes of the server, as a crash of the machine would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Kills the server and starts it again. */
  restartAfterCrash(): Promise<void>;
  /** Ends the server in an orderly way. Its connections are closed. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** What the server writes survives its crash, but need not survive a power failure. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=/tmp',
  'fsync=off',
  'max_connections=200',
];

interface ServerOptions {
  /** Fills the data folder, which is new; otherwise the server is empty. */
  readonly fill?: (folder: string) => Promise<void>;
  /** Such as `hot_standby=off`. */
  readonly settings?: readonly string[];
}

/** Starts a server with a new data folder, which is removed with it. */
export async function startServer(
  programs: Programs,
  { fill, settings = [] }: ServerOptions = {},
): Promise<Server> {
  const data = dataFolder(programs);
  const initial = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  await (fill ?? ((folder) => runProgram(programs, 'initdb', ['-D', folder, ...initial])))(data.path);
  const port = await freePort();
  const all = [...SETTINGS, `port=${String(port)}`, ...settings].flatMap((setting) => ['-c', setting]);
  const startOnce = (): Promise<ChildProcess> =>
    startProcess(
      ...command(programs, 'postgres', ['-D', data.path, ...all]),
      /ready to accept (read-only )?connections/,
    );
  let server = await startOnce();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    for (;;) {
      try {
        server = await startOnce();
        return;
      } catch (error) {
        // Processes of its connections may take a moment to end.
        if (!/shared memory block|lock file|Address already in use/.test(String(error))) throw error;
      }
    }
  };
  const kill = async (): Promise<void> => {
    const children = childrenOf(server.pid!);
    await end('SIGKILL');
    for (const child of children) killIfRunning(child);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
    get pid() {
      return server.pid!;
    },
    kill,
    start,
    restartAfterCrash: async () => {
      await kill();
      await start();
    },
    stop: () => end('SIGINT'),
    close: async () => {
      // Immediate: what the server holds is removed.
      await end('SIGQUIT');
      data[Symbol.dispose]();
    },
  };
}

function childrenOf(pid: number): number[] {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
  const children = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : [];
  return children.map(Number).filter((each) => each > 0);
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when the log has a line that says that the program is ready. */
export async function startProcess(
  program: string,
  options: readonly string[],
  ready: RegExp,
): Promise<ChildProcess> {
  const server = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (text: Buffer) => {
      log += text.toString();
      if (ready.test(log)) resolve(server);
    });
    server.once('exit', () => {
      reject(new Error(`${options.join(' ')} did not start: ${log}`));
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
