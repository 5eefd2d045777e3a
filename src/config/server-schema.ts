import { z } from 'zod';
import { duration, path, size } from './values.ts';

/** How `loci serve` is reached. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** A Unix socket, instead of host and port. */
  readonly socket?: string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly maxBody: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly shutdownTimeout: number;
  readonly maxConnections: number;
  readonly rateLimit: number;
  readonly metricsPublic: boolean;
}

/** Who may come in over HTTP, beside those who have a token of Loci's own. */
export interface AuthConfig {
  readonly localhost: boolean;
  readonly jwt: JwtConfig;
}

export interface JwtConfig {
  readonly secret?: string;
  /** A URL or a file. */
  readonly jwks?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly clockTolerance: number;
}

const name = (): z.ZodString => z.string().min(1).max(255);

export const server: z.ZodType<ServerConfig, object> = z.strictObject({
  host: name()
    .default('127.0.0.1')
    .describe(
      'The address to listen at. Beyond this machine (`0.0.0.0`), put a proxy with TLS before it: tokens would be read on ' +
        'the way.',
    ),
  port: z.number().int().min(0).max(65_535).default(8737).describe('The port; 0 takes any that is free.'),
  socket: path()
    .exactOptional()
    .describe(
      'A Unix socket to listen at instead of host and port; nobody but its owner may connect (mode 0600).',
    ),
  hosts: z
    .array(name())
    .default([])
    .describe(
      'Names by which this server is called, such as `memory.example.org`, beside those of this machine itself. A request ' +
        'with any other `Host` is refused.',
    ),
  origins: z
    .array(name())
    .default([])
    .describe('Origins whose pages may call this server from a browser, such as `https://app.example.org`.'),
  maxBody: size('2MB').describe('The largest body of a request.'),
  headersTimeout: duration('10s').describe('How long the head of a request may take to arrive.'),
  requestTimeout: duration('30s').describe(
    'How long a request may take to arrive, and then how long to be answered.',
  ),
  shutdownTimeout: duration('10s').describe(
    'How long requests may take to end when the server is told to stop.',
  ),
  maxConnections: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('Connections at once; further ones are closed.'),
  rateLimit: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(2000)
    .describe('Requests a second for each token, twice as many at once; 0 sets no limit.'),
  metricsPublic: z
    .boolean()
    .default(false)
    .describe(
      'Whether `/metrics` is told to everybody who can connect, and not to tokens with `admin` alone.',
    ),
});

const jwt = z.strictObject({
  secret: z
    .string()
    .min(32)
    .max(4096)
    .exactOptional()
    .describe(
      'The shared secret of JSON Web Tokens signed with HS256, 32 characters at least. Better given in the environment ' +
        'than in the file.',
    ),
  jwks: z
    .string()
    .min(1)
    .max(2048)
    .exactOptional()
    .describe(
      'The public keys of JSON Web Tokens (RS256, PS256, ES256, EdDSA): a URL (https, or of this machine), or a file beside ' +
        'loci.yaml.',
    ),
  issuer: name()
    .exactOptional()
    .describe('What a JSON Web Token must have as `iss`. Needed with a secret or keys.'),
  audience: name()
    .exactOptional()
    .describe('What a JSON Web Token must have as `aud`. Needed with a secret or keys.'),
  clockTolerance: duration('30s').describe('How far the clock of whoever made a JSON Web Token may be off.'),
});

export const auth: z.ZodType<AuthConfig, object> = z.strictObject({
  localhost: z
    .boolean()
    .default(false)
    .describe(
      'Whether programs of the same Unix user on this machine come in without a token, to the configured namespace. Over ' +
        'TCP that takes Linux, which tells whose a connection is; elsewhere set `server.socket`.',
    ),
  jwt: jwt.prefault({}).describe('JSON Web Tokens: `sub` is whose memory it is, `scope` what is allowed.'),
});
