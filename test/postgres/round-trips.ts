import type { EngineContext } from '../../src/engine/context.ts';
import { openEngine } from '../../src/engine/open.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import type { LoadedOperation, OperationContext } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { runOperation } from '../../src/operations/run.ts';
import { copyExampleVault, settings, temporaryFolder } from '../contract/engines.ts';
import { letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { Proxy } from './proxy.ts';

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
class TrafficCounter {
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

/** An engine behind a proxy that counts. */
export interface CountedEngine {
  readonly loci: EngineContext;
  /** Runs an operation. */
  readonly run: (name: string, input: object) => Promise<unknown>;
  /**
   * What work sends, without that of its first run, which fills caches and opens connections. It is repeated until that is within the
   * limit, because a busy machine lets what was sent at once count as one after the other, and what runs in the background counts too.
   */
  readonly measure: (work: () => Promise<unknown>, limit: Traffic) => Promise<Traffic>;
}

/** How often work is measured until it is within its limit. */
const ATTEMPTS = 5;
/** With a distance, all that is sent at once is sent before the first answer. In milliseconds, one way. */
const DISTANCE_MS = 25;

/** Runs work with an engine on a database. Its vault, the example, is not indexed yet. */
export async function withCountedEngine(
  connectionString: string,
  work: (counted: CountedEngine) => Promise<void>,
): Promise<void> {
  await using proxy = await Proxy.start(connectionString);
  const counter = new TrafficCounter(proxy);
  await using provider = await startProvider({ format: OLLAMA, embed: letterVectors(64) });
  await using folder = await temporaryFolder();
  await copyExampleVault(`${folder.path}/vault`);
  const loci = await openEngine(
    settings(folder.path, {
      store: { connectionString: proxy.url, path: `${folder.path}/loci.db` },
      vaults: [{ name: 'vault', path: `${folder.path}/vault` }],
      embedding: { provider: 'ollama', model: 'letters', url: provider.origin, dimensions: 64 },
    }),
  );
  const context = { loci: () => Promise.resolve(loci), home: folder.path } as unknown as OperationContext;
  try {
    await work({
      loci,
      run: async (name, input) => {
        const operation = (await OPERATIONS.find((each) => each.name === name)!.load()) as LoadedOperation;
        return runOperation(operation, context, operation.input.parse(input));
      },
      measure: async (measured, limit) => {
        await measured();
        let best: Traffic = { roundTrips: Infinity, statements: Infinity };
        proxy.delay = DISTANCE_MS;
        for (let attempt = 0; attempt < ATTEMPTS && !isWithin(best, limit); attempt++) {
          const { roundTrips, statements } = await counter.measure(measured);
          best = {
            roundTrips: Math.min(best.roundTrips, roundTrips),
            statements: Math.min(best.statements, statements),
          };
        }
        proxy.delay = 0;
        return best;
      },
    });
  } finally {
    await loci.close();
  }
}

function isWithin(measured: Traffic, limit: Traffic): boolean {
  return measured.roundTrips <= limit.roundTrips && measured.statements <= limit.statements;
}

/** What is measured of whole operations on the example vault, with vectors, by name. */
export async function exampleOperations({
  loci,
  run,
}: CountedEngine): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  await indexVaults(loci);
  const written: number[] = [];
  const write = async (): Promise<void> => {
    const content = `The kettle ${String(written.length)} is in the cellar.`;
    written.push(((await run('write', { content })) as { id: number }).id);
  };
  return {
    search: () => run('search', { query: 'induction oven' }),
    'search, misspelt': () => run('search', { query: 'inductoin ovne' }),
    write,
    delete: async () => {
      const id = written.pop();
      if (id === undefined) throw new Error('there is nothing to delete');
      await run('delete', { id });
    },
    'pack with the graph': () => run('pack', { query: 'which oven did we decide on', use_graph: true }),
    'startup-inject': () => run('startup-inject', {}),
    status: () => run('status', {}),
  };
}
