import { z } from 'zod';
import {
  listSourcesOutput,
  showSourceOutput,
  sourceIdInput,
  excludedInput,
  excludedOutput,
  approveSourcesInput,
  approveSourcesOutput,
  testSourceInput,
  testSourceOutput,
  refreshSourcesInput,
  refreshSourcesOutput,
  pauseSourceOutput,
} from '../../engine/reading/source-schemas.ts';
import {
  listSources,
  showSource,
  testSource,
  refreshSources,
  pauseSource,
  requireReport,
  excludedFiles,
} from '../../engine/reading/sources.ts';
import { type OperationContext, operation, withNames } from '../operation.ts';
import { LociError } from '../../core/errors.ts';
import { approveSources } from '../../engine/reading/approve-sources.ts';
import { isJsonMap } from '../../core/json.ts';
import { forgetSource } from '../../engine/reading/forget-source.ts';
import { hasSources } from '../../engine/reading/configured/configured-sources.ts';
import { stat } from 'node:fs/promises';
import { namedVaults, removeEntry, removeVault } from '../shared/vault-settings.ts';

/** On a page, somebody may approve what was changed after it was shown. */
const SHA256_LENGTH = 64;

const sourcesRemoveInput = sourceIdInput.extend({
  even_if_gone: z
    .boolean()
    .exactOptional()
    .describe('Remove a vault although its folder is missing and Loci may have the last copy of its notes.'),
});

const sourcesRemoveOutput = z.strictObject({
  id: z.string(),
  path: z.string().nullable().describe('The folder of a vault that was in the settings.'),
  removed: z.number().int().nonnegative().describe('Documents or notes that were removed from the store.'),
  unconfigured: z.boolean().describe('Whether this call removed it from the settings.'),
});
export type SourcesRemoveOutput = z.infer<typeof sourcesRemoveOutput>;

