import { z } from 'zod';
import { DEFAULT_CATEGORY, TTL } from '../../engine/facts/facts.ts';
import { isoTime } from '../shared/dates.ts';
import { factCategory, factKey } from './fact-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { embeddedFields, idempotencyKey, maskedKinds, tagList } from '../shared/record-fields.ts';

export interface FactStoreInput {
  readonly key: string;
  readonly value: string;
  readonly category?: string;
  readonly tags?: string[];
  readonly ttl_seconds?: number;
  readonly idempotency_key?: string;
}

export interface FactStoreOutput {
  readonly id: number;
  readonly key: string;
  readonly category: string;
  readonly expires_at: string;
  readonly replaced: boolean;
  readonly embedded: boolean;
  readonly why: string | null;
  readonly masked: string[];
  readonly replayed: boolean;
}

export const factStore: Operation<FactStoreInput, FactStoreOutput> = {
  name: 'fact-store',
  title: 'Store a fact',
  description:
    'Keeps a value under a key, such as a preference of the user, until its time is over: 90 days unless given. A value ' +
    'that the key had in this category gives way. Look first what is there, with `memory_list` or `memory_recall`.',
  input: z.strictObject({
    key: factKey().describe('What to call it, such as `preferred_framework`; at most 512 characters.'),
    value: z.string().describe('The fact itself, up to 1 MiB.'),
    category: factCategory()
      .exactOptional()
      .describe(
        `A shelf, such as preferences or project_conventions; \`${DEFAULT_CATEGORY}\` unless given. pack_history and ` +
          'pipeline_history belong to the engine.',
      ),
    tags: tagList().exactOptional().describe('Words to filter by.'),
    ttl_seconds: z
      .number()
      .int()
      .min(TTL.least)
      .max(TTL.most)
      .exactOptional()
      .describe(
        'How long it is kept: 3600 (an hour) to 31536000 (365 days); 7776000 (90 days) unless given.',
      ),
    idempotency_key: idempotencyKey().exactOptional(),
  }),
  output: z.strictObject({
    id: z.number().int().positive().describe('Number of the record in its namespace.'),
    key: z.string(),
    category: z.string(),
    expires_at: z.iso.datetime().describe('From then on it is gone.'),
    replaced: z.boolean().describe('Whether an earlier value gave way.'),
    ...embeddedFields(),
    masked: maskedKinds(),
    replayed: z.boolean().describe('It was stored before, under the same idempotency key.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  tool: 'memory_store',
  examples: [
    {
      title: 'What the user prefers',
      input: { key: 'preferred_framework', value: 'React, with TypeScript' },
    },
    {
      title: 'For a week, on a shelf of its own',
      input: {
        key: 'deploy',
        value: 'Deploy via Konflux only.',
        category: 'project_conventions',
        ttl_seconds: 604_800,
      },
    },
  ],
  run: runFactStore,
};

async function runFactStore(
  context: OperationContext,
  { ttl_seconds, idempotency_key, ...input }: FactStoreInput,
): Promise<FactStoreOutput> {
  const loci = await context.loci({ create: true });
  const { expiresAt, masked, ...answer } = await loci.facts.store({
    ...input,
    ...(ttl_seconds !== undefined && { ttlSeconds: ttl_seconds }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
  });
  return { ...answer, expires_at: isoTime(expiresAt), masked: [...masked] };
}
