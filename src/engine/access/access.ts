import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isTokenText, newTokenText } from '../../secrets/token-text.ts';
import type { Timestamp } from '../../core/types.ts';
import type { StoredToken } from '../../store/admin-model.ts';
import { storedTokens, tokenPut, tokenRevocation } from '../../store/items/kinds.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';

/** A token without its text. */
export type TokenInfo = Omit<StoredToken, 'hash'>;

interface TokenRequest {
  /** The namespace that it gives access to; see `isSubject`. */
  readonly subject: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** From now; `null` for a token that does not expire. */
  readonly lifetimeMs: number | null;
}

/** The tokens that give access over HTTP. */
export interface Access {
  /** Only this call returns `text`, which is not stored. */
  create(request: TokenRequest): Promise<TokenInfo & { readonly text: string }>;
  /** All of them, oldest first. */
  list(): Promise<TokenInfo[]>;
  /** By id, or by the name of exactly one active token. @throws LociError `not_found`, `ambiguous` */
  revoke(idOrName: string): Promise<TokenInfo>;
  /** Whether the subject's namespace was ever written to. */
  isKnown(subject: string): Promise<boolean>;
  /** The active token with this text; `null` if there is none. */
  find(text: string): Promise<TokenInfo | null>;
}

const ID_BYTES = 5;

export function accessOf(context: EngineContext): Access {
  const { store, now } = context;
  return {
    create: async ({ lifetimeMs: lifetime, ...request }) => {
      const text = newTokenText();
      const createdAt = now();
      const expiresAt = lifetime === null ? null : createdAt + lifetime;
      const info: TokenInfo = {
        ...request,
        id: randomBytes(ID_BYTES).toString('hex'),
        createdAt,
        expiresAt,
        revokedAt: null,
      };
      const { subject, name, scopes } = info;
      const diff = { for: subject, name, scopes: [...scopes] };
      const audit = [auditDraft(context, 'token-create', `token:${info.id}`, diff)];
      const token = tokenPut({ ...info, hash: sha256(text) });
      await store.records.commit(subject, { adminItems: [token], audit });
      return { ...info, text };
    },
    list: async () => (await storedTokens(store.records, ADMIN_NAMESPACE)).map(withoutHash),
    revoke: async (idOrName) => {
      const token = findToken(await storedTokens(store.records, ADMIN_NAMESPACE), idOrName, now());
      if (token.revokedAt !== null) return withoutHash(token);
      const at = now();
      const audit = [auditDraft(context, 'token-revoke', `token:${token.id}`)];
      try {
        await store.records.commit(token.subject, { adminItems: [tokenRevocation(token.id, at)], audit });
      } catch (error) {
        // Another process has revoked it meanwhile.
        if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
      }
      return { ...withoutHash(token), revokedAt: at };
    },
    isKnown: async (subject) => (await store.admin.namespaces(ADMIN_NAMESPACE)).includes(subject),
    find: async (text) => {
      if (!isTokenText(text)) return null;
      const hash = sha256(text);
      const [token] = await storedTokens(store.records, ADMIN_NAMESPACE, hash);
      if (token === undefined || !isEqualHash(token.hash, hash)) return null;
      return isActive(token, now()) ? withoutHash(token) : null;
    },
  };
}

/** Neither revoked nor expired. */
function isActive({ revokedAt, expiresAt }: TokenInfo, now: Timestamp): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

function withoutHash({ hash: _, ...info }: StoredToken): TokenInfo {
  return info;
}

function isEqualHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function findToken(tokens: readonly StoredToken[], idOrName: string, now: Timestamp): StoredToken {
  const byId = tokens.find(({ id }) => id === idOrName);
  if (byId !== undefined) return byId;
  const [first, ...rest] = tokens.filter((token) => token.name === idOrName && isActive(token, now));
  if (first === undefined)
    throw new LociError('not_found', `no active token has the id or the name ${JSON.stringify(idOrName)}`, {
      hint: '`loci token list` lists them.',
    });
  if (rest.length > 0) {
    const ids = [first, ...rest].map(({ id }) => id).join(', ');
    throw new LociError('ambiguous', `several tokens have the name ${JSON.stringify(idOrName)}: ${ids}`, {
      hint: 'Use the id of one.',
    });
  }
  return first;
}
