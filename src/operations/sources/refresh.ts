import { refreshSourcesInput, refreshSourcesOutput } from '../../engine/reading/source-schemas.ts';
import { refreshSources } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';
import { viewerOf } from './source-context.ts';

export const sourcesRefreshOperation: Operation<typeof refreshSourcesInput, typeof refreshSourcesOutput> = {
  name: 'sources-refresh',
  title: 'Refresh sources',
  description:
    'Runs the commands of sources now and updates the store to the documents that they print, in one transaction for each ' +
    'source. Unchanged documents are not written. A source that fails keeps its last good documents, and does not affect the ' +
    'others. A vault is read if `ids` names it; `index` reads all.',
  input: refreshSourcesInput,
  output: refreshSourcesOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  steps: true,
  examples: [
    { title: 'Refresh all sources', input: {} },
    { title: 'Refresh one source', input: { ids: ['tasks'] } },
  ],
  run: async (context, given) =>
    refreshSources(await context.loci({ create: true }), given, viewerOf(context)),
};
