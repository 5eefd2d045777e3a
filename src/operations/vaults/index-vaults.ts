import { z } from 'zod';
import { ERROR_TABLE, type ErrorCode, LociError } from '../../core/errors.ts';
import { IncompleteIndexError, type IndexReport } from '../../engine/vaults/index-vaults.ts';
import { isEnabled } from '../../engine/vaults/vault-names.ts';
import { millisecondsSince, tookMs } from '../shared/times.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { retryOnConflict } from '../shared/edit-config.ts';
import { asProblem, problemList, type Problem } from '../shared/problems.ts';
import { addVaults, namedVaults, type NamedVault, placeFolders } from './vaults.ts';

export interface IndexInput {
  readonly paths?: string[];
  readonly once?: boolean;
  readonly allow_empty?: boolean;
}

export interface IndexedVault {
  readonly name: string;
  readonly path: string;
  readonly seen: number;
  readonly added: number;
  readonly updated: number;
  readonly renamed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly problems: Problem[];
}

export interface IndexOutput {
  readonly vaults: IndexedVault[];
  readonly problems: Problem[];
  readonly embedded: number;
  readonly configured: string[];
  readonly notes: string[];
  readonly took_ms: number;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
}

const count = () => z.number().int().nonnegative();

const indexedVault: z.ZodType<IndexedVault> = z.strictObject({
  name: z.string(),
  path: z.string(),
  seen: count().describe('Notes in the folder.'),
  added: count(),
  updated: count(),
  renamed: count().describe('Notes that moved; their records stay the same.'),
  removed: count().describe('Records whose note is gone.'),
  unchanged: count(),
  problems: problemList().describe('What the owner should know of single notes.'),
});

export const indexVaults: Operation<IndexInput, IndexOutput> = {
  name: 'index',
  title: 'Index notes',
  description:
    'Reads folders of Markdown notes, such as Obsidian vaults, and brings the store up to date with them: only what ' +
    'changed is read and embedded, a moved note keeps its record, a deleted one leaves. A folder that is named is ' +
    'added to the settings, so that indexing without a path refreshes it later. Stopped anywhere, it goes on from ' +
    'there the next time. Notes are never written to.',
  input: z.strictObject({
    paths: z
      .array(z.string().min(1))
      .exactOptional()
      .describe('Folders of notes; the vaults of the settings unless given.'),
    once: z.boolean().exactOptional().describe('Read the folders now and leave the settings as they are.'),
    allow_empty: z
      .boolean()
      .exactOptional()
      .describe('Let a folder that held notes and is empty now take its records out of the store.'),
  }),
  output: z.strictObject({
    vaults: z.array(indexedVault),
    problems: problemList().describe('Records of earlier that could not be cut into passages anew.'),
    embedded: count().describe('Texts that were embedded now.'),
    configured: z.array(z.string()).describe('Vaults that were added to the settings.'),
    notes: z.array(z.string()).describe('What the owner should know.'),
    took_ms: tookMs(),
    error: z
      .strictObject({
        code: z.enum(Object.keys(ERROR_TABLE) as ErrorCode[]),
        message: z.string(),
        hint: z.string(),
      })
      .exactOptional()
      .describe('Of the vaults that could not be read; `vaults` are the others.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  steps: true,
  examples: [
    { title: 'Read a folder of notes, and remember it', input: { paths: ['~/vault'] } },
    { title: 'Bring every known vault up to date', input: {} },
    { title: 'Read a folder without adding it to the settings', input: { paths: ['~/notes'], once: true } },
  ],
  run: runIndex,
};

async function runIndex(
  context: OperationContext,
  { paths = [], once = false, allow_empty }: IndexInput,
): Promise<IndexOutput> {
  const started = performance.now();
  const config = await context.loadConfig();
  const placed = await placeFolders(paths, config, once);
  const vaults = paths.length === 0 ? namedVaults(config).filter(isEnabled) : placed.vaults;
  refuseSwitchedOff(vaults, paths.length === 0 ? namedVaults(config) : []);
  if (vaults.length === 0) {
    throw new LociError('invalid_input', 'no vault is configured', { hint: 'Run `loci index PATH` once.' });
  }
  const loci = await context.loci({ create: true });
  // Before a folder is in the settings under that name, which would say that the vault moved there.
  await loci.assertVaultNamesAreFree(vaults);
  const added = once ? [] : placed.unknown;
  const notes = await addVaults(context, added);
  const { signal, onProgress } = context;
  // Another process may read the same folder: whoever comes second finds its notes there and goes on.
  const { report, error } = await retryOnConflict(
    () => asFarAsReadable(loci.index({ vaults, allowEmpty: allow_empty ?? false, signal, onProgress })),
    signal,
  );
  const folders = new Map(vaults.map(({ name, path }) => [name, path]));
  return {
    vaults: report.sources.map(({ source, problems, ...counts }) => ({
      name: source,
      path: folders.get(source) ?? '',
      ...counts,
      problems: problems.map(asProblem),
    })),
    problems: report.problems.map(asProblem),
    embedded: report.embedded,
    configured: added.map(({ name }) => name),
    notes,
    took_ms: millisecondsSince(started),
    ...(error !== null && { error: { code: error.code, message: error.message, hint: error.hint } }),
  };
}

/**
 * What is switched off is not read, also where it is named.
 * @throws LociError `invalid_input`
 */
function refuseSwitchedOff(named: readonly NamedVault[], known: readonly NamedVault[]): void {
  const off = named.length === 0 ? known : named.filter((vault) => !isEnabled(vault));
  if (off.length === 0) return;
  const names = off.map(({ name }) => name).join(', ');
  throw new LociError('invalid_input', `switched off in the settings: ${names}`, {
    hint: 'Take `enabled: false` out of loci.yaml to read it.',
  });
}

/** What was read when a vault could not be; with nothing to tell of, the error is all. */
async function asFarAsReadable(
  indexing: Promise<IndexReport>,
): Promise<{ report: IndexReport; error: LociError | null }> {
  try {
    return { report: await indexing, error: null };
  } catch (error) {
    if (!(error instanceof IncompleteIndexError) || error.report.sources.length === 0) throw error;
    return { report: error.report, error };
  }
}
