import { z } from 'zod';
import { parseDuration } from '../../config/values.ts';
import { isSubject } from '../../core/subject.ts';
import type { Loci } from '../../engine/open.ts';
import { type Operation, type OperationContext, type Scope, SCOPES } from '../operation.ts';
import { tokenFields, tokenOutput, type TokenOutput } from './token-output.ts';

export interface TokenCreateInput {
  readonly subject: string;
  readonly scopes?: Scope[];
  readonly expires?: string;
  readonly name?: string;
}

export interface TokenCreateOutput extends TokenOutput {
  readonly token: string;
  readonly note: string | null;
}

const USUAL_LIFETIME = '90d';
const NEVER = 'never';
/** Ten years, in milliseconds: a longer life is `never`. */
const LONGEST_LIFETIME = 3653 * 86_400_000;
const MAX_NAME_LENGTH = 128;

export const tokenCreate: Operation<TokenCreateInput, TokenCreateOutput> = {
  name: 'token-create',
  title: 'Make a token',
  description:
    'Makes a token with which somebody reaches a memory over HTTP: REST, or MCP. It is told once; Loci keeps only its ' +
    'hash. Give each program a token of its own, so that each can be revoked alone.',
  input: z.strictObject({
    subject: z
      .string()
      .refine(
        isSubject,
        'text of 1 to 128 characters, none of them a control character, without spaces around it',
      )
      .describe('Whose memory it opens: the namespace of that name. Nobody else’s is reached with it.'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .exactOptional()
      .describe(
        'What it allows: `read` looks at this memory, `write` changes it, `admin` is for who runs Loci. Each allows ' +
          'what stands before it. `read` unless given.',
      ),
    expires: z
      .string()
      .refine(
        (text) => lifetimeOf(text) !== undefined,
        'a duration of at most ten years such as 12h or 90d, or never',
      )
      .exactOptional()
      .describe(`How long it lasts: 12h, 90d, or \`${NEVER}\`; ${USUAL_LIFETIME} unless given.`),
    name: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .exactOptional()
      .describe('What to call it, such as where it is used; the subject unless given.'),
  }),
  output: z.strictObject({
    token: z.string().describe('Told now and never again: `Authorization: Bearer TOKEN`.'),
    ...tokenFields,
    note: z.string().nullable().describe('What may surprise about the memory that it opens.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  local: true,
  examples: [
    {
      title: 'A token for Alice’s laptop that lasts three months',
      input: { subject: 'alice', scopes: ['read', 'write'], expires: '90d', name: 'laptop' },
    },
    { title: 'One that only reads', input: { subject: 'alice', name: 'dashboard' } },
  ],
  run: runTokenCreate,
};

/** Milliseconds, `null` for no end, `undefined` when the text is neither. */
function lifetimeOf(text: string): number | null | undefined {
  if (text.trim() === NEVER) return null;
  const lifetime = parseDuration(text);
  return lifetime !== undefined && lifetime > 0 && lifetime <= LONGEST_LIFETIME ? lifetime : undefined;
}

async function runTokenCreate(
  context: OperationContext,
  { subject, scopes = ['read'], expires = USUAL_LIFETIME, name = subject }: TokenCreateInput,
): Promise<TokenCreateOutput> {
  const loci = await context.loci({ create: true });
  const lifetime = lifetimeOf(expires) ?? null;
  const { text, ...token } = await loci.access.create({ subject, scopes, name, lifetime });
  return { token: text, ...tokenOutput(token), note: await noteOn(loci, subject) };
}

/** A name that was never written to is often a mistake: one's own notes are in the configured namespace. */
async function noteOn(loci: Loci, subject: string): Promise<string | null> {
  const { namespace } = loci.caller;
  if (subject === namespace || (await loci.access.isKnown(subject))) return null;
  return (
    `nothing is remembered for ${subject} yet; what you index and write on this machine is in ${namespace}, ` +
    `which \`--subject ${namespace}\` opens`
  );
}
