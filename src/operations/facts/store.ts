import { z } from 'zod';
import { parseDuration } from '../../config/values.ts';
import { DEFAULT_CATEGORY, TTL_SECONDS, storeFact } from '../../engine/facts/facts.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isoTime } from '../../engine/fields/times.ts';
import {
  embeddedFields,
  idempotencyKey,
  maskedKinds,
  tagList,
  contentField,
} from '../../engine/fields/record-fields.ts';
import { factCategory, factKey } from './fact-fields.ts';

const input = z.strictObject({
  key: factKey().describe('The name of the fact, such as `preferred_framework`; at most 512 characters.'),
  value: contentField().describe('The fact itself, up to 1 MiB.'),
  category: factCategory()
    .exactOptional()
    .describe(
      `A category, such as preferences or project_conventions; \`${DEFAULT_CATEGORY}\` unless given. pack_history and ` +
        'pipeline_history are reserved.',
    ),
  tags: tagList().exactOptional().describe('Words to filter by.'),
  expires: z
    .string()
    .max(100)
    .refine(isLifetime, 'a duration from 1h to 365d (`ttl_seconds` from 3600 to 31536000)')
    .exactOptional()
    .describe('How long the fact is valid: 12h, 7d; 90d unless given, at least 1h, at most 365d.'),
  idempotency_key: idempotencyKey().exactOptional(),
});

const output = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  key: z.string(),
  category: z.string(),
  expires_at: z.iso.datetime(),
  replaced: z.boolean().describe('Whether it replaced an earlier value.'),
  ...embeddedFields(),
  masked: maskedKinds(),
  replayed: z.boolean().describe('It was stored before, with the same idempotency key.'),
});
export type FactStoreOutput = z.infer<typeof output>;

export const storeFactOperation: Operation<typeof input, typeof output> = {
  name: 'fact-store',
  title: 'Store a fact',
  description:
    'Stores a value under a key, such as a preference of the user, until it expires: 90 days unless given. It replaces ' +
    'the value that the key had in this category. `write` is for lasting knowledge.',
  input,
  output,
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
      title: 'For a week, in another category',
      input: {
        key: 'deploy',
        value: 'Deploy via Konflux only.',
        category: 'project_conventions',
        expires: '7d',
      },
    },
  ],
  run: runStoreFact,
};

/** Seconds. `NaN` for text that is no duration. */
function lifetimeOf(text: string): number {
  return Math.round((parseDuration(text) ?? Number.NaN) / 1000);
}

function isLifetime(text: string): boolean {
  const seconds = lifetimeOf(text);
  return seconds >= TTL_SECONDS.min && seconds <= TTL_SECONDS.max;
}

async function runStoreFact(
  context: OperationContext,
  { expires, idempotency_key, ...fields }: z.infer<typeof input>,
): Promise<FactStoreOutput> {
  const loci = await context.loci({ create: true });
  const { expiresAt, masked, ...stored } = await storeFact(loci, {
    ...fields,
    ...(expires !== undefined && { ttlSeconds: lifetimeOf(expires) }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
  });
  return { ...stored, expires_at: isoTime(expiresAt), masked: [...masked] };
}
