import type { PackOutput } from '../../../../engine/packs/memory-pack.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import type { OperationCommand } from '../operation-command.ts';

export const pack: OperationCommand<PackOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { budget: 'b' },
  aliases: { use_graph: 'graph' },
  negatable: ['use_graph'],
  warnings: gapWarnings,
  render: ({ text, empty, items, tokens, budget, receipt }, { style }) => {
    if (empty !== null) return `Nothing to pack: ${empty}.\n`;
    const summary = `${formatCount(items.length, 'record')}, ${String(tokens)} of ${String(budget)} tokens`;
    return `${escapeControl(text)}\n\n${style.dim(summary)}\n${receipt === null ? '' : traceText(receipt)}`;
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
export function traceText({ id, lanes, candidates }: NonNullable<PackOutput['receipt']>): string {
  const ofLanes = lanes.map(
    ({ name, status, took_ms, candidates: found, failure }) =>
      `  ${name}: ${status}${failure === null ? '' : ` (${failure})`}, ${formatCount(found, 'candidate')}, ${String(took_ms)} ms`,
  );
  const ofCandidates = candidates.map(
    ({ record, lane, score, reason }) =>
      `  ${score.toFixed(2)}  ${record}  ${lane}  ${reason === null ? 'included' : `left out: ${reason}`}`,
  );
  return [
    ``,
    `Receipt ${id}`,
    'Lanes:',
    ...ofLanes,
    'Candidates:',
    ...ofCandidates,
    `\`loci receipt show ${id}\` names the records.`,
    '',
  ].join('\n');
}
