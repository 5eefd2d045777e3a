import { DAY_MS } from '../../core/time/whole-day.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { idempotentResult } from '../../store/items/kinds.ts';
import type { IdempotencyKey } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';

const KEY_LIFETIME_MS = DAY_MS;
const KEY_FORMAT = /^[\x21-\x7e]{1,255}$/;

interface IdempotentOutcome {
  readonly ids: readonly number[];
  /** Whether an earlier request with the same key did it. */
  readonly replayed: boolean;
}

/** A request with a key. Only a hash of the key is stored, since callers may use a token or another secret. */
interface KeyedRequest {
  readonly key: string;
  readonly keyHash: string;
  readonly fingerprint: string;
}

/**
 * Does the work at most once for an idempotency key, over all processes; later requests get the ids of the first.
 * @param content identifies the request: the key must not be used with another
 * @throws LociError `invalid_input` for a malformed key, `conflict` for one that was used for another request
 */
export async function runOnce(
  context: EngineContext,
  key: string | undefined,
  content: unknown,
  work: (batch: { readonly idempotencyKey?: IdempotencyKey }) => Promise<readonly number[]>,
): Promise<IdempotentOutcome> {
  if (key === undefined) return { ids: await work({}), replayed: false };
  if (!KEY_FORMAT.test(key)) {
    const rule = 'must be 1 to 255 printable ASCII characters without spaces';
    throw new LociError('invalid_input', `the idempotency key ${JSON.stringify(key.slice(0, 60))} ${rule}`);
  }
  const fingerprint = sha256(JSON.stringify(content));
  const request = { key, keyHash: sha256(key), fingerprint };
  const before = await replay(context, request);
  if (before !== null) return before;
  const at = context.now();
  try {
    const ids = await work({
      idempotencyKey: { key: request.keyHash, fingerprint, at, expiresAt: at + KEY_LIFETIME_MS },
    });
    return { ids, replayed: false };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    // Another process may have done it meanwhile.
    const concurrent = await replay(context, request);
    if (concurrent === null) throw error;
    return concurrent;
  }
}

async function replay(
  { store, namespace, now }: EngineContext,
  { key, keyHash, fingerprint }: KeyedRequest,
): Promise<IdempotentOutcome | null> {
  const done = await idempotentResult(store.records, namespace, keyHash, now());
  if (done === null) return null;
  if (done.fingerprint === fingerprint) return { ids: done.records, replayed: true };
  throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used for another request`, {
    hint: 'Use a new key for each request, and the same key only to retry it.',
  });
}
