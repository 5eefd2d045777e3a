import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { Operation } from '../operation.ts';
import { namedVaults, removeVault } from './vaults.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';
import type { EngineContext } from '../../engine/context.ts';
import { vaultStates } from '../../engine/reading/vault-states.ts';
import { forgetSource } from '../../engine/reading/forget-source.ts';
import { sourceReports } from '../../engine/reading/reports.ts';
import { facet } from '../../engine/records/results/why-nothing.ts';

const input = z.strictObject({
  vault: filterValue().trim().min(1).describe('The name of the vault, as `status` shows it.'),
  even_if_gone: z
    .boolean()
    .exactOptional()
    .describe(
      'Forget the vault although its folder is missing and Loci may have the last copy of its notes.',
    ),
});

const output = z.strictObject({
  vault: z.string(),
  path: z.string().nullable().describe('Its folder; null when it was not in the settings.'),
  removed: z.number().int().nonnegative().describe('Records that were removed from the store.'),
  unconfigured: z.boolean().describe('Whether this call removed it from the settings.'),
});
export type ForgetVaultOutput = z.infer<typeof output>;

export const forgetVaultOperation: Operation<typeof input, typeof output> = {
  name: 'forget-vault',
  title: 'Forget a vault',
  description:
    'Removes a vault from the settings and its records from the store. The notes themselves are never touched: `index` with ' +
    'the folder reads them again, and within a day without embedding them again. A vault that was removed from loci.yaml by hand keeps its records until it is forgotten.',
  input,
  output,
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Stop finding the notes of a vault', input: { vault: 'vault' } }],
  run: async (context, { vault, even_if_gone = false }) => {
    const configured = namedVaults(await context.loadConfig()).find(({ name }) => name === vault);
    const loci = await context.loci();
    if (configured === undefined) {
      const { vaults, unconfigured } = await vaultStates(loci);
      if (!unconfigured.some(({ name }) => name === vault)) {
        if (await isSource(loci, vault)) throw notAVault(vault);
        throw unknownVault(
          vault,
          [...vaults, ...unconfigured].map(({ name }) => name),
        );
      }
    } else {
      const isSafe = even_if_gone || (await isFolder(configured.path)) || !(await hasRecords(loci, vault));
      if (!isSafe) throw lastCopy(vault, configured.path);
      await removeVault(context, vault);
    }
    const removed = await forgetSource(loci, vault, { signal: context.signal });
    return { vault, path: configured?.path ?? null, removed, unconfigured: configured !== undefined };
  },
};

async function isSource(loci: EngineContext, id: string): Promise<boolean> {
  return (await sourceReports(loci)).some((source) => source.id === id && source.kind !== 'vault');
}

function notAVault(id: string): LociError {
  return new LociError('invalid_input', `${id} is a source, not a vault`, {
    hint: `\`loci sources remove ${id}\` removes it.`,
  });
}

function unknownVault(vault: string, names: readonly string[]): LociError {
  const suggestion = closestWord(vault, names);
  const existing = names.length === 0 ? 'there is none' : `there are: ${names.join(', ')}`;
  return new LociError('not_found', `no vault is called ${JSON.stringify(vault)}; ${existing}`, {
    hint: suggestion === undefined ? '`loci status` lists the vaults.' : `Did you mean ${suggestion}?`,
  });
}

function lastCopy(vault: string, path: string): LociError {
  return new LociError(
    'conflict',
    `the folder of ${vault} is missing (${path}), so Loci may have the last copy of its notes; nothing was changed`,
    { hint: 'Mount the folder, or use --even-if-gone.' },
  );
}

async function hasRecords(loci: EngineContext, vault: string): Promise<boolean> {
  const sources = await facet(loci, 'source', { origins: ['vault'] });
  return sources.some(({ value }) => value === vault);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
