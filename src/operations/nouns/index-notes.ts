import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../../engine/context.ts';
import { embeddingProcess } from '../../engine/embedding/backfill.ts';
import { IncompleteIndexError, type IndexReport, indexVaults } from '../../engine/reading/index-vaults.ts';
import { isEnabled, assertVaultNamesAreFree } from '../../engine/reading/configured/vault-names.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { listRecords } from '../../engine/records/list.ts';
import { operation, type OperationContext, withNames } from '../operation.ts';
import { refusalFields } from '../../engine/embedding/refusal-report.ts';
import {
  addVaults,
  namedVaults,
  type NamedVault,
  placeFolders,
  retryOnConflict,
  settleMoved,
} from '../shared/vault-settings.ts';
import { asProblem, errorFields, problemList, localPath } from '../../engine/fields/record-fields.ts';

const input = z.strictObject({
  paths: z
    .array(localPath())
    .max(1000)
    .exactOptional()
    .describe('Folders of notes; the vaults of the settings unless given.'),
  once: z.boolean().exactOptional().describe('Read the folders now without changing the settings.'),
  allow_empty: z
    .boolean()
    .exactOptional()
    .describe('Allow a folder that had notes and is empty now to remove its records from the store.'),
  wait: z
    .boolean()
    .exactOptional()
    .describe(
      'Wait for another process that reads the same folder or embeds (default: true). Without it, such a folder is an error, ' +
        'and the texts are left to the process that embeds. If it is given, the call also waits until many new records are ' +
        'related to each other, which a process in the background does otherwise.',
    ),
  background: z
    .boolean()
    .exactOptional()
    .describe(
      'Read the notes now, and embed and relate them in a process of its own that continues in the background.',
    ),
});
type IndexInput = z.infer<typeof input>;

const indexedVault = z.strictObject({
  name: z.string(),
  path: z.string(),
  seen: count().describe('Notes in the folder.'),
  added: count(),
  updated: count(),
  renamed: count().describe('Notes that moved; their records stay the same.'),
  removed: count().describe('Records whose note was deleted.'),
  unchanged: count(),
  problems: problemList().describe('Problems of single notes.'),
  other_files: z
    .array(z.strictObject({ ending: z.string(), files: count() }))
    .describe('Files in other formats, which are not read, most frequent first.'),
  excluded: z
    .array(
      z.strictObject({
        rule: z.string(),
        from: z.string().describe('The file with the rule.'),
        paths: z
          .array(z.string())
          .describe('Folders end with `/`, and contain the rest of what was left out.'),
      }),
    )
    .describe('What is not read, because the settings or Obsidian exclude it.'),
});
export type IndexedVault = z.infer<typeof indexedVault>;

const output = z.strictObject({
  vaults: z.array(indexedVault),
  problems: problemList().describe('Older records whose passages could not be derived again.'),
  embedded: count().describe('Texts that this call embedded.'),
  ...refusalFields,
  pending: count().describe(
    'Texts that another process embeds, or that nothing embeds yet. Until then they are found by words.',
  ),
  embedded_by: z.string().nullable().describe('The process that embeds the pending texts: `process 4711`.'),
  unrelated: count().describe(
    'Records that a process in the background relates to the others. Search works; the graph does not have them yet.',
  ),
  related_by: z.string().nullable().describe('The process that relates them: `process 4711`.'),
  configured: z.array(z.string()).describe('Vaults that were added to the settings.'),
  notes: z.array(z.string()).describe('Remarks for the owner.'),
  took_ms: tookMs(),
  error: errorFields()
    .exactOptional()
    .describe('The error of the vaults that could not be read; `vaults` has the others.'),
});
export type IndexOutput = z.infer<typeof output>;

export const indexOperations = withNames({
  index: operation({
    description:
      'Reads folders of Markdown notes, such as Obsidian vaults, and updates the store: only changed notes are read and ' +
      'embedded, a moved note keeps its record, and the record of a deleted note is removed. A named folder is added to the ' +
      'settings, so that `index` without a path refreshes it later. An interrupted call is continued by the next one. Notes are ' +
      'never written to.',
    input,
    output,
    kind: 'write',
    scope: 'admin',
    local: true,
    onPage: true,
    onPageHere: true,
    steps: true,
    examples: [
      { title: 'Read a folder of notes and add it to the settings', input: { paths: ['~/vault'] } },
      { title: 'Update every configured vault', input: {} },
      {
        title: 'Return as soon as words find the notes, and embed them in the background',
        input: { background: true },
      },
      { title: 'Read a folder without adding it to the settings', input: { paths: ['~/notes'], once: true } },
    ],
    run: runIndex,
  }),
});

/** So many records are related to each other before the call ends, in about a second. */
const MAX_RELATED_AT_ONCE = 400;

