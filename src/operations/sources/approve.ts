import { approveSourcesInput, approveSourcesOutput } from '../../engine/reading/source-schemas.ts';
import { approveSources } from '../../engine/reading/approve-sources.ts';
import type { Operation } from '../operation.ts';

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
  examples: [
    { title: 'Let the command of a source run', input: { ids: ['tasks'] } },
    { title: 'Let those of several run', input: { ids: ['tasks', 'calendar'] } },
  ],
  run: async (context, given) => approveSources(await context.loci({ create: true }), given),
};
