import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import { errorCode } from '../../core/fs/file-errors.ts';
import { holderOf } from './who-listens.ts';

/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Instead of both. */
  readonly socket?: string | undefined;
}

/** Listens; answers what to call it by. @throws LociError `conflict` when the place is taken, `unreadable` */
export async function bind(server: Server, { host, port, socket }: Place): Promise<string> {
  if (socket !== undefined) {
    await bindSocket(server, socket);
    return `unix:${socket}`;
  }
  await listening(server, { host, port }, `${host}:${String(port)}`);
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(bound)}`;
}

/** Removes the socket of a server that has ended. */
export async function unbind({ socket }: Place): Promise<void> {
  if (socket !== undefined) await rm(socket, { force: true });
}

/**
 * Made in a folder that nobody else may enter, closed to others (mode 0600), and only then put where it belongs: at no time
 * can another user connect.
 */
async function bindSocket(server: Server, path: string): Promise<void> {
  await refuseTaken(path);
  const folder = await mkdtemp(join(dirname(path), '.loci-')).catch((error: unknown) => {
    throw cannotListen(error, path);
  });
  try {
    const made = join(folder, 's');
    await listening(server, { path: made }, path);
    await chmod(made, 0o600);
    await rename(made, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function refuseTaken(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket())
    throw new LociError('conflict', `${path} is there already and is no socket`, {
      hint: 'Set server.socket to a path of its own.',
    });
  if (await answers(path))
    throw taken(await holderOf({ socketPath: path }), path, 'set server.socket to another path');
}

/** A socket whose server is gone refuses at once. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (alive: boolean) => () => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', done(true)).once('error', done(false));
  });
}

function listening(
  server: Server,
  options: { readonly host: string; readonly port: number } | { readonly path: string },
  place: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      if (errorCode(error) !== 'EADDRINUSE' || 'path' in options) {
        reject(cannotListen(error, place));
        return;
      }
      const tell = (holder: string): void => reject(taken(holder, place, 'choose another port with --port'));
      void holderOf(options).then(tell);
    };
    server.once('error', onError);
    server.listen(options, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function taken(holder: string, place: string, instead: string): LociError {
  return new LociError('conflict', `${holder} listens at ${place} already`, {
    hint: `Stop it, or ${instead}.`,
  });
}

function cannotListen(error: unknown, place: string): LociError {
  return new LociError('unreadable', `cannot listen at ${place}: ${messageOf(error)}`, {
    hint: 'Check server.host, server.port or server.socket.',
    cause: error,
  });
}
