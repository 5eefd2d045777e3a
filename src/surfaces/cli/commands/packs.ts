import { ERROR_TABLE } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type { GraphIndexOutput } from '../../../engine/packs/graph-index.ts';
import type { GraphPackOutput } from '../../../engine/packs/graph-pack.ts';
import type { PackOutput } from '../../../engine/packs/memory-pack.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { tables } from '../format/output-text.ts';
import type { OperationCommand, View } from './operation-command.ts';

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
function gapWarnings({ missing, notices }: Pick<PackOutput, 'missing' | 'notices'>): string[] {
  return [
    ...notices.map(oneLine),
    ...missing.map(({ signal, why }) => `searched without ${signal}: ${escapeControl(why)}`),
  ];
}

/** The lanes, and the outcome of each candidate. */
function traceText(receipt: NonNullable<PackOutput['receipt']>, view: View): string {
  const trace = tables(
    { lanes: 'name status candidates took_ms failure', candidates: 'score record lane included reason' },
    '',
    'id',
  )(receipt, view);
  return `\n${trace}\`loci receipt show ${receipt.id}\` names the records.\n`;
}

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
  exitCode: ({ text, unknown }) => (text === '' && unknown.length > 0 ? ERROR_TABLE.not_found.exit : 0),
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
