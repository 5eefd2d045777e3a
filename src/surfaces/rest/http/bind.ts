import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { LociError, messageOf } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The path of a Unix socket; when it is set, host and port are ignored. */
  readonly socket?: string | undefined;
}

/**
 * Starts to listen and returns the address as text: `http://127.0.0.1:8737` or `unix:/path`.
 * @throws LociError `conflict` when the address is in use, `unreadable` when the server cannot listen on it
 */
export async function bind(server: Server, { host, port, socket }: ListenAddress): Promise<string> {
  if (socket !== undefined) {
    await bindSocket(server, socket);
    return `unix:${socket}`;
  }
  await listen(server, { host, port }, `${host}:${String(port)}`);
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(bound)}`;
}

/** Removes the Unix socket of a server that has closed. */
export async function unbind({ socket }: ListenAddress): Promise<void> {
  if (socket !== undefined) await rm(socket, { force: true });
}

/**
 * Creates the socket in a temporary folder that only its owner may enter, sets its mode to 0600, and then moves it to its
 * path. So no other user can connect at any moment.
 */
async function bindSocket(server: Server, path: string): Promise<void> {
  await assertFree(path);
  const folder = await mkdtemp(join(dirname(path), '.loci-')).catch((error: unknown) => {
    throw cannotListen(error, path);
  });
  try {
    const temporary = join(folder, 's');
    await listen(server, { path: temporary }, path);
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A socket that a dead server left behind counts as free. @throws LociError `conflict` */
async function assertFree(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket())
    throw new LociError('conflict', `${path} exists already and is not a socket`, {
      hint: 'Set server.socket to another path.',
    });
  if (await accepts(path)) throw inUse(path, 'set server.socket to another path');
}

/** Whether a server accepts connections at this socket. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}

async function listen(
  server: Server,
  options: { readonly host: string; readonly port: number } | { readonly path: string },
  address: string,
): Promise<void> {
  try {
    server.listen(options);
    await once(server, 'listening');
  } catch (error) {
    const isInUse = systemErrorCode(error) === 'EADDRINUSE' && 'port' in options;
    throw isInUse ? inUse(address, 'choose another port with --port') : cannotListen(error, address);
  }
}

function inUse(address: string, alternative: string): LociError {
  return new LociError('conflict', `${address} is already in use`, {
    hint: `Stop the server that listens there, or ${alternative}.`,
  });
}

function cannotListen(error: unknown, address: string): LociError {
  return new LociError('unreadable', `cannot listen at ${address}: ${messageOf(error)}`, {
    hint: 'Check server.host, server.port or server.socket.',
    cause: error,
  });
}
