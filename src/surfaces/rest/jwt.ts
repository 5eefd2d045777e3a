import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { expandHome } from '../../config/paths.ts';
import type { JwtConfig } from '../../config/schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { readAtMost } from '../../core/read-at-most.ts';
import { isSubject } from '../../core/caller.ts';

/** The verified claims of a JSON Web Token. */
interface JwtClaims {
  readonly subject: string;
  /** The words in `scope`. */
  readonly scopes: readonly string[];
}

export type JwtVerifier = (text: string) => Promise<JwtClaims>;

/** Each algorithm is verified only with keys of its kind, whatever the header of a token says. */
const SHARED = 'HS256';
/** How much the clock of an issuer may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
const PUBLIC = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * Creates a verifier for the signature, `iss`, `aud`, `exp`, `nbf` and `sub` of JSON Web Tokens (RFC 7519), or returns
 * `null` if none are configured. The verifier throws LociError `unauthorized`.
 * @param home the base of a relative path to a file of keys
 * @throws LociError `invalid_config` if issuer, audience or keys are missing
 */
export async function jwtVerifier(settings: JwtConfig, home: string): Promise<JwtVerifier | null> {
  const { secret, jwks, issuer, audience } = settings;
  if (secret === undefined && jwks === undefined) return null;
  if (issuer === undefined) throw notSet('auth.jwt.issuer');
  if (audience === undefined) throw notSet('auth.jwt.audience');
  const shared = secret === undefined ? null : new TextEncoder().encode(secret);
  const keys = jwks === undefined ? null : await publicKeys(jwks, home);
  const options: JWTVerifyOptions = {
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['exp', 'sub'],
  };
  return async (text) => {
    const isShared = algorithmOf(text) === SHARED;
    const verified = isShared
      ? shared && jwtVerify(text, shared, { ...options, algorithms: [SHARED] })
      : keys && jwtVerify(text, keys, { ...options, algorithms: PUBLIC });
    if (verified === null)
      throw new LociError('unauthorized', 'the token is signed with an algorithm that is not configured');
    const { payload } = await verified.catch((error: unknown) => {
      throw verificationError(error);
    });
    const { sub = '', scope } = payload;
    if (!isSubject(sub))
      throw new LociError('unauthorized', 'the `sub` of the token is not a valid namespace');
    // Other services may have a scope of this name, which means something else: only `loci serve token create` makes an operator.
    const scopes = typeof scope === 'string' ? scope.split(' ').filter((word) => word !== 'operator') : [];
    return { subject: sub, scopes };
  };
}

function notSet(key: string): LociError {
  return new LociError(
    'invalid_config',
    `${key} is not set, so tokens for other services would be accepted`,
    {
      hint: `Set ${key} in loci.yaml.`,
    },
  );
}

function algorithmOf(text: string): unknown {
  try {
    return decodeProtectedHeader(text).alg;
  } catch {
    throw new LociError('unauthorized', 'the token is neither a token of Loci nor a JSON Web Token');
  }
}

/** Timeout, a status other than 200, and an answer that is not a key set. */
const KEY_ERRORS: ReadonlySet<string> = new Set([
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  errors.JOSEError.code,
]);

function verificationError(error: unknown): LociError {
  // The only error that is not the caller's fault.
  if (!(error instanceof errors.JOSEError) || KEY_ERRORS.has(error.code))
    return new LociError('unauthorized', 'the keys to verify the token are not available now', {
      cause: error,
    });
  if (error instanceof errors.JWTExpired) return new LociError('unauthorized', 'the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new LociError('unauthorized', `the token's \`${error.claim}\` has the wrong value`);
  return new LociError('unauthorized', 'the token cannot be verified', { cause: error });
}

async function publicKeys(jwks: string, home: string): Promise<JWTVerifyGetKey> {
  try {
    if (/^https?:\/\//i.test(jwks))
      return createRemoteJWKSet(requireSecureUrl(new URL(jwks)), { [customFetch]: fetchKeys });
    const text = await readFile(resolve(home, expandHome(jwks)), 'utf8');
    return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  } catch (error) {
    throw new LociError(
      'invalid_config',
      `auth.jwt.jwks: cannot read keys from ${jwks}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Without TLS, an attacker in the network could replace the keys. @throws Error */
function requireSecureUrl(url: URL): URL {
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || isLoopback) return url;
  throw new Error('keys of another machine need https');
}

/** Larger than any real key set. */
const MAX_KEY_SET_BYTES = 1024 * 1024;

async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const { bytes, isWhole } = await readAtMost(response.body ?? [], MAX_KEY_SET_BYTES);
  if (!isWhole) throw new Error(`the answer of ${url} is longer than ${String(MAX_KEY_SET_BYTES)} bytes`);
  const { status, headers } = response;
  return new Response(bytes, { status, headers });
}
