import type { IndexedVault, IndexOutput } from '../../../operations/index-vaults.ts';
import { oneLine } from '../neutralise.ts';
import { duration } from '../progress.ts';
import type { Renderer, View } from './renderer.ts';

export const indexRenderer: Renderer<IndexOutput> = {
  notices: ({ notes }) => notes,
  render: (output, view) => {
    const { vaults, embedded, took_ms, configured } = output;
    const embeddings =
      embedded === 0 ? '' : `, ${String(embedded)} ${embedded === 1 ? 'text' : 'texts'} embedded`;
    return [
      ...vaults.flatMap((vault) => [vaultLine(vault, view), ...problemLines(vault, view)]),
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
  const notes = vault.seen === 1 ? '1 note' : `${String(vault.seen)} notes`;
  return `${style.bold(oneLine(vault.name))} ${style.dim(`(${oneLine(vault.path)})`)}: ${[notes, ...told].join(', ')}`;
}

const SHOWN = 10;

function problemLines({ problems }: IndexedVault, { style, options }: View): string[] {
  const shown = options.has('verbose') ? problems : problems.slice(0, SHOWN);
  const lines = shown.map(({ path, detail, skipped }) => {
    const what = skipped ? style.warning('skipped') : style.dim('note');
    return `  ${what} ${oneLine(path)}: ${oneLine(detail)}`;
  });
  const more = problems.length - shown.length;
  return more > 0 ? [...lines, style.dim(`  … and ${String(more)} more; --verbose lists them all`)] : lines;
}
