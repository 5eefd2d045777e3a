import { formatCount } from '../../../core/text/format-count.ts';
import type { EmbedBackfillOutput } from '../../../engine/embedding/backfill.ts';
import type { RefusalReport } from '../../../engine/embedding/refusal-report.ts';
import { oneLine } from '../../shared/escape-control.ts';

/** A warning if secrets in the input were masked, because the stored text then differs from what was given. */
export function maskedWarnings({ masked }: { readonly masked: readonly string[] }): string[] {
  if (masked.length === 0) return [];
  return [`secrets were masked before anything was stored: ${masked.map(oneLine).join(', ')}`];
}

/** A line that says why a text has no embedding yet; empty if it has one. */
export function formatNotEmbedded({ embedded, why }: { embedded: boolean; why: string | null }): string {
  return embedded ? '' : `Found by its words for now: ${oneLine(why ?? 'it is not embedded yet')}.\n`;
}

/** `record/2 (Worktop)`. */
export function recordWithTitle({ id, title }: { id: number; title: string }): string {
  return `record/${String(id)}${title === '' ? '' : ` (${oneLine(title)})`}`;
}

/** `3 added, 2 removed`: omits counts of 0. */
export function countsText(counts: readonly (readonly [count: number, change: string])[]): string[] {
  return counts.filter(([count]) => count > 0).map(([count, change]) => `${String(count)} ${change}`);
}

/** A warning for the texts that the embedding provider refused, with a line for each of the first. */
export function refusalWarnings({ refused, refusals }: RefusalReport): string[] {
  if (refused === 0) return [];
  const lines = refusals.map(({ citation, why }) => `\n  ${oneLine(citation)}: ${oneLine(why)}`);
  const more = refused - refusals.length;
  const rest = more > 0 && refusals.length > 0 ? [`\n  … and ${String(more)} more`] : [];
  return [
    [
      `the embedding provider refuses ${formatCount(refused, 'text')}, found by words alone`,
      ...(refusals.length === 0 ? [] : [':']),
      ...lines,
      ...rest,
    ].join(''),
  ];
}

type Generation = EmbedBackfillOutput['target'];

/**
 * A model in words: `ollama bge-m3 (1024 dimensions)`.
 * @param other one that the same text names: the prefixes are shown if nothing else tells the two apart
 */
export function generationText(generation: Generation, other: Generation | null = null): string {
  const name = generationName(generation);
  if (other === null || generationName(other) !== name || prefixesText(other) === prefixesText(generation))
    return oneLine(name);
  return oneLine(`${name} with prefixes: ${prefixesText(generation)}`);
}

function generationName({ provider, model, dimensions }: Generation): string {
  return `${provider} ${model} (${String(dimensions)} dimensions)`;
}

export function prefixesText({
  query_prefix: query,
  passage_prefix: passage,
}: Pick<Generation, 'passage_prefix' | 'query_prefix'>): string {
  if (query === '' && passage === '') return 'none';
  return `${JSON.stringify(query)} for queries, ${JSON.stringify(passage)} for passages`;
}
