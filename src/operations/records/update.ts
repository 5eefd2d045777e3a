import { updateInput, updateOutput } from '../../engine/records/record-schemas.ts';
import { update } from '../../engine/records/update.ts';
import type { Operation } from '../operation.ts';

export const updateOperation: Operation<typeof updateInput, typeof updateOutput> = {
  name: 'update',
  title: 'Change a record',
  description:
    'Changes the given fields of a record that `write` stored; the others stay. The former values are in the audit log. ' +
    'Notes are changed in their vault, facts by storing them again.',
  input: updateInput,
  output: updateOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  needsWrites: true,
  tool: 'memory_update',
  examples: [
    { title: 'A new title', input: { id: 2, title: 'Worktop: oak' } },
    { title: 'New tags in place of the former ones', input: { id: 2, tags: ['kitchen', 'decided'] } },
  ],
  run: async (context, given) => update(await context.loci(), given),
};
