import { z } from 'zod';
import { DEFAULT_CATEGORY, TTL_SECONDS } from '../../engine/facts/facts.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isoTime } from '../shared/times.ts';
import {
  embeddedFields,
  idempotencyKey,
  maskedKinds,
  tagList,
  contentField,
} from '../shared/record-fields.ts';
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
  ttl_seconds: z
    .number()
    .int()
    .min(TTL_SECONDS.min)
    .max(TTL_SECONDS.max)
    .exactOptional()
    .describe(
      'Seconds until the fact expires: 3600 (an hour) to 31536000 (365 days); 7776000 (90 days) unless given.',
    ),
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

export const storeFact: Operation<z.infer<typeof input>, FactStoreOutput> = {
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
        ttl_seconds: 604_800,
      },
    },
  ],
  run: runStoreFact,
};

async function runStoreFact(
  context: OperationContext,
  { ttl_seconds, idempotency_key, ...fields }: z.infer<typeof input>,
): Promise<FactStoreOutput> {
  const loci = await context.loci({ create: true });
  const { expiresAt, masked, ...stored } = await loci.facts.store({
    ...fields,
    ...(ttl_seconds !== undefined && { ttlSeconds: ttl_seconds }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
  });
  return { ...stored, expires_at: isoTime(expiresAt), masked: [...masked] };
}
