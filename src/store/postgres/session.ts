import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import type { Deadline } from '../../core/time/deadline.ts';
import { ANSWER_TIMEOUT_MS } from './pool.ts';

/** The connection of a transaction, and when its first statement was sent: see `performance.now`. */
export interface Session {
  readonly client: ClientBase;
  readonly begunAt: number;
  /** When its statements have to end. */
  readonly deadline?: Deadline;
}

/**
 * Runs a statement that the server ends when half of the time that is left is over, but not before 25 ms, so that those which are sent
 * with it have the rest, and a busy server does not end the way back to the savepoint either. The transaction goes on after that, because of the savepoint.
 */
export async function runLimited(
  { client, begunAt }: Session,
  deadline: Deadline,
  statement: QueryConfig,
): Promise<QueryResult> {
  const budget = Math.round(performance.now() - begunAt + deadline.left);
  const elapsed = '1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp())';
  const query_timeout = deadline.left + ANSWER_TIMEOUT_MS;
  const send = (each: QueryConfig): Promise<QueryResult> =>
    client.query({ ...each, query_timeout } as QueryConfig);
  const [, answer] = await Promise.all([
    send({
      text: `SAVEPOINT limited;
      SELECT set_config('statement_timeout', greatest(25, (${String(budget)} - ${elapsed}) / 2)::bigint::text, TRUE)`,
    }),
    send(statement),
    send({ text: 'ROLLBACK TO SAVEPOINT limited; RELEASE SAVEPOINT limited' }),
  ]);
  return answer;
}
