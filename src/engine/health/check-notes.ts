import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import type { SourceItem, SourceProblem } from '../../sources/source.ts';
import type { Check } from './check.ts';
import type { EngineContext } from '../context.ts';
import { vaultSource } from '../reading/refresh/refresh-vault.ts';
import { vaultName } from '../reading/configured/vault-names.ts';

/**
 * Reads every note of a vault and reports its problems, because `index` reports those of changed notes only. Returns no
 * check when there are no problems, or when the vault cannot be read, which another check reports.
 */
export async function checkNotes(
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
