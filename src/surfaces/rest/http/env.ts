import type { HttpBindings } from '@hono/node-server';
import type { ErrorCode } from '../../../core/errors.ts';
import type { Identity } from '../access/authenticate.ts';

/** What a request has while it is answered: its id, its sender, and the code of its error. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { id: string; identity: Identity; code: ErrorCode };
}
