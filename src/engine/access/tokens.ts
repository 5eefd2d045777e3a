import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseDuration } from '../../config/values.ts';
import { isSubject, SCOPES } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isTokenText, newTokenText } from '../../secrets/token-text.ts';
import type { Timestamp } from '../../core/types.ts';
import type { StoredToken } from '../../store/admin-model.ts';
import { storedTokens, tokenPut, tokenRevocation } from '../../store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { filterValue } from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';

const ID_BYTES = 5;
const DEFAULT_LIFETIME = '90d';
const NEVER = 'never';
/** Ten years. Only `never` is longer. */
const MAX_LIFETIME_MS = 3653 * 86_400_000;
const MAX_NAME_LENGTH = 128;
/** A session that is not used for this time ends. */
const SESSION_IDLE_MS = 7 * 86_400_000;

/** A token in the output of every operation. It never has the text of the token. */
export const tokenOutput = z.strictObject({
  id: z.string().describe('`token-revoke` accepts it.'),
  kind: z
    .enum(['token', 'page_session'])
    .describe('A token, or a session of the web page, which `loci ui` opened.'),
  name: z.string().describe('The name of a token; the user whose session it is.'),
  subject: z.string().describe('The namespace that it gives access to.'),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().describe('Null: never.'),
  revoked_at: z.iso.datetime().nullable(),
  used_at: z.iso.datetime().nullable().describe('About when a session was last used; null for a token.'),
});
export type TokenOutput = z.infer<typeof tokenOutput>;

export const createTokenInput = z.strictObject({
  subject: z
    .string()
    .max(128)
    .refine(
      isSubject,
      'text of 1 to 128 characters, none of them a control character, without spaces around it',
    )
    .describe('The namespace that the token gives access to, and the only one.'),
  scopes: z
    .array(z.enum(SCOPES))
    .max(SCOPES.length)
    .min(1)
    .exactOptional()
    .describe(
      'What the token allows: `read` reads this memory, `write` changes it, `admin` administers it: sources, audit log, ' +
        'export. `operator` is for what concerns the server or all namespaces: `/metrics`, `doctor`, embeddings. Each scope ' +
        'includes the ones before it. `read` unless given.',
    ),
  expires: z
    .string()
    .max(100)
    .refine(
      (text) => parseLifetime(text) !== undefined,
      'a duration of at most ten years such as 12h or 90d, or never',
    )
    .exactOptional()
    .describe(`How long it is valid: 12h, 90d, or \`${NEVER}\`; ${DEFAULT_LIFETIME} unless given.`),
  name: z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .exactOptional()
    .describe('A name, such as where it is used; the subject unless given.'),
});

export const createTokenOutput = tokenOutput.extend({
  token: z.string().describe('Shown only once. Send it as `Authorization: Bearer TOKEN`.'),
  note: z.string().nullable().describe('A warning about the namespace.'),
});
export type TokenCreateOutput = z.infer<typeof createTokenOutput>;

export const listTokensOutput = z.strictObject({
  tokens: z.array(tokenOutput).describe('Expired and revoked tokens included.'),
});
export type TokenListOutput = z.infer<typeof listTokensOutput>;

export const revokeTokenInput = z.strictObject({
  token: filterValue().trim().min(1).describe('Its id, or its name if no other active token has it.'),
});

/** Creates a token that gives access over HTTP. Only this call returns its text, which is not stored. */
export async function createToken(
  context: EngineContext,
  given: z.infer<typeof createTokenInput>,
): Promise<TokenCreateOutput> {
  const { subject, scopes = ['read'], expires = DEFAULT_LIFETIME, name = subject } = given;
  const { store, now } = context;
  const text = newTokenText();
  const createdAt = now();
  const lifetime = parseLifetime(expires) ?? null;
  const token: StoredToken = {
    kind: 'token',
    id: newTokenId(),
    hash: sha256(text),
    subject,
    name,
    scopes,
    createdAt,
    expiresAt: lifetime === null ? null : createdAt + lifetime,
    revokedAt: null,
    csrfHash: null,
    usedAt: null,
  };
  const diff = { for: subject, name, scopes: [...scopes] };
  // The operator gives access to a namespace that was deleted, and thereby makes it again.
  const { actor, surface, session } = context.caller;
  const by = { at: createdAt, actor, surface, ...(session !== undefined && { session }) };
  await store.admin.readmitNamespace(ADMIN_NAMESPACE, subject, by);
  const audit = [auditDraft(context, 'token-create', `token:${token.id}`, diff)];
  await store.records.commit(subject, { adminItems: [tokenPut(token)], audit });
  return { token: text, ...formatToken(token), note: await emptyNamespaceNote(context, subject) };
}

