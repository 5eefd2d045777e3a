import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a server of PostgreSQL, and changes the statements on their way. */
export class SqlRewritingProxy implements AsyncDisposable {
  readonly #rewrite: (statement: string) => string;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => {
    this.#forward(client);
  });
  readonly #upstream: URL;

  constructor(server: string, rewrite: (statement: string) => string) {
    this.#upstream = new URL(server);
    this.#rewrite = rewrite;
  }

  /** The URL with the address of the proxy. */
  async through(url: string): Promise<string> {
    if (!this.#server.listening) {
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    }
    const proxied = new URL(url);
    proxied.host = `127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
    return proxied.href;
  }

  #forward(client: Socket): void {
    const upstream = connect(Number(this.#upstream.port), this.#upstream.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket.setNoDelay());
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    upstream.pipe(client);
    let rest = Buffer.alloc(0);
    // The first message has no type.
    let typeLength = 0;
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        if (rest.length < typeLength + 4) return;
        const end = typeLength + rest.readUInt32BE(typeLength);
        if (rest.length < end) return;
        upstream.write(typeLength === 0 ? rest.subarray(0, end) : this.#changed(rest.subarray(0, end)));
        rest = rest.subarray(end);
        typeLength = 1;
      }
    });
  }

  /** `Q` is a simple query; `P` prepares a statement, whose name stands before it. */
  #changed(message: Buffer): Buffer {
    const type = String.fromCharCode(message[0]!);
    if (type !== 'Q' && type !== 'P') return message;
    const from = type === 'Q' ? 5 : message.indexOf(0, 5) + 1;
    const to = message.indexOf(0, from);
    const statement = message.toString('utf8', from, to);
    const changed = this.#rewrite(statement);
    if (changed === statement) return message;
    const result = Buffer.concat([message.subarray(0, from), Buffer.from(changed), message.subarray(to)]);
    result.writeUInt32BE(result.length - 1, 1);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
