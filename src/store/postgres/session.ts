import type { ClientBase, QueryResult } from 'pg';
import type { Deadline } from '../../core/time/deadline.ts';

/** The connection of a transaction, and when its first statement was sent: see `performance.now`. */
export interface Session {
  readonly client: ClientBase;
  readonly begunAt: number;
  /** When its statements have to end. */
  readonly deadline?: Deadline;
}

/**
 * Runs a statement that the server ends when half of the time that is left is over, so that those which are sent with it have the
 * rest. The transaction goes on after that, because of the savepoint.
 */
export async function runLimited(
  { client, begunAt }: Session,
  deadline: Deadline,
  text: string,
  parameters: unknown[] | undefined,
): Promise<QueryResult> {
  const budget = Math.round(performance.now() - begunAt + deadline.left);
  const elapsed = '1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp())';
  const [, answer] = await Promise.all([
    client.query(`SAVEPOINT limited;
      SELECT set_config('statement_timeout', greatest(1, (${String(budget)} - ${elapsed}) / 2)::bigint::text, TRUE)`),
    client.query(text, parameters),
    client.query('ROLLBACK TO SAVEPOINT limited; RELEASE SAVEPOINT limited'),
  ]);
  return answer;
}
