import { randomBytes } from 'node:crypto';
import { SCOPES } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { Timestamp } from '../../core/types.ts';
import type { StoredToken } from '../../store/admin-model.ts';
import { storedTokens, tokenPut, tokenRevocation, tokenUse } from '../../store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { endOf, isActive, isEqualHash, newTokenId } from './tokens.ts';

const SECRET_BYTES = 32;
const CODE_LIFETIME_MS = 60_000;
export const SESSION_LIFETIME_MS = 30 * 86_400_000;
/** The store learns at most once in this time that a session is used. */
const USE_INTERVAL_MS = 3_600_000;
/** The surface of the web page: the source of the records that its user writes. */
const SURFACE = 'web';

/** The code of a link that opens the web page once. */
export interface PageCode {
  readonly code: string;
  readonly expiresAt: Timestamp;
}

/** A session of the web page. */
export interface PageSession {
  readonly id: string;
  /** The user who opened it with `loci ui`. */
  readonly actor: string;
  readonly namespace: string;
  readonly csrfHash: string;
  readonly expiresAt: Timestamp;
}

/** The secrets of a new session. Only their hashes are stored. */
export interface OpenedPageSession {
  readonly session: PageSession;
  readonly secret: string;
  readonly csrf: string;
}

/** Makes the code of a link for the caller, which any server on this store exchanges for a session. */
export async function createPageCode(context: EngineContext): Promise<PageCode> {
  const { store, now, namespace, caller } = context;
  const code = newSecret();
  const stored = draft('page_code', code, caller.actor, { namespace, now: now(), lives: CODE_LIFETIME_MS });
  const audit = [auditDraft(context, 'page-link', `token:${stored.id}`)];
  await store.records.commit(namespace, {
    adminItems: [{ forgetExpired: now() }, tokenPut(stored)],
    audit,
  });
  return { code, expiresAt: stored.expiresAt! };
}

/**
 * Exchanges a code for a session. Of several attempts at the same time, one succeeds.
 * @throws LociError `unauthorized` for a code that is unknown, used or expired
 */
export async function openPageSession(context: EngineContext, code: string): Promise<OpenedPageSession> {
  const { store, now } = context;
  const found = await findStored(context, 'page_code', code);
  if (found === null || !isActive(found, now())) throw invalidCode();
  const { subject: namespace, name: actor } = found;
  const [secret, csrf] = [newSecret(), newSecret()];
  const at = now();
  const stored = {
    ...draft('page_session', secret, actor, { namespace, now: at, lives: SESSION_LIFETIME_MS }),
    csrfHash: sha256(csrf),
    usedAt: at,
  };
  const session = formatSession(stored);
  const user = context.as(callerOfSession(session, namespace));
  const audit = [auditDraft(user, 'session-create', `token:${stored.id}`)];
  const adminItems = [tokenRevocation(found.id, at), tokenPut(stored)];
  await store.records.commit(namespace, { adminItems, audit }).catch((error: unknown) => {
    throw error instanceof LociError && error.code === 'conflict' ? invalidCode() : error;
  });
  return { session, secret, csrf };
}

function invalidCode(): LociError {
  return new LociError('unauthorized', 'the link is unknown, used or older than a minute', {
    hint: '`loci ui` makes another.',
  });
}

/** The session with this secret; `null` if there is none, or if it has ended. */
export async function findPageSession(context: EngineContext, secret: string): Promise<PageSession | null> {
  const found = await findStored(context, 'page_session', secret);
  const now = context.now();
  if (found === null || !isActive(found, now)) return null;
  if (now - (found.usedAt ?? 0) >= USE_INTERVAL_MS) {
    const use = { adminItems: [tokenUse(found.id, now)] };
    // While the store is busy, the session is valid nevertheless.
    await context.store.records.commit(found.subject, use).catch(() => undefined);
  }
  return formatSession(found);
}

/** Whether this is the second secret of the session. */
export function isCsrfOf({ csrfHash }: Pick<PageSession, 'csrfHash'>, csrf: string): boolean {
  return isEqualHash(csrfHash, sha256(csrf));
}

/** Ends a session, for its user. One that has ended already stays as it is. */
export async function endPageSession(context: EngineContext, { id, namespace }: PageSession): Promise<void> {
  const { store, now } = context;
  const audit = [auditDraft(context, 'session-end', `token:${id}`)];
  await store.records
    .commit(namespace, { adminItems: [tokenRevocation(id, now())], audit })
    .catch((error: unknown) => {
      if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    });
}

export function callerOfSession({ actor }: PageSession, namespace: string) {
  return { namespace, actor, surface: SURFACE, trust: 'operator' } as const;
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

async function findStored(
  { store }: EngineContext,
  kind: StoredToken['kind'],
  text: string,
): Promise<StoredToken | null> {
  const hash = sha256(text);
  const [found] = await storedTokens(store.records, ADMIN_NAMESPACE, hash);
  return found?.kind === kind && isEqualHash(found.hash, hash) ? found : null;
}

function draft(
  kind: StoredToken['kind'],
  text: string,
  name: string,
  { namespace, now, lives }: { readonly namespace: string; readonly now: Timestamp; readonly lives: number },
): StoredToken {
  return {
    kind,
    id: newTokenId(),
    hash: sha256(text),
    subject: namespace,
    name,
    scopes: kind === 'page_session' ? SCOPES : [],
    createdAt: now,
    expiresAt: now + lives,
    revokedAt: null,
    csrfHash: null,
    usedAt: null,
  };
}

function formatSession(stored: StoredToken): PageSession {
  const { id, name, subject, csrfHash } = stored;
  return { id, actor: name, namespace: subject, csrfHash: csrfHash ?? '', expiresAt: endOf(stored)! };
}
