import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** What proxies add: whoever asks through one is not who connects. */
const PROXY_HEADER =
  /^(?:forwarded|via|x-real-ip|true-client-ip|cf-connecting-ip|x-(?:forwarded|original|client|cluster)-.*)$/;

/** Whether a connection is of the same Unix user as this process, as each of them is asked once. */
export class LocalPeers {
  readonly #isUnix: boolean;
  readonly #known = new WeakMap<Socket, Promise<boolean>>();

  /** @param isUnix whether they come through a Unix socket */
  constructor(isUnix: boolean) {
    this.#isUnix = isUnix;
  }

  /**
   * Of a Unix socket that its mode (0600) guards, everybody who got in. Of TCP on loopback whose end of it Linux says is
   * this user's; on other systems, which do not say, nobody.
   */
  isOwn(socket: Socket, headers: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (Object.keys(headers).some((name) => PROXY_HEADER.test(name))) return Promise.resolve(false);
    if (this.#isUnix) return Promise.resolve(true);
    const known = this.#known.get(socket) ?? ofSameUser(socket);
    this.#known.set(socket, known);
    return known;
  }
}

async function ofSameUser(socket: Socket): Promise<boolean> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const [theirs, ours] = [plain(remoteAddress ?? ''), plain(localAddress ?? '')];
  if (!isLoopback(theirs)) return false;
  const uid = process.getuid?.();
  if (uid === undefined) return false;
  const wanted = `${theirs}:${String(remotePort)} ${ours}:${String(localPort)}`;
  const tables = await Promise.all(TABLES.map((table) => readFile(table, 'utf8').catch(() => '')));
  return tables.some((table) => ownerIn(table, wanted) === uid);
}

/** The numeric user of a connection (`local remote`) in a table of the kernel; `null` where it is not, or is ending. */
export function ownerIn(table: string, wanted: string): number | null {
  for (const line of table.split('\n').slice(1)) {
    const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || uid === undefined) continue;
    // A connection without an inode belongs to no process any more, and the kernel says user 0.
    if (inode !== '0' && `${readable(local)} ${readable(remote)}` === wanted) return Number(uid);
  }
  return null;
}

/** `0100007F:1F90` → `127.0.0.1:8080`; of IPv6 only loopback and mapped IPv4 are told apart. */
function readable(entry: string): string {
  const [hex = '', port = ''] = entry.split(':');
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const inOrder = Buffer.from(word, 'hex');
    return [...(endianness() === 'LE' ? inOrder.reverse() : inOrder)];
  });
  return `${addressOf(bytes)}:${String(Number.parseInt(port, 16))}`;
}

function addressOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const head = bytes.slice(0, 12).join(' ');
  if (head === MAPPED) return bytes.slice(12).join('.');
  return bytes.join(' ') === LOOPBACK_6 ? '::1' : 'other';
}

const MAPPED = '0 0 0 0 0 0 0 0 0 0 255 255';
const LOOPBACK_6 = `${'0 '.repeat(15)}1`;

/** IPv4 as such, even where the socket speaks IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
