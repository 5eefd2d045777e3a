import type { HttpBindings } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type ErrorCode, LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isTokenText } from '../../secrets/token-text.ts';
import type { PageSession } from '../../engine/access/sessions.ts';
import type { TokenOutput } from '../../engine/access/tokens.ts';
import { type Caller, type Scope, SCOPES } from '../../core/caller.ts';
import type { JwtVerifier } from './jwt.ts';
import type { EngineContext } from '../../engine/context.ts';

/** A token or session is looked up again after this time, so a revoked one is rejected after at most a second. */
export const CACHE_TTL_MS = 1000;
export const MAX_CACHED_TOKENS = 1000;

/** The authenticated sender of a request. */
export interface Identity {
  readonly caller: Caller;
  /** The permitted scopes, with those that they imply. */
  readonly scopes: ReadonlySet<Scope>;
  /** The session of the web page that sent the request; absent for a request with a token. */
  readonly session?: PageSession;
  /** Requests with the same key share a rate limit. It contains no secret. */
  readonly key: string;
}

/** What a request has while it is answered: its id, its sender, and the code of its error. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { id: string; identity: Identity; code: ErrorCode };
}

interface AuthenticatorParts {
  readonly loci: () => Promise<EngineContext>;
  readonly jwt: JwtVerifier | null;
}

/** Authenticates requests by their token. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #cache = new LRUCache<string, TokenOutput>({
    max: MAX_CACHED_TOKENS,
    ttl: CACHE_TTL_MS,
    noDeleteOnStaleGet: true,
  });

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * @param allowStale whether a token that was valid when it was last looked up counts as valid while the store cannot be read
   * @throws LociError `unauthorized`, and what the store throws
   */
  async identify(request: IncomingMessage, allowStale = false): Promise<Identity> {
    const { authorization } = request.headers;
    if (authorization === undefined) throw new LociError('unauthorized', 'a token is needed');
    const [, text] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
    if (text === undefined) throw new LociError('unauthorized', '`Authorization` must be `Bearer TOKEN`');
    return isTokenText(text) ? this.#withToken(text, allowStale) : this.#withJwt(text);
  }

  async #withToken(text: string, allowStale: boolean): Promise<Identity> {
    const { id, name, subject, scopes } = await this.#findToken(text, allowStale);
    const caller = { namespace: subject, actor: name, surface: 'rest', trust: 'agent' } as const;
    return { caller, scopes: impliedScopes(scopes), key: `token ${id}` };
  }

  async #findToken(text: string, allowStale: boolean): Promise<TokenOutput> {
    const hash = sha256(text);
    const cached = this.#cache.get(hash);
    if (cached !== undefined) return cached;
    const { findToken } = await import('../../engine/access/tokens.ts');
    let token: TokenOutput | null;
    try {
      token = await findToken(await this.#parts.loci(), text);
    } catch (error) {
      const stale = allowStale ? this.#cache.get(hash, { allowStale }) : undefined;
      if (stale === undefined || hasExpired(stale)) throw error;
      return stale;
    }
    if (token === null) {
      this.#cache.delete(hash);
      throw new LociError('unauthorized', 'the token is unknown, expired or revoked');
    }
    this.#cache.set(hash, token);
    return token;
  }

  async #withJwt(text: string): Promise<Identity> {
    const { jwt } = this.#parts;
    if (jwt === null)
      throw new LociError(
        'unauthorized',
        'the token is not a token of Loci: it may be mistyped or truncated',
      );
    const { subject, scopes } = await jwt(text);
    const caller = { namespace: subject, actor: subject, surface: 'rest', trust: 'agent' } as const;
    return { caller, scopes: impliedScopes(scopes), key: `subject ${subject}` };
  }
}

function hasExpired({ expires_at: end }: TokenOutput): boolean {
  return end !== null && Date.parse(end) <= Date.now();
}

/** A scope implies those before it in `SCOPES`. Unknown words are ignored. */
function impliedScopes(granted: readonly string[]): ReadonlySet<Scope> {
  const highest = Math.max(-1, ...SCOPES.map((scope, rank) => (granted.includes(scope) ? rank : -1)));
  return new Set(SCOPES.slice(0, highest + 1));
}

/** The keys that were used last have a bucket; that of another one is full. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  readonly tokens: number;
  /** When `tokens` was computed, in milliseconds of `performance.now()`. */
  readonly updatedAt: number;
}

/** A token bucket for each key: a number of requests a second, in bursts of up to twice as many. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  /** @param perSecond 0 for no limit @param now a monotonic clock in milliseconds */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request. Returns 0 if it is permitted, otherwise the seconds to wait. */
  take(key: string): number {
    if (this.#perSecond === 0) return 0;
    const now = this.#now();
    const capacity = 2 * this.#perSecond;
    const before = this.#buckets.get(key) ?? { tokens: capacity, updatedAt: now };
    const tokens = Math.min(capacity, before.tokens + ((now - before.updatedAt) / 1000) * this.#perSecond);
    const isPermitted = tokens >= 1;
    this.#buckets.set(key, { tokens: isPermitted ? tokens - 1 : tokens, updatedAt: now });
    return isPermitted ? 0 : Math.ceil((1 - tokens) / this.#perSecond);
  }
}

/** Counts a request that this answers. @throws LociError `rate_limited` */
export function countRequest(response: ServerResponse, limit: RateLimit, key: string): void {
  const wait = limit.take(key);
  if (wait === 0) return;
  response.setHeader('Retry-After', String(wait));
  throw new LociError('rate_limited', `too many requests; try again in ${String(wait)} s`);
}
