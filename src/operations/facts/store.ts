import { storeFactInput, storeFactOutput } from '../../engine/facts/fact-fields.ts';
import { storeFact } from '../../engine/facts/facts.ts';
import type { Operation } from '../operation.ts';

export const storeFactOperation: Operation<typeof storeFactInput, typeof storeFactOutput> = {
  name: 'fact-store',
  title: 'Store a fact',
  description:
    'Stores a value under a key, such as a preference of the user, until it expires: 90 days unless given. It replaces ' +
    'the value that the key had in this category. `write` is for lasting knowledge.',
  input: storeFactInput,
  output: storeFactOutput,
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
  run: async (context, given) => storeFact(await context.loci({ create: true }), given),
};
