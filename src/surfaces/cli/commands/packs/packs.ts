import type { PackOutput } from '../../../../engine/packs/memory-pack.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { tables } from '../../format/output-text.ts';
import type { OperationCommand, View } from '../operation-command.ts';

export const pack: OperationCommand<PackOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { budget: 'b' },
  aliases: { use_graph: 'graph' },
  negatable: ['use_graph'],
  warnings: gapWarnings,
  render: ({ text, empty, items, tokens, budget, receipt }, view) => {
    if (empty !== null) return `Nothing to pack: ${empty}.\n`;
    const summary = `${formatCount(items.length, 'record')}, ${String(tokens)} of ${String(budget)} tokens`;
    return `${escapeControl(text)}\n\n${view.style.dim(summary)}\n${receipt === null ? '' : traceText(receipt, view)}`;
  },
};

/** Warnings about what the search for a text could not do. */
export function gapWarnings({ missing, notices }: Pick<PackOutput, 'missing' | 'notices'>): string[] {
  return [
    ...notices.map(oneLine),
    ...missing.map(({ signal, why }) => `searched without ${signal}: ${escapeControl(why)}`),
  ];
}

/** The lanes, and the outcome of each candidate. */
export function traceText(receipt: NonNullable<PackOutput['receipt']>, view: View): string {
  const trace = tables(
    { lanes: 'name status candidates took_ms failure', candidates: 'score record lane included reason' },
    '',
    'id',
  )(receipt, view);
  return `\n${trace}\`loci receipt show ${receipt.id}\` names the records.\n`;
}
