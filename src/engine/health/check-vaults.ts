import { messageOf, LociError } from '../../core/errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { formatAge } from '../../core/time/age.ts';
import type { Timestamp } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { formatVaultChanges, type VaultState, vaultStates } from '../reading/vault-states.ts';
import { isEnabled, vaultsOfNamespace, vaultName } from '../reading/configured/vault-names.ts';
import { type Check, isAbort } from './check.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import type { SourceItem, SourceProblem } from '../../sources/source.ts';
import { vaultSource } from '../reading/refresh/refresh-vault.ts';

/** Checks every vault of the namespace, and the notes of those that are enabled. @throws LociError `aborted` */
export async function checkVaults(context: EngineContext, options: ProgressOptions): Promise<Check[]> {
  try {
    const states = (await vaultStates(context)).map((vault) => checkVault(vault, context.now()));
    const vaults = vaultsOfNamespace(context).filter(isEnabled);
    const notes: Check[] = [];
    for (const vault of vaults) notes.push(...(await checkNotes(context, vault, options)));
    return [...states, ...notes];
  } catch (error) {
    if (isAbort(error)) throw error;
    return [{ name: 'vaults', result: 'failed', detail: messageOf(error), hint: null }];
  }
}

function checkVault(
  { name, path, enabled, paused, last_read, changes, unreadable }: VaultState,
  now: Timestamp,
): Check {
  const check = { name: `vault ${name}`, result: 'warning' as const, hint: 'Run `loci index`.' };
  if (!enabled) return { ...check, result: 'ok', detail: `${path}; disabled`, hint: null };
  if (unreadable !== null)
    return {
      ...check,
      result: 'failed',
      detail: unreadable,
      hint: `Mount it or correct its path; \`loci sources remove ${JSON.stringify(name)}\` removes its records.`,
    };
  const summary = changes === null ? '' : formatVaultChanges(changes);
  const isRead = last_read !== null && changes !== null;
  const read = isRead ? `read ${formatAge(Date.parse(last_read), now)}` : 'it was not read yet';
  const detail = `${path}; ${read}${summary === '' ? '' : `, since then ${summary}`}`;
  if (paused)
    return {
      ...check,
      result: 'ok',
      detail: `paused: ${detail}`,
      repair: { operation: 'sources-resume', input: { id: name } },
      hint: `\`loci sources resume ${JSON.stringify(name)}\` resumes automatic refreshes; \`loci index\` reads it now.`,
    };
  if (!isRead || summary !== '')
    return { ...check, detail, repair: { operation: 'sources-refresh', input: { ids: [name] } } };
  return { ...check, result: 'ok', detail, hint: null };
}

/**
 * Reads every note of a vault and reports its problems, because `index` reports those of changed notes only. Returns no
 * check when there are no problems, or when the vault cannot be read, which another check reports.
 */
async function checkNotes(
  context: EngineContext,
  vault: VaultConfig,
  { signal, onProgress }: ProgressOptions = {},
): Promise<Check[]> {
  const problems: SourceProblem[] = [];
  const report = (problem: SourceProblem): void => void problems.push(problem);
  try {
    const source = await vaultSource(context, vault);
    const items: SourceItem[] = [];
    for await (const item of source.list(report, signal)) items.push(item);
    for (const [done, item] of items.entries()) {
      onProgress?.({ stage: 'checking', subject: vaultName(vault), done, total: items.length });
      await source.read(item, report, signal);
    }
  } catch (error) {
    if (error instanceof LociError && error.code === 'unreadable') return [];
    throw error;
  }
  if (problems.length === 0) return [];
  const skippedFirst = problems.toSorted(
    (a, b) => Number(b.skipped) - Number(a.skipped) || (a.key < b.key ? -1 : Number(a.key > b.key)),
  );
  const lines = skippedFirst.map(({ key, detail, skipped }) =>
    `${skipped ? 'skipped ' : ''}${key}: ${detail}`.replaceAll(/\s+/g, ' '),
  );
  return [
    {
      name: `notes of ${vaultName(vault)}`,
      result: 'warning',
      detail: [summary(problems), ...lines].join('\n'),
      hint: hintOf(problems),
      repair: { operation: 'sources-show', input: { id: vaultName(vault) } },
    },
  ];
}

function summary(problems: readonly SourceProblem[]): string {
  const skipped = new Set(problems.flatMap((problem) => (problem.skipped ? [problem.key] : []))).size;
  const faulty = new Set(problems.flatMap((problem) => (problem.skipped ? [] : [problem.key]))).size;
  const parts = [
    ...(skipped === 0 ? [] : [`${String(skipped)} left out`]),
    ...(faulty === 0 ? [] : [`${String(faulty)} read despite a fault`]),
  ];
  return parts.join(', ');
}

function hintOf(problems: readonly SourceProblem[]): string {
  const large = problems.some(({ reason }) => reason === 'too_large');
  const correct = 'Correct the notes that you miss, then run `loci index`.';
  return large ? `${correct} Split notes that are too large.` : correct;
}
