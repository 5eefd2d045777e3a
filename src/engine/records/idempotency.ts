import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { IdempotencyKey } from '../../store/mortality.ts';
import type { EngineContext } from '../context.ts';

/** How long an idempotency key is known, milliseconds. */
const KNOWN = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export interface IdempotentOutcome {
  readonly ids: readonly number[];
  /** Whether it was done before, under the same key, and so not now. */
  readonly replayed: boolean;
}

/** What is asked once. The store holds a hash of the key: people put what they have at hand into it, tokens too. */
interface KeyedRequest {
  readonly key: string;
  readonly held: string;
  readonly fingerprint: string;
}

/**
 * Does something once for an idempotency key, however often and from however many processes it is asked for.
 * @throws LociError `invalid_input` for a key that is none, `conflict` for one that was used for something else
 */
export async function runOnce(
  context: EngineContext,
  key: string | undefined,
  asked: unknown,
  work: (once: { readonly once?: IdempotencyKey }) => Promise<readonly number[]>,
): Promise<IdempotentOutcome> {
  if (key === undefined) return { ids: await work({}), replayed: false };
  if (!KEY.test(key)) {
    const rule = 'must be 1 to 255 printable ASCII characters without spaces';
    throw new LociError('invalid_input', `the idempotency key ${JSON.stringify(key.slice(0, 60))} ${rule}`);
  }
  const fingerprint = sha256(JSON.stringify(asked));
  const request = { key, held: sha256(key), fingerprint };
  const before = await replay(context, request);
  if (before !== null) return before;
  const at = context.now();
  try {
    const ids = await work({ once: { key: request.held, fingerprint, at, expiresAt: at + KNOWN } });
    return { ids, replayed: false };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    // Somebody else may have done it meanwhile.
    const meanwhile = await replay(context, request);
    if (meanwhile === null) throw error;
    return meanwhile;
  }
}

async function replay(
  { store, namespace, now }: EngineContext,
  { key, held, fingerprint }: KeyedRequest,
): Promise<IdempotentOutcome | null> {
  const done = await store.doneOnce(namespace, held, now());
  if (done === null) return null;
  if (done.fingerprint === fingerprint) return { ids: done.records, replayed: true };
  throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used for another request`, {
    hint: 'Take a new key for each thing to do, and the same one only to try it again.',
  });
}
