import { Client } from 'pg';
import type { ForeignDatabase, ForeignRow } from '../store.ts';
import { driverString } from './connections.ts';
import { databaseName } from './locate.ts';
import { type ErrorsByState, guarded } from './store-error.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** The server refuses to write in it. The time between two statements is that in which Loci stores what it has read. */
const BEGIN =
  `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '10min'; ` +
  `SET LOCAL idle_in_transaction_session_timeout = '10min'`;

const ERRORS: ErrorsByState = {
  '3D000': ['unreadable', 'Check the name of the database at the end of the connection string.'],
  '42501': [
    'unreadable',
    'The user may not read this. The owner may run `GRANT USAGE ON SCHEMA … TO` and `GRANT SELECT ON … TO` the user.',
  ],
};

/** Reads a database in one transaction that cannot write. @throws LociError `invalid_config`, `unreadable`, `store_failed` */
export async function readPostgres<Result>(
  connectionString: string,
  setting: string,
  work: (database: ForeignDatabase) => Promise<Result>,
): Promise<Result> {
  const name = databaseName(connectionString, setting);
  const client = new Client({
    connectionString: await driverString(connectionString),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'loci',
    types: { getTypeParser: () => (text: string) => text },
  });
  // The statement that runs gets its errors too.
  client.on('error', () => undefined);
  try {
    await guarded(async () => {
      await client.connect();
      await client.query(BEGIN);
    }, ERRORS);
    return await work({
      name,
      query: async (statement, values) =>
        guarded(async () => (await client.query<ForeignRow>(statement, values && [...values])).rows, ERRORS),
    });
  } finally {
    await client.end();
  }
}
