import { z } from 'zod';
import { isJsonMap } from '../../core/json.ts';
import { LociError } from '../../core/errors.ts';
import type { Operation } from '../operation.ts';
import { removeEntry } from '../shared/edit-config.ts';
import { forgetSource } from '../../engine/reading/forget-source.ts';
import { sourceIdInput } from '../../engine/reading/source-schemas.ts';
import { requireReport } from '../../engine/reading/sources.ts';
import { openForSources } from './source-context.ts';

const output = z.strictObject({
  id: z.string(),
  removed: z.number().int().nonnegative().describe('Documents that were removed from the store.'),
  unconfigured: z.boolean().describe('Whether this call removed it from the settings.'),
});
export type SourcesRemoveOutput = z.infer<typeof output>;

export const sourcesRemoveOperation: Operation<typeof sourceIdInput, typeof output> = {
  name: 'sources-remove',
  title: 'Remove a source',
  description:
    'Removes a source from the settings, and its documents, its approval and its statistics from the store. The data that its ' +
    'command reads is not touched. The source of a skill stays with the skill, and must be approved again before it runs.',
  input: sourceIdInput,
  output,
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'Remove the todos', input: { id: 'tasks' } }],
  run: async (context, input) => {
    const { id, kind } = await requireReport(await openForSources(context), input.id);
    if (kind === 'vault')
      throw new LociError('invalid_input', `${id} is a vault`, {
        hint: `\`loci forget-vault ${JSON.stringify(id)}\` removes it.`,
      });
    const isConfigured = (await context.loadConfig()).values.sources.some((source) => source.id === id);
    if (isConfigured)
      await removeEntry(context, 'sources', id, (entry) => isJsonMap(entry) && entry['id'] === id);
    const removed = await forgetSource(await context.loci(), id, context);
    return { id, removed, unconfigured: isConfigured };
  },
};
