import { formatCount } from '../../../../core/text/format-count.ts';
import type { GraphIndexOutput } from '../../../../engine/packs/graph-index.ts';
import type { GraphPackOutput } from '../../../../engine/packs/graph-pack.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { gapWarnings, traceText } from './packs.ts';

type NodeText = Pick<GraphIndexOutput, 'text' | 'empty' | 'candidates' | 'expansions' | 'budget' | 'receipt'>;

export const graphIndex: OperationCommand<GraphIndexOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { budget: 'b', k: 'n' },
  warnings: gapWarnings,
  render: nodeText,
};

export const graphPack: OperationCommand<GraphPackOutput> = {
  operands: [{ field: 'nodes', label: 'node', takes: 'list' }],
  shortOptions: { budget: 'b' },
  warnings: nodeWarnings,
  exitCode: ({ text, unknown }) => (text === '' && unknown.length > 0 ? 1 : 0),
  render: nodeText,
};

export function nodeWarnings({ notices, unknown }: Pick<GraphPackOutput, 'notices' | 'unknown'>): string[] {
  return [...notices, ...unknown.map(({ reason }) => reason)].map(oneLine);
}

function nodeText(output: NodeText, view: View): string {
  const { text, empty, candidates, expansions, budget, receipt } = output;
  if (empty !== null) return `Nothing to show: ${empty}.\n`;
  const counts = `${formatCount(candidates.length, 'record')} and ${String(expansions.length)} from the graph`;
  const summary = `${counts}, ${String(budget.used)} of ${String(budget.tokens)} tokens`;
  return `${escapeControl(text)}\n\n${view.style.dim(summary)}\n${receipt === null ? '' : traceText(receipt, view)}`;
}
