import type { Caller } from '../../../core/caller.ts';
import { type Scope, SCOPES } from '../../../operations/operation.ts';

/** Who asks, as far as it was proved. */
export interface Identity {
  readonly caller: Caller;
  /** What is allowed, what it implies included. */
  readonly scopes: ReadonlySet<Scope>;
  /** Requests of the same key are counted together; no secret. */
  readonly key: string;
}

/** Another protocol at a path of the same server, behind the same door. */
export interface HttpEndpoint {
  /** @param body of a POST, read and parsed already */
  handle(request: Request, identity: Pick<Identity, 'caller' | 'scopes'>, body?: unknown): Promise<Response>;
  /** Ends the requests that are being answered. */
  close(): Promise<void>;
}

/** Each scope allows what stands before it in `SCOPES`. Words that are no scope allow nothing. */
export function allowedBy(granted: readonly string[]): ReadonlySet<Scope> {
  const highest = Math.max(-1, ...SCOPES.map((scope, rank) => (granted.includes(scope) ? rank : -1)));
  return new Set(SCOPES.slice(0, highest + 1));
}
