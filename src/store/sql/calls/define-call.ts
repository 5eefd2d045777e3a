import type { AsyncSlices } from '../../../core/threads/slices.ts';
import type { Driver, Scope } from '../driver.ts';
import { findNamespace } from '../sql.ts';

/** Which connection runs a call. Readers never wait for a batch that is being written. */
export type Route = 'reader' | 'writer';

/** A call of the store. All that runs, sends or offers calls follows from the table of them. */
export interface Call<Parameters extends unknown[], Answer, Result = Answer> {
  readonly route: Route | ((...parameters: Parameters) => Route);
  /** Runs it on a connection. A call that may read much pauses after each part. */
  readonly run: (driver: Driver, ...parameters: Parameters) => Promise<Answer | AsyncSlices<Answer>>;
  /** Makes the result of an answer that is packed for the transfer between threads. */
  readonly unpack?: (answer: Answer, namespace: string) => Result;
  /** Whether the answer may share a message with others. Another one may be nested too deeply to be decoded, so it is sent alone. */
  readonly isFlat?: boolean;
}

export function call<Parameters extends unknown[], Answer>(
  route: Call<Parameters, Answer>['route'],
  run: (driver: Driver, ...parameters: Parameters) => Promise<Answer>,
): Call<Parameters, Answer> {
  return { route, run };
}

/** The answer for a namespace that does not exist. */
type Empty<Parameters extends unknown[], Answer> = Answer | ((...parameters: Parameters) => Answer);
type Work<Parameters extends unknown[], Answer> = (scope: Scope, ...parameters: Parameters) => Answer;

/** A call that reads a namespace. */
export function read<Parameters extends unknown[], Answer>(
  empty: Empty<NoInfer<Parameters>, NoInfer<Answer>>,
  work: Work<Parameters, Promise<Answer> | AsyncSlices<Answer>>,
): Call<[namespace: string, ...parameters: Parameters], Answer> {
  return {
    route: 'reader',
    run: async (driver, namespace, ...parameters) => {
      const scope = await findScope(driver, namespace);
      if (scope !== null) return work(scope, ...parameters);
      return typeof empty === 'function'
        ? (empty as (...parameters: Parameters) => Answer)(...parameters)
        : empty;
    },
  };
}

/** A call that reads a namespace with several statements, which see the same state. */
export function snapshot<Parameters extends unknown[], Answer>(
  empty: Empty<NoInfer<Parameters>, NoInfer<Answer>>,
  work: Work<Parameters, Promise<Answer>>,
): Call<[namespace: string, ...parameters: Parameters], Answer> {
  return read<Parameters, Answer>(empty, (scope, ...parameters) =>
    scope.sql.snapshot(() => work(scope, ...parameters)),
  );
}

export async function findScope(driver: Driver, namespace: string): Promise<Scope | null> {
  const ns = await findNamespace(driver.sql, namespace);
  return ns === null ? null : { ...driver, namespace, ns };
}
