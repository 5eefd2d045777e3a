import { channel } from 'node:diagnostics_channel';
import { inSpan } from '../../../core/tracing.ts';
import type { CallName, RunCall } from './calls.ts';

/** How busy the connections of a store are that is on a server. The totals count from when it was opened. */
export interface StoreActivity {
  readonly connections: Readonly<
    Record<'read' | 'write', { readonly inUse: number; readonly waiting: number }>
  >;
  readonly idleConnections: number;
  /** Writes that wait for other writes of their namespace. */
  readonly waitingWrites: number;
  /** How often a write has waited for a transaction of another process, and how long in all. */
  readonly lockWaits: number;
  readonly lockWaitMs: number;
  readonly slowStatements: number;
  /** `null` without a replica. */
  readonly isReplicaReachable: boolean | null;
}

/** A statement that has taken longer than `store.slowStatement`: never its text or its parameters, which have texts of users. */
export interface SlowStatement {
  /** `null` for one of no call, such as a migration. */
  readonly call: CallName | null;
  /** The id of the namespace in the database; `null` if it has none. */
  readonly namespaceId: number | null;
  readonly milliseconds: number;
}

const slowStatements = channel('loci:slow-statement');

export function publishSlowStatement(statement: SlowStatement): void {
  slowStatements.publish(statement);
}

/** Calls `listener` for every slow statement of this process, until the returned function is called. */
export function onSlowStatement(listener: (statement: SlowStatement) => void): () => void {
  const subscriber = (message: unknown): void => {
    listener(message as SlowStatement);
  };
  slowStatements.subscribe(subscriber);
  return () => slowStatements.unsubscribe(subscriber);
}

/**
 * Runs each call in a span: https://opentelemetry.io/docs/specs/semconv/database/database-spans/.
 * @param database the attributes that tell the database
 */
export function traced(database: Readonly<Record<string, string | number>>, run: RunCall): RunCall {
  return (call, route, parameters) =>
    inSpan({ name: call, kind: 'client', attributes: { ...database, 'db.operation.name': call } }, () =>
      run(call, route, parameters),
    );
}
