import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  jwtVerify,
} from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { expandHome } from '../../../config/paths.ts';
import type { JwtConfig } from '../../../config/server-schema.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import { isSubject } from '../../../core/caller.ts';

/** What a JSON Web Token proves. */
export interface JwtClaims {
  readonly subject: string;
  /** The words of `scope`. */
  readonly scopes: readonly string[];
}

export type JwtVerifier = (text: string) => Promise<JwtClaims>;

/** Each way of signing is checked with keys of its own kind alone, whatever a token's head says. */
const SHARED = 'HS256';
/** How much the clock of an issuer may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
const PUBLIC = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * Checks the signature, `iss`, `aud`, `exp`, `nbf` and `sub` of JSON Web Tokens (RFC 7519); `null` where none are
 * configured. The verifier throws LociError `unauthorized`.
 * @param home where a relative file of keys is
 * @throws LociError `invalid_config` where issuer, audience or keys are missing
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
      throw new LociError('unauthorized', 'the token is signed in a way that is not set up');
    const { payload } = await verified.catch((error: unknown) => {
      throw refusal(error);
    });
    const { sub = '', scope } = payload;
    if (!isSubject(sub)) throw new LociError('unauthorized', 'the `sub` of the token cannot name a memory');
    return { subject: sub, scopes: typeof scope === 'string' ? scope.split(' ') : [] };
  };
}

function notSet(key: string): LociError {
  return new LociError(
    'invalid_config',
    `${key} is not set, and tokens that were meant for others would do`,
    {
      hint: `Set ${key} in loci.yaml.`,
    },
  );
}

function algorithmOf(text: string): unknown {
  try {
    return decodeProtectedHeader(text).alg;
  } catch {
    throw new LociError('unauthorized', 'the token is no token of Loci and no JSON Web Token');
  }
}

/** No answer in time, one that is not 200, and one that is no set of keys. */
const KEY_FAULTS: ReadonlySet<string> = new Set([
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  errors.JOSEError.code,
]);

function refusal(error: unknown): LociError {
  // The only fault that is not the caller's: keys that cannot be had.
  if (!(error instanceof errors.JOSEError) || KEY_FAULTS.has(error.code))
    return new LociError('unauthorized', 'the keys to check the token with cannot be had now', {
      cause: error,
    });
  if (error instanceof errors.JWTExpired) return new LociError('unauthorized', 'the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new LociError('unauthorized', `the token's \`${error.claim}\` is not what it must be`);
  return new LociError('unauthorized', 'the token cannot be verified', { cause: error });
}

async function publicKeys(jwks: string, home: string): Promise<JWTVerifyGetKey> {
  try {
    if (/^https?:\/\//i.test(jwks))
      return createRemoteJWKSet(refuseExchangeable(new URL(jwks)), { [customFetch]: fetchKeys });
    const text = await readFile(resolve(home, expandHome(jwks)), 'utf8');
    return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  } catch (error) {
    throw new LociError('invalid_config', `auth.jwt.jwks: no keys at ${jwks}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** On its way over another network somebody could put keys of their own in the place of these. */
function refuseExchangeable(url: URL): URL {
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || isLoopback) return url;
  throw new Error('keys from another machine are asked for with https');
}

/** Bytes of a set of keys; nobody has so many. */
const MAX_KEYS = 1024 * 1024;

async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    // To leave the loop ends the connection.
    if (size > MAX_KEYS) throw new Error(`the answer of ${url} is longer than ${String(MAX_KEYS)} bytes`);
    parts.push(part);
  }
  const { status, headers } = response;
  return new Response(Buffer.concat(parts), { status, headers });
}
