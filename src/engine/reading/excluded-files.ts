import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import type { EngineContext } from '../context.ts';
import { unknownSourceError } from './configured/configured-sources.ts';
import { vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import { vaultSource } from './refresh/refresh-vault.ts';
import type { excludedInput, SourcesExcludedOutput } from './source-schemas.ts';

const PAGE_SIZE = 100;

/**
 * What a vault leaves out, found by listing its folder without reading the notes.
 * @throws LociError `not_found` for a name that no vault has; `unreadable`
 */
export async function excludedFiles(
  context: EngineContext,
  { id, limit = PAGE_SIZE, after = 0 }: z.infer<typeof excludedInput>,
  options: ProgressOptions = {},
): Promise<SourcesExcludedOutput> {
  const vaults = vaultsOfNamespace(context);
  const vault = vaults.find((each) => vaultName(each) === id);
  if (vault === undefined) throw unknownSourceError(id, vaults.map(vaultName));
  const source = await vaultSource(context, vault);
  const problems: SourcesExcludedOutput['excluded'] = [];
  const files = source.list(({ key, detail, skipped }) => {
    if (skipped) problems.push({ path: key, rule: detail, from: null });
  }, pickSignal(options).signal);
  for await (const _ of files)
    if (options.signal?.aborted === true) throw new LociError('aborted', 'stopped');
  const byRule = (source.excluded?.() ?? []).flatMap(({ rule, from, paths }) =>
    paths.map((path) => ({ path, rule, from })),
  );
  const all = [...byRule, ...problems];
  return {
    excluded: all.slice(after, after + limit),
    total: all.length,
    next: after + limit < all.length ? after + limit : null,
    other_files: [...(source.otherFiles?.() ?? [])]
      .map(([ending, count]) => ({ ending, files: count }))
      .toSorted((a, b) => b.files - a.files),
  };
}
