import { LociError } from '../../core/errors.ts';
import { approveSourcesInput, approveSourcesOutput } from '../../engine/reading/source-schemas.ts';
import { approveSources } from '../../engine/reading/approve-sources.ts';
import type { Operation } from '../operation.ts';

/** On a page, somebody may approve what was changed after it was shown. */
const SHA256_LENGTH = 64;

export const sourcesApproveOperation: Operation<typeof approveSourcesInput, typeof approveSourcesOutput> = {
  name: 'sources-approve',
  title: 'Approve sources',
  description:
    'Allows sources to run exactly these commands, in these folders, with the watched files as they are now. When any of ' +
    'that changes, a source stops running and waits until it is approved again. If one of several sources does not exist or ' +
    'cannot run, none is approved.',
  input: approveSourcesInput,
  output: approveSourcesOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [
    { title: 'Let the command of a source run', input: { ids: ['tasks'] } },
    { title: 'Let those of several run', input: { ids: ['tasks', 'calendar'] } },
  ],
  run: async (context, given) => {
    if (context.machine === undefined && given.fingerprint?.length !== SHA256_LENGTH)
      throw new LociError('invalid_input', 'fingerprint must be the whole one that was shown', {
        hint: '`sources-show` has it, with what would run.',
      });
    return approveSources(await context.loci({ create: true }), given);
  },
};
