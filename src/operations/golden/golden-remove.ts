import { goldenOutput, goldenOutputOf, removeGoldenInput } from '../../engine/golden/golden-fields.ts';
import { removeGolden } from '../../engine/golden/golden-queries.ts';
import type { Operation } from '../operation.ts';

export const goldenRemoveOperation: Operation<typeof removeGoldenInput, typeof goldenOutput> = {
  name: 'golden-remove',
  title: 'Remove a golden query',
  description: 'Removes a recorded query. An import of an older export does not bring it back.',
  input: removeGoldenInput,
  output: goldenOutput,
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'One that matters no more', input: { id: 'kitchen remodel' } }],
  run: async (context, { id }) => {
    const loci = await context.loci();
    return goldenOutputOf(await removeGolden(loci, id));
  },
};
