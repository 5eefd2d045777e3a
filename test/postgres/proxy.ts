import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a server, and cuts or silences them. */
export class Proxy implements AsyncDisposable {
  /** Messages of clients that are forwarded before every connection is cut; whether the last one still reaches the server. */
  cut: { after: number; isForwarded: boolean } | null = null;
  /** Called in place of forwarding the next `COMMIT`, whose connection is cut afterwards. */
  atCommit: ((forward: () => void) => Promise<void> | void) | null = null;
  /** Milliseconds from the client to the server. */
  delay = 0;
  /** Makes an observer of the messages of a new connection. */
  observe: (() => { fromClient: (bytes: Buffer) => void; fromServer: () => void }) | null = null;
  /** Whether connections are refused. */
  isDown = false;
  /** Whether no byte is forwarded any more, although connections are accepted and stay open. */
  isSilent = false;
  readonly #upstream: URL;
  readonly #server = createServer((client) => {
    this.#forward(client);
  });
  readonly #sockets = new Set<Socket>();

  private constructor(upstream: string) {
    this.#upstream = new URL(upstream);
  }

  /** A proxy in front of the server of a connection string. */
  static async start(upstream: string): Promise<Proxy> {
    const proxy = new Proxy(upstream);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The connection string with the proxy in place of the server. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return Object.assign(new URL(this.#upstream), { host: `127.0.0.1:${String(port)}` }).href;
  }

  /** Forwards new connections to another server, as an address that moves with the primary server does. */
  moveTo(upstream: string): void {
    this.#upstream.host = new URL(upstream).host;
  }

  /** Returns whether no connection was cut, because there were fewer messages. */
  stopCutting(): boolean {
    const isWaiting = this.cut !== null;
    this.cut = null;
    return isWaiting;
  }

  #forward(client: Socket): void {
    if (this.isDown) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(this.#upstream.port), this.#upstream.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    const observer = this.observe?.();
    upstream.on('data', (bytes) => {
      observer?.fromServer();
      if (!this.isSilent) client.write(bytes);
    });
    client.on('data', (bytes) => {
      observer?.fromClient(bytes);
      if (this.isSilent) return;
      if (this.delay === 0) this.#send(bytes, client, upstream);
      // Timers of one duration end in their order.
      else setTimeout(() => this.#send(bytes, client, upstream), this.delay);
    });
  }

  #send(bytes: Buffer, client: Socket, upstream: Socket): void {
    const { atCommit, cut } = this;
    if (atCommit !== null && bytes.includes('COMMIT')) {
      this.atCommit = null;
      void Promise.resolve(atCommit(() => upstream.write(bytes))).finally(() => client.destroy());
      return;
    }
    if (cut === null || cut.after-- > 0) {
      upstream.write(bytes);
      return;
    }
    this.cut = null;
    if (cut.isForwarded) upstream.write(bytes, () => client.destroy());
    else for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
