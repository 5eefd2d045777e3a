import type { Proxy } from './proxy.ts';

/** What an operation sends to the server, and how often it waits for an answer. */
export interface Traffic {
  /** The longest chain of messages of which each was sent after the answer to the one before. */
  readonly roundTrips: number;
  /** Statements, those in one message counted one by one. */
  readonly statements: number;
}

/** The length of the header of a message: its type, and the length of the rest with its own four bytes. */
const HEADER = 5;

/** Counts what passes a proxy. Messages of several connections count as one where none waits for the answer to another. */
export class TrafficCounter {
  /** Round trips until the newest answer. */
  #answered = 0;
  #statements = 0;

  constructor(proxy: Proxy) {
    proxy.observe = () => {
      let sent = 0;
      let rest = Buffer.alloc(0);
      let hasStarted = false;
      let isReadOnly = false;
      return {
        fromClient: (bytes) => {
          rest = Buffer.concat([rest, bytes]);
          for (;;) {
            // The first message of a connection has no type.
            const header = hasStarted ? HEADER : HEADER - 1;
            if (rest.length < header) return;
            const length = rest.readInt32BE(header - 4) + header - 4;
            if (rest.length < length) return;
            const statements = hasStarted ? statementsOf(rest.subarray(0, length)) : [];
            rest = rest.subarray(length);
            hasStarted = true;
            this.#statements += statements.length;
            if (statements[0]?.startsWith('BEGIN') === true) isReadOnly = statements[0].includes('READ ONLY');
            // Nothing waits for the end of a transaction that only read.
            if (isReadOnly && statements[0] === 'COMMIT') continue;
            sent = Math.max(sent, this.#answered + 1);
          }
        },
        fromServer: () => {
          this.#answered = Math.max(this.#answered, sent);
        },
      };
    };
  }

  /** What the work sends and waits for. Nothing else may use the connections meanwhile. */
  async measure(work: () => Promise<unknown>): Promise<Traffic> {
    const [answered, statements] = [this.#answered, this.#statements];
    await work();
    return { roundTrips: this.#answered - answered, statements: this.#statements - statements };
  }
}

/** The statements of a message: those of a simple query, or the one that is executed. */
function statementsOf(message: Buffer): string[] {
  const type = String.fromCharCode(message[0]!);
  if (type === 'E') return ['prepared'];
  if (type !== 'Q') return [];
  const texts = message.toString('utf8', HEADER, message.length - 1).split(';');
  return texts.map((each) => each.trim()).filter((each) => each !== '');
}
