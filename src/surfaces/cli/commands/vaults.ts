import { counted } from '../../../core/text/counted.ts';
import { LociError } from '../../../core/errors.ts';
import type { IndexedVault, IndexOutput } from '../../../operations/vaults/index-vaults.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { duration } from '../format/progress-display.ts';
import { problemLines } from '../format/lists.ts';
import type { Renderer, View } from './operation-command.ts';

export const indexRenderer: Renderer<IndexOutput> = {
  notices: ({ notes }) => notes,
  failure: ({ error }) =>
    error === undefined ? null : new LociError(error.code, error.message, { hint: error.hint }),
  render: (output, view) => {
    const { vaults, problems, embedded, took_ms, configured } = output;
    const embeddings = embedded === 0 ? '' : `, ${counted(embedded, 'text')} embedded`;
    return [
      ...problemLines(problems, view),
      ...vaults.flatMap((vault) => [vaultLine(vault, view), ...problemLines(vault.problems, view)]),
      view.style.dim(`Done in ${duration(took_ms / 1000)}${embeddings}.`),
      ...configured.map(
        (name) => `${oneLine(name)} is in the settings now: \`loci index\` alone keeps it up to date.`,
      ),
      '',
    ].join('\n');
  },
};

function vaultLine(vault: IndexedVault, { style }: View): string {
  const counts = [
    [vault.added, 'added'],
    [vault.updated, 'updated'],
    [vault.renamed, 'renamed'],
    [vault.removed, 'removed'],
    [vault.unchanged, 'unchanged'],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
  return `${style.bold(oneLine(vault.name))} ${style.dim(`(${oneLine(vault.path)})`)}: ${[counted(vault.seen, 'note'), ...told].join(', ')}`;
}
