import { Pool, types } from 'pg';
import { decoded, decodedJson } from './nul.ts';

/** Connections that one process has at most. */
const MAX_CONNECTIONS = 10;
/** How long a call waits for a free connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;
/**
 * How long the server may take to answer, in milliseconds. One that does not answer counts as lost: it may have been stopped, or the
 * network drops what is sent.
 */
export const ANSWER_TIMEOUT_MS = 10_000;
/** How long a connection stays open without work, in milliseconds. */
const IDLE_TIMEOUT_MS = 60_000;

/** The values of columns are what SQLite gives: numbers, texts as they were written, 1 and 0 for true and false. */
const PARSERS: ReadonlyMap<number, (text: string) => string | number> = new Map<
  number,
  (text: string) => string | number
>([
  [types.builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TEXT, decoded],
  [types.builtins.JSON, decodedJson],
]);

/** Connections are opened when a call needs one. */
export function createPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'loci',
    pipeline: true,
    types: {
      getTypeParser: (id) => PARSERS.get(id) ?? (types.getTypeParser(id) as (text: string) => unknown),
    },
  });
  // The statement that a connection runs gets its errors too, and the next call replaces the connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