export const sourceOperations = withNames({
  'sources-list': operation({
    description:
      'Lists the vaults and sources whose documents are searched, each with its condition, its number of documents, when it was ' +
      'last read, what failed, and how many searches found it.',
    output: listSourcesOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_sources',
    examples: [{ title: 'The condition of every source', input: {} }],
    run: async (context) => listSources(await openForSources(context), viewerOf(context)),
  }),
  'sources-show': operation({
    description:
      'Shows everything about one source: its exact command, working folder, variables and watched files, what was approved and ' +
      'when, and its statistics.',
    input: sourceIdInput,
    output: showSourceOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [{ title: 'The command of a source and its statistics', input: { id: 'tasks' } }],
    run: async (context, given) => showSource(await openForSources(context), given),
  }),
  'sources-excluded': operation({
    description:
      'Lists the files and folders of a vault that are not read, each with the rule of the settings or of Obsidian, or with its ' +
      'problem. Problems inside of notes are found by `doctor`, which reads them.',
    input: excludedInput,
    output: excludedOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [{ title: 'What is not read, and why', input: { id: 'vault', limit: 20 } }],
    run: async (context, given) => excludedFiles(await openForSources(context), given, context),
  }),
  'sources-approve': operation({
    description:
      'Allows sources to run exactly these commands, in these folders, with the watched files as they are now. When any of ' +
      'that changes, a source stops running and waits until it is approved again. If one of several sources does not exist or ' +
      'cannot run, none is approved.',
    input: approveSourcesInput,
    output: approveSourcesOutput,
    kind: 'write',
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
  }),
  'sources-test': operation({
    description:
      'Runs the command of a source once and shows the documents that it prints and their problems. Nothing is stored. The ' +
      'command must be approved.',
    input: testSourceInput,
    output: testSourceOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [{ title: 'Show what would be stored', input: { id: 'tasks' } }],
    run: async (context, given) => testSource(await context.loci({ create: true }), given, context),
  }),
  'sources-refresh': operation({
    description:
      'Runs the commands of sources now and updates the store to the documents that they print, in one transaction for each ' +
      'source. Unchanged documents are not written. A source that fails keeps its last good documents, and does not affect the ' +
      'others. A vault is read if `ids` names it; `index` reads all.',
    input: refreshSourcesInput,
    output: refreshSourcesOutput,
    kind: 'write',
    scope: 'admin',
    steps: true,
    examples: [
      { title: 'Refresh all sources', input: {} },
      { title: 'Refresh one source', input: { ids: ['tasks'] } },
    ],
    run: async (context, given) =>
      refreshSources(await context.loci({ create: true }), given, viewerOf(context)),
  }),
  'sources-pause': operation({
    input: sourceIdInput,
    output: pauseSourceOutput,
    kind: 'write',
    scope: 'admin',
    description:
      'Stops the automatic refresh of a source or vault until it is resumed, in whatever condition it is. Its documents are ' +
      'still found. A refresh that is running now is not stopped.',
    examples: [{ title: 'Stop refreshing the todos', input: { id: 'tasks' } }],
    run: async (context, given) =>
      pauseSource(await context.loci({ create: true }), given, true, viewerOf(context)),
  }),
  'sources-resume': operation({
    input: sourceIdInput,
    output: pauseSourceOutput,
    kind: 'write',
    scope: 'admin',
    description: 'Starts the automatic refresh of a paused source or vault again. It is due at once.',
    examples: [{ title: 'Refresh the todos again', input: { id: 'tasks' } }],
    run: async (context, given) =>
      pauseSource(await context.loci({ create: true }), given, false, viewerOf(context)),
  }),
  'sources-remove': operation({
    description:
      'Removes a vault or source from the settings, and its records, its approval and its statistics from the store. The notes of a ' +
      'vault and the data that a command reads are never touched: `index` with the folder reads the notes again, and within a day ' +
      'without embedding them again. What was removed from loci.yaml by hand keeps its records until this command removes them. The ' +
      'source of a skill stays with the skill, and must be approved again before it runs.',
    input: sourcesRemoveInput,
    output: sourcesRemoveOutput,
    kind: 'destroy',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [
      { title: 'Remove the todos', input: { id: 'tasks' } },
      { title: 'Stop finding the notes of a vault', input: { id: 'vault' } },
    ],
    run: async (context, given) => {
      const loci = await openForSources(context);
      const { id, kind, documents } = await requireReport(loci, given.id);
      const config = await context.loadConfig();
      const vault = kind === 'vault' ? namedVaults(config).find(({ name }) => name === id) : undefined;
      const isSource = kind !== 'vault' && config.values.sources.some((source) => source.id === id);
      if (vault !== undefined) {
        if (given.even_if_gone !== true && documents > 0 && !(await isFolder(vault.path)))
          throw lastCopy(id, vault.path);
        await removeVault(context, id);
      }
      if (isSource)
        await removeEntry(context, 'sources', id, (entry) => isJsonMap(entry) && entry['id'] === id);
      const removed = await forgetSource(loci, id, context);
      return { id, path: vault?.path ?? null, removed, unconfigured: vault !== undefined || isSource };
    },
  }),
});

/**
 * Opens the engine. For the operator, a missing store is created when there are sources or skills, because listing them is the first
 * step with a new source.
 * @throws LociError `store_not_found` when there are no sources either
 */
async function openForSources(context: OperationContext): ReturnType<OperationContext['loci']> {
  if (!context.isOwner) return context.loci();
  const { values } = await context.loadConfig();
  return context.loci({ create: await hasSources(values) });
}

/** What the caller may see, and its signal. */
function viewerOf({ isOwner, signal, onProgress }: OperationContext) {
  return { isOwner, signal, onProgress };
}

function lastCopy(vault: string, path: string): LociError {
  return new LociError(
    'conflict',
    `the folder of ${vault} is missing (${path}), so Loci may have the last copy of its notes; nothing was changed`,
    { hint: 'Mount the folder, or use --even-if-gone.' },
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
