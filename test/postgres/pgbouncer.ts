import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { command, dataFolder, freePort, type Programs, startProcess } from './server.ts';

export interface PgBouncer extends AsyncDisposable {
  /** The database of a connection string, through PgBouncer. */
  url(direct: string): string;
}

/** Starts PgBouncer in front of a server. The settings are those of `docs/postgres.md`, but for passwords. */
export async function startPgBouncer(programs: Programs, server: string): Promise<PgBouncer> {
  const program = '/usr/sbin/pgbouncer';
  if (!existsSync(programs.root + program)) throw new Error('These tests need the package `pgbouncer`.');
  const folder = dataFolder(programs);
  const port = String(await freePort());
  const { hostname, port: serverPort, username } = new URL(server);
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Fewer than the connections of one store, so that transactions take turns on them.
    'default_pool_size = 3',
  ];
  writeFileSync(join(folder.outside, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  const started = command(programs, program, [`${folder.path}/pgbouncer.ini`]);
  const bouncer = await startProcess(...started, /process up/);
  return {
    url: (direct) => Object.assign(new URL(direct), { hostname: '127.0.0.1', port }).href,
    [Symbol.asyncDispose]: async () => {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGTERM');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}
