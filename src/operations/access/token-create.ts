import { z } from 'zod';
import { parseDuration } from '../../config/values.ts';
import { isSubject } from '../../core/caller.ts';
import { SCOPES, type Operation } from '../operation.ts';
import { formatToken, tokenOutput } from './token-output.ts';
import type { EngineContext } from '../../engine/context.ts';
import { accessOf } from '../../engine/access/access.ts';

const DEFAULT_LIFETIME = '90d';
const NEVER = 'never';
/** Ten years. Only `never` is longer. */
const MAX_LIFETIME_MS = 3653 * 86_400_000;
const MAX_NAME_LENGTH = 128;

const input = z.strictObject({
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

const output = tokenOutput.extend({
  token: z.string().describe('Shown only once. Send it as `Authorization: Bearer TOKEN`.'),
  note: z.string().nullable().describe('A warning about the namespace.'),
});
export type TokenCreateOutput = z.infer<typeof output>;

export const createTokenOperation: Operation<typeof input, typeof output> = {
  name: 'token-create',
  title: 'Create a token',
  description:
    'Creates a token that gives access to a memory over HTTP, by REST or MCP. It is shown once; Loci stores only its ' +
    'hash. Give each program a token of its own, so that each can be revoked separately.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  local: true,
  examples: [
    {
      title: 'A token for Alice’s laptop that is valid for three months',
      input: { subject: 'alice', scopes: ['read', 'write'], expires: '90d', name: 'laptop' },
    },
    { title: 'A token that only reads', input: { subject: 'alice', name: 'dashboard' } },
  ],
  run: async (context, { subject, scopes = ['read'], expires = DEFAULT_LIFETIME, name = subject }) => {
    const loci = await context.loci({ create: true });
    const lifetime = parseLifetime(expires) ?? null;
    const { text, ...token } = await accessOf(loci).create({ subject, scopes, name, lifetimeMs: lifetime });
    return { token: text, ...formatToken(token), note: await emptyNamespaceNote(loci, subject) };
  },
};

/** Milliseconds, `null` for `never`, `undefined` for any other text. */
function parseLifetime(text: string): number | null | undefined {
  if (text.trim() === NEVER) return null;
  const lifetime = parseDuration(text);
  return lifetime !== undefined && lifetime > 0 && lifetime <= MAX_LIFETIME_MS ? lifetime : undefined;
}

/** A subject without a memory is often a mistake, because the user's notes are in the configured namespace. */
async function emptyNamespaceNote(loci: EngineContext, subject: string): Promise<string | null> {
  const { namespace } = loci.caller;
  if (subject === namespace || (await accessOf(loci).isKnown(subject))) return null;
  return (
    `the namespace ${subject} is empty so far; what you index and write on this machine is in ${namespace}, ` +
    `which \`--subject ${namespace}\` gives access to`
  );
}
