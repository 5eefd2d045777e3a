import { runProgram, type Server, startServer } from './server.ts';
import { requirePrograms } from './written-keys.ts';

/** Starts a server, and a streaming replica of it. */
export async function startReplicatedServers(
  resources: AsyncDisposableStack,
): Promise<{ primary: Server; standby: Server }> {
  const programs = requirePrograms();
  const start = async (options?: Parameters<typeof startServer>[1]): Promise<Server> =>
    resources.adopt(await startServer(programs, options), (server) => server.close());
  const primary = await start();
  const copyOf = ['-d', `${primary.url}?application_name=standby`, '-R', '-X', 'stream', '-c', 'fast'];
  const standby = await start({
    fill: (folder) => runProgram(programs, 'pg_basebackup', [...copyOf, '-D', folder]),
  });
  return { primary, standby };
}

/** The connection string of a database on another server. */
export function onServer(url: string, server: Server): string {
  return Object.assign(new URL(url), { host: new URL(server.url).host }).href;
}
