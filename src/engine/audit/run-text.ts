import type { Json } from '../../core/types.ts';
import type { HistoryRow } from '../../store/admin-model.ts';

/** `## Pack call: memory_write`, then the input of the run and its outcome. */
export function runText({ category, name, surface, actor, inputs, outcome, at, tookMs }: HistoryRow): string {
  const heading = category === 'pack_history' ? 'Pack call' : 'Pipeline run';
  const inputLines = Object.entries(inputs).map(([field, value]) => `${label(field)}: ${formatValue(value)}`);
  const lines = [...inputLines, `By: ${actor} (${surface})`, `At: ${new Date(at).toISOString()}`];
  return `## ${heading}: ${name}\n\n${lines.join('\n')}\n\nOutcome: ${outcome} (${String(tookMs)} ms)`;
}

function label(field: string): string {
  return field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
