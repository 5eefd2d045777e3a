import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { isSubject, SCOPES } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { EngineContext } from '../../engine/context.ts';
import {
  callerOfSession,
  endPageSession,
  findPageSession,
  isCsrfOf,
  type OpenedPageSession,
  openPageSession,
  type PageSession,
  SESSION_LIFETIME_MS,
} from '../../engine/access/sessions.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { CACHE_TTL_MS, type Identity, MAX_CACHED_TOKENS } from './authenticate.ts';
import { isOriginOf } from './hosts.ts';

/** The page sends it with every request. A cookie alone is also sent to other ports of this host. */
const CSRF_HEADER = 'x-loci-csrf';
/** Another namespace than that of the settings, percent-encoded. */
const NAMESPACE_HEADER = 'x-loci-namespace';

/** The sessions of the web page: a cookie and a second secret in a header, both of which a request must have. */
export class PageSessions {
  readonly #loci: () => Promise<EngineContext>;
  readonly #cache = new LRUCache<string, PageSession>({ max: MAX_CACHED_TOKENS, ttl: CACHE_TTL_MS });

  constructor(loci: () => Promise<EngineContext>) {
    this.#loci = loci;
  }

  /**
   * The owner, whose page sent the request; `null` if it has no cookie of a session.
   * @throws LociError `unauthorized`, `forbidden` without the second secret, `not_found` for an unknown namespace
   */
  async identify(request: IncomingMessage): Promise<Identity | null> {
    const secrets = cookiesOf(request);
    if (secrets.length === 0) return null;
    const { host = '', origin } = request.headers;
    // `server.origins` is for pages that have tokens of their own.
    if (origin !== undefined && !isOriginOf(origin, host))
      throw new LociError('forbidden', 'only the page of this server may use its sessions');
    const sessions = (await Promise.all(secrets.map((secret) => this.#find(secret)))).filter(
      (each) => each !== null,
    );
    if (sessions.length === 0)
      throw new LociError('unauthorized', 'the session of the page has ended', {
        hint: 'Open the page again with `loci ui`.',
      });
    const csrf = request.headers[CSRF_HEADER];
    const session = sessions.find((each) => typeof csrf === 'string' && isCsrfOf(each, csrf));
    if (session === undefined)
      throw new LociError('forbidden', 'the request of the page needs the right `X-Loci-Csrf`', {
        hint: 'Open the page again with `loci ui`.',
      });
    const caller = callerOfSession(session, await this.#namespaceOf(request, session));
    return { caller, scopes: new Set(SCOPES), key: `session ${session.id}`, session };
  }

  /** Exchanges the code of a link for a session. @throws LociError `unauthorized` */
  async open(code: string): Promise<OpenedPageSession> {
    return openPageSession(await this.#loci(), code);
  }

  async end({ session, caller }: Identity): Promise<void> {
    if (session === undefined) return;
    this.#cache.clear();
    await endPageSession((await this.#loci()).as(caller), session);
  }

  async #find(secret: string): Promise<PageSession | null> {
    const hash = sha256(secret);
    const cached = this.#cache.get(hash);
    if (cached !== undefined) return cached;
    const session = await findPageSession(await this.#loci(), secret);
    if (session !== null) this.#cache.set(hash, session);
    return session;
  }

  async #namespaceOf({ headers }: IncomingMessage, session: PageSession): Promise<string> {
    const given = headers[NAMESPACE_HEADER];
    if (given === undefined) return session.namespace;
    const name = decoded(String(given));
    if (name === null || !isSubject(name))
      throw new LociError(
        'invalid_input',
        '`X-Loci-Namespace` must be the percent-encoded name of a namespace',
      );
    const { store, config } = await this.#loci();
    if (name === config.namespace || (await store.admin.namespaces(ADMIN_NAMESPACE, name)).length > 0)
      return name;
    throw new LociError('not_found', `there is no namespace ${JSON.stringify(name)}`, {
      hint: '`loci status namespaces` lists them.',
    });
  }
}

/**
 * The value of `Set-Cookie` for a session. Cookies of a host are sent to all of its ports, so that the name has the port under
 * which the browser knows the server.
 * @param secret of the session; `null` removes the cookie
 */
export function sessionCookie(request: IncomingMessage, secret: string | null): string {
  const maxAge = String(secret === null ? 0 : SESSION_LIFETIME_MS / 1000);
  return `${cookieName(request)}=${secret ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
}

function cookieName({ headers }: IncomingMessage): string {
  const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return port === undefined ? 'loci_session' : `loci_session_${port}`;
}

/** More cookies of the name than a browser of the owner has are ignored. */
const MAX_COOKIES = 5;

/**
 * The values of all cookies with the name of the session. Another server on this host can set one too, for a longer path, which a
 * browser then sends first: it must not hide that of the session.
 */
function cookiesOf(request: IncomingMessage): string[] {
  const prefix = `${cookieName(request)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  const values = cookies.flatMap((cookie) => (cookie.startsWith(prefix) ? cookie.slice(prefix.length) : []));
  return [...new Set(values)].slice(-MAX_COOKIES);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
