import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { Loci } from '../../engine/open.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { namedVaults, removeVault } from './vaults.ts';

export interface ForgetVaultInput {
  readonly vault: string;
  readonly even_if_gone?: boolean;
}

export interface ForgetVaultOutput {
  readonly vault: string;
  readonly path: string | null;
  readonly removed: number;
  readonly unconfigured: boolean;
}

export const forgetVault: Operation<ForgetVaultInput, ForgetVaultOutput> = {
  name: 'forget-vault',
  title: 'Forget a vault',
  description:
    'Takes a vault out of the settings and its records out of the store, so that nothing of it is found any more. The ' +
    'notes themselves are never touched: `index` with the folder reads them again. A vault that was taken out of ' +
    'loci.yaml by hand keeps its records until it is forgotten here.',
  input: z.strictObject({
    vault: z.string().trim().min(1).describe('Its name, as `status` shows it.'),
    even_if_gone: z
      .boolean()
      .exactOptional()
      .describe('Forget it although its folder is not there, when Loci may hold the last copy of its notes.'),
  }),
  output: z.strictObject({
    vault: z.string(),
    path: z.string().nullable().describe('Its folder; null when it was not in the settings.'),
    removed: z.number().int().nonnegative().describe('Records that left the store.'),
    unconfigured: z.boolean().describe('Whether it was taken out of the settings now.'),
  }),
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Stop finding the notes of a vault', input: { vault: 'vault' } }],
  run: runForgetVault,
};

async function runForgetVault(
  context: OperationContext,
  { vault, even_if_gone = false }: ForgetVaultInput,
): Promise<ForgetVaultOutput> {
  const configured = namedVaults(await context.loadConfig()).find(({ name }) => name === vault);
  const loci = await context.loci();
  if (configured === undefined) {
    const { vaults, strays } = await loci.vaults();
    if (!strays.some(({ name }) => name === vault)) {
      if (await isSource(loci, vault)) throw noVault(vault);
      throw unknownVault(
        vault,
        [...vaults, ...strays].map(({ name }) => name),
      );
    }
  } else {
    const isSafe = even_if_gone || (await isFolder(configured.path)) || !(await hasRecords(loci, vault));
    if (!isSafe) throw lastCopy(vault, configured.path);
    await removeVault(context, vault);
  }
  const removed = await loci.forgetVault(vault, { signal: context.signal });
  return { vault, path: configured?.path ?? null, removed, unconfigured: configured !== undefined };
}

async function isSource(loci: Loci, id: string): Promise<boolean> {
  return (await loci.sources.list()).some((source) => source.id === id && source.kind !== 'vault');
}

function noVault(id: string): LociError {
  return new LociError('invalid_input', `${id} is a source, not a vault`, {
    hint: `\`loci sources remove ${id}\` takes it out.`,
  });
}

function unknownVault(vault: string, names: readonly string[]): LociError {
  const meant = closestWord(vault, names);
  const known = names.length === 0 ? 'there is none' : `there are: ${names.join(', ')}`;
  return new LociError('not_found', `no vault is called ${JSON.stringify(vault)}; ${known}`, {
    hint: meant === undefined ? '`loci status` lists the vaults.' : `Did you mean ${meant}?`,
  });
}

function lastCopy(vault: string, path: string): LociError {
  return new LociError(
    'conflict',
    `the folder of ${vault} is not there (${path}), so Loci may hold the last copy of its notes; nothing was changed`,
    { hint: 'Mount the folder, or say --even-if-gone.' },
  );
}

async function hasRecords(loci: Loci, vault: string): Promise<boolean> {
  const sources = await loci.facet('source', { origins: ['vault'] });
  return sources.some(({ value }) => value === vault);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
