import type { IncomingMessage } from 'node:http';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { isTokenText } from '../../../secrets/token-text.ts';
import type { TokenInfo } from '../../../engine/access/access.ts';
import type { Loci } from '../../../engine/open.ts';
import { allowedBy, type Identity } from './identity.ts';
import type { JwtVerifier } from './jwt.ts';

/** How long a token that was found counts as found, in milliseconds: so long may one that was revoked go on. */
const REMEMBERED = 1000;
const MOST_REMEMBERED = 1000;

export interface AuthenticatorParts {
  readonly loci: () => Promise<Loci>;
  readonly jwt: JwtVerifier | null;
}

/** Finds out who sends a request, by its token. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #found = new Map<string, { readonly token: TokenInfo; readonly until: number }>();

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /** @throws LociError `unauthorized`, and what the store throws */
  async identify(request: IncomingMessage): Promise<Identity> {
    const { authorization } = request.headers;
    if (authorization === undefined) throw new LociError('unauthorized', 'a token is needed');
    const [, text] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
    if (text === undefined) throw new LociError('unauthorized', '`Authorization` is not `Bearer TOKEN`');
    return isTokenText(text) ? this.#withToken(text) : this.#withJwt(text);
  }

  async #withToken(text: string): Promise<Identity> {
    const { id, name, subject, scopes } = await this.#token(text);
    const caller = { namespace: subject, actor: name, surface: 'rest', trust: 'agent' } as const;
    return { caller, scopes: allowedBy(scopes), key: `token ${id}` };
  }

  async #token(text: string): Promise<TokenInfo> {
    const hash = sha256(text);
    const now = performance.now();
    const known = this.#found.get(hash);
    if (known !== undefined && now < known.until) return known.token;
    this.#found.delete(hash);
    const token = await (await this.#parts.loci()).access.find(text);
    if (token === null)
      throw new LociError('unauthorized', 'the token is not known, has expired or was revoked');
    if (this.#found.size >= MOST_REMEMBERED) this.#found.clear();
    this.#found.set(hash, { token, until: now + REMEMBERED });
    return token;
  }

  async #withJwt(text: string): Promise<Identity> {
    const { jwt } = this.#parts;
    if (jwt === null)
      throw new LociError('unauthorized', 'the token is no token of Loci: it may be mistyped or cut');
    const { subject, scopes } = await jwt(text);
    const caller = { namespace: subject, actor: subject, surface: 'rest', trust: 'agent' } as const;
    return { caller, scopes: allowedBy(scopes), key: `subject ${subject}` };
  }
}
