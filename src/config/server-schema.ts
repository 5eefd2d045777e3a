import { z } from 'zod';
import { path } from './values.ts';

const name = () => z.string().min(1).max(255);

export const server = z.strictObject({
  host: name()
    .default('127.0.0.1')
    .describe(
      'The address to listen on. Put a proxy with TLS in front if other machines can reach it (`0.0.0.0`): tokens are sent ' +
        'in plain text otherwise.',
    ),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8737)
    .describe('The port to listen on; 0 chooses any free port.'),
  socket: path()
    .exactOptional()
    .describe(
      'A Unix socket to listen on instead of host and port. Only its owner may connect to it (mode 0600).',
    ),
  hosts: z
    .array(name())
    .default([])
    .describe(
      'Host names of this server, such as `memory.example.org`, in addition to those of this machine. A request with any ' +
        'other `Host` is refused.',
    ),
  origins: z
    .array(name())
    .default([])
    .describe('Origins whose pages may call this server from a browser, such as `https://app.example.org`.'),
});

const jwt = z.strictObject({
  secret: z
    .string()
    .min(32)
    .max(4096)
    .exactOptional()
    .describe(
      'The shared secret of JSON Web Tokens signed with HS256, at least 32 characters. Set it in the environment rather ' +
        'than in the file.',
    ),
  jwks: z
    .string()
    .min(1)
    .max(2048)
    .exactOptional()
    .describe(
      'The public keys of JSON Web Tokens (RS256, PS256, ES256, EdDSA): a URL (https, or of this machine), or a file. A ' +
        'relative path starts at the folder of loci.yaml.',
    ),
  issuer: name()
    .exactOptional()
    .describe('The required `iss` of a JSON Web Token. Must be set if a secret or keys are.'),
  audience: name()
    .exactOptional()
    .describe('The required `aud` of a JSON Web Token. Must be set if a secret or keys are.'),
});

export type JwtConfig = z.infer<typeof jwt>;

export const auth = z.strictObject({
  jwt: jwt
    .prefault({})
    .describe('JSON Web Tokens: `sub` names the namespace of the caller, `scope` what the caller may do.'),
});