async function runIndex(
  context: OperationContext,
  { paths = [], once = false, allow_empty, wait: givenWait, background = false }: IndexInput,
): Promise<IndexOutput> {
  const started = performance.now();
  const wait = givenWait ?? true;
  const start = context.machine?.startInBackground;
  if (background && start === undefined)
    throw new LociError('forbidden', 'background is only for the command line');
  // A server relates them itself afterwards. A program that embeds Loci may end after this call.
  const relatesAll = givenWait === true || (context.machine !== undefined && start === undefined);
  const config = await context.loadConfig();
  const placed = await placeFolders(paths, config, once);
  const named = paths.length === 0 ? namedVaults(config).filter(isEnabled) : placed.vaults;
  assertEnabled(named, paths.length === 0 ? namedVaults(config) : []);
  if (named.length === 0) await assertHasRecords(context);
  const loci = await context.loci({ create: true });
  if (!once && loci.namespace !== config.values.namespace)
    throw new LociError('forbidden', `the vaults of the settings belong to ${config.values.namespace}`, {
      hint: 'Go back to your own memory first.',
    });
  if (!once && !isDeepStrictEqual(loci.config.store, config.values.store))
    throw new LociError('conflict', `${config.file} names another store than the one that is open`, {
      hint: 'Restart this process.',
    });
  // This must happen before the folder is added to the settings, where its name would mean that the vault has moved.
  const unconfigured = once ? [] : placed.unconfigured;
  const { moved, notes: remarks } = await settleMoved(context, loci, placed.unconfigured, once);
  const isNew = ({ path }: NamedVault): boolean => !moved.has(path);
  await assertVaultNamesAreFree(loci, named.filter(isNew));
  const vaults = named.map((vault) => moved.get(vault.path) ?? vault);
  const added = unconfigured.filter(isNew);
  const notes = [...remarks, ...(await addVaults(context, added))];
  const { signal, onProgress } = context;
  // When another process reads the same folder, the second one finds its notes in the store and continues.
  const options = {
    ...{
      vaults,
      moved: [...moved.values()].map(({ name }) => name),
      allowEmpty: allow_empty ?? false,
      wait,
      embed: !background,
      signal,
      onProgress,
    },
    relations: relatesAll
      ? { waitMs: givenWait === true ? Infinity : 0 }
      : { maxRecords: MAX_RELATED_AT_ONCE },
  };
  const index = (): Promise<CompletedIndex> => reportWithError(indexVaults(loci, options));
  const { report, error } = await (wait ? retryOnConflict(index, signal) : index());
  const { unrelated } = report;
  const isLeft =
    (background && report.pending > 0) ||
    (!relatesAll && unrelated.records > 0 && unrelated.process === null);
  const commandLine = ['index', '--wait', ...(once ? ['--once'] : []), '--', ...paths];
  const startsProcess = isLeft && report.embeddedBy === null && start !== undefined;
  const process = startsProcess
    ? await startInBackground(context, loci, commandLine, report.pending > 0)
    : null;
  const folders = new Map(vaults.map(({ name, path }) => [name, path]));
  return {
    vaults: report.sources.map(({ source, problems, otherFiles, excluded, ...counts }) => ({
      name: source,
      path: folders.get(source) ?? '',
      ...counts,
      problems: problems.map(asProblem),
      other_files: [...otherFiles]
        .map(([ending, files]) => ({ ending, files }))
        .sort((a, b) => b.files - a.files),
      excluded: excluded.map((each) => ({ ...each, paths: [...each.paths] })),
    })),
    problems: report.problems,
    embedded: report.embedded,
    refused: report.refused,
    refusals: report.refusals,
    pending: report.pending,
    embedded_by: report.embeddedBy ?? (report.pending > 0 ? process : null),
    unrelated: unrelated.records,
    related_by: unrelated.records > 0 ? (unrelated.process ?? report.embeddedBy ?? process) : null,
    configured: added.map(({ name }) => name),
    notes,
    took_ms: millisecondsSince(started),
    ...(error !== null && { error: { code: error.code, message: error.message, hint: error.hint } }),
  };
}

/** A process takes about a second until it embeds. */
const [MAX_START_POLLS, START_POLL_MS] = [60, 50];

/** Starts a process that goes on, and waits until `status` can name it where it embeds. Returns its name. */
async function startInBackground(
  context: OperationContext,
  loci: EngineContext,
  commandLine: readonly string[],
  embeds: boolean,
): Promise<string> {
  const pid = context.machine!.startInBackground!(commandLine, context.home);
  for (let poll = 0; embeds && poll < MAX_START_POLLS && (await embeddingProcess(loci)) === null; poll++)
    await delay(START_POLL_MS, undefined, { signal: context.signal });
  return `process ${String(pid)}`;
}

/** Without vaults, what is derived from other records is updated. @throws LociError `invalid_input` */
async function assertHasRecords(context: OperationContext): Promise<void> {
  const loci = await context.loci().catch((error: unknown) => {
    if (!(error instanceof LociError) || error.code !== 'store_not_found') throw error;
    return null;
  });
  if (loci === null || (await listRecords(loci, { limit: 1 })).records.length === 0)
    throw new LociError('invalid_input', 'no vault is configured', { hint: 'Run `loci index PATH` once.' });
}

/** A disabled vault is not read, even if it is named. @throws LociError `invalid_input` */
function assertEnabled(selected: readonly NamedVault[], configured: readonly NamedVault[]): void {
  const disabled = selected.length === 0 ? configured : selected.filter((vault) => !isEnabled(vault));
  if (disabled.length === 0) return;
  const names = disabled.map(({ name }) => name).join(', ');
  throw new LociError('invalid_input', `disabled in the settings: ${names}`, {
    hint: 'Remove `enabled: false` from loci.yaml to read it.',
  });
}

interface CompletedIndex {
  readonly report: IndexReport;
  readonly error: LociError | null;
}

/** The report, with the error if some vaults could not be read. Throws if none could be. */
async function reportWithError(indexing: Promise<IndexReport>): Promise<CompletedIndex> {
  try {
    return { report: await indexing, error: null };
  } catch (error) {
    if (!(error instanceof IncompleteIndexError) || error.report.sources.length === 0) throw error;
    return { report: error.report, error };
  }
}