export function newTokenId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** Milliseconds, `null` for `never`, `undefined` for any other text. */
function parseLifetime(text: string): number | null | undefined {
  if (text.trim() === NEVER) return null;
  const lifetime = parseDuration(text);
  return lifetime !== undefined && lifetime > 0 && lifetime <= MAX_LIFETIME_MS ? lifetime : undefined;
}

/** A subject without a memory is often a mistake, because the user's notes are in the configured namespace. */
async function emptyNamespaceNote(
  { store, namespace }: EngineContext,
  subject: string,
): Promise<string | null> {
  if (subject === namespace || (await store.admin.namespaces(ADMIN_NAMESPACE, subject)).length > 0)
    return null;
  return (
    `the namespace ${subject} is empty so far; what you index and write on this machine is in ${namespace}, ` +
    `which \`--subject ${namespace}\` gives access to`
  );
}

/** All tokens and sessions, oldest first. */
export async function listTokens({ store }: EngineContext): Promise<TokenListOutput> {
  const stored = await storedTokens(store.records, ADMIN_NAMESPACE);
  return { tokens: stored.filter(({ kind }) => kind !== 'page_code').map(formatToken) };
}

/** By id, or by the name of exactly one active token. @throws LociError `not_found`, `ambiguous` */
export async function revokeToken(
  context: EngineContext,
  { token: idOrName }: z.infer<typeof revokeTokenInput>,
): Promise<TokenOutput> {
  const { store, now } = context;
  const token = selectToken(await storedTokens(store.records, ADMIN_NAMESPACE), idOrName, now());
  if (token.revokedAt !== null) return formatToken(token);
  const at = now();
  const audit = [auditDraft(context, 'token-revoke', `token:${token.id}`)];
  try {
    await store.records.commit(token.subject, { adminItems: [tokenRevocation(token.id, at)], audit });
  } catch (error) {
    // Another process has revoked it meanwhile.
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
  }
  return formatToken({ ...token, revokedAt: at });
}

/** The active token with this text; `null` if there is none. */
export async function findToken({ store, now }: EngineContext, text: string): Promise<TokenOutput | null> {
  if (!isTokenText(text)) return null;
  const hash = sha256(text);
  const [token] = await storedTokens(store.records, ADMIN_NAMESPACE, hash);
  if (token?.kind !== 'token' || !isEqualHash(token.hash, hash)) return null;
  return isActive(token, now()) ? formatToken(token) : null;
}

/** Neither revoked nor expired. */
export function isActive(token: StoredToken, now: Timestamp): boolean {
  const end = endOf(token);
  return token.revokedAt === null && (end === null || now < end);
}

/** When it expires; `null` for never. */
export function endOf({ expiresAt, usedAt }: StoredToken): Timestamp | null {
  return expiresAt === null || usedAt === null ? expiresAt : Math.min(expiresAt, usedAt + SESSION_IDLE_MS);
}

function formatToken(token: StoredToken): TokenOutput {
  const { kind, id, name, subject, scopes, createdAt, revokedAt, usedAt } = token;
  const timeOrNull = (time: Timestamp | null): string | null => (time === null ? null : isoTime(time));
  return {
    id,
    kind: kind === 'token' ? kind : 'page_session',
    name,
    subject,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    created_at: isoTime(createdAt),
    expires_at: timeOrNull(endOf(token)),
    revoked_at: timeOrNull(revokedAt),
    used_at: timeOrNull(usedAt),
  };
}

/** Takes the same time whatever the hashes are. */
export function isEqualHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function selectToken(tokens: readonly StoredToken[], idOrName: string, now: Timestamp): StoredToken {
  const byId = tokens.find(({ id, kind }) => id === idOrName && kind !== 'page_code');
  if (byId !== undefined) return byId;
  const [first, ...rest] = tokens.filter(
    (token) => token.kind === 'token' && token.name === idOrName && isActive(token, now),
  );
  if (first === undefined)
    throw new LociError('not_found', `no active token has the id or the name ${JSON.stringify(idOrName)}`, {
      hint: '`loci serve token list` lists them.',
    });
  if (rest.length > 0) {
    const ids = [first, ...rest].map(({ id }) => id).join(', ');
    throw new LociError('ambiguous', `several tokens have the name ${JSON.stringify(idOrName)}: ${ids}`, {
      hint: 'Use the id of one.',
    });
  }
  return first;
}
