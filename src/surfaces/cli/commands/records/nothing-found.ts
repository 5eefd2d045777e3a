import type { SearchOutput } from '../../../../engine/records/results/search-fields.ts';
import type { WhyNothing } from '../../../../engine/records/results/why-nothing.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { clip } from '../../format/text-width.ts';
import { wrap } from '../../format/wrap.ts';

/** Says that nothing was found, the reason if it is known, and what to try. */
export function nothingFound(output: SearchOutput, columns: number): string[] {
  const query = clip(oneLine(output.query), 60);
  return [
    `No results for ${query.includes('"') ? query : `"${query}"`}.`,
    ...advice(output).flatMap((line) => wrap(line, columns)),
  ];
}

/** If a result that was left out scores at least this, the query needs no other words. */
const FAIR_SCORE = 0.3;

function advice({ query, nothing, unmatched }: SearchOutput): string[] {
  if (nothing?.empty === true && nothing.unread_vaults.length === 0)
    return [`The namespace ${oneLine(nothing.namespace)} is empty: \`loci index PATH\` reads notes.`];
  const lines = unmatched.map(unmatchedLine);
  const unread = nothing?.unread_vaults ?? [];
  if (unread.length > 0)
    lines.push(`Not indexed yet: ${unread.map(oneLine).join(', ')}. Run \`loci index\`.`);
  const unmet = nothing?.unmet_filters ?? [];
  if (unmet.length > 0 && unmatched.length === 0)
    lines.push(
      `No record matches ${unmet.length === 1 ? 'the filter' : 'all of these filters at once'}: ${unmet.map(filterName).join(', ')}.`,
    );
  const hidden = nothing?.hidden ?? null;
  const ofSources = nothing?.hidden_of_sources ?? [];
  const best = Math.max(hidden?.best_score ?? 0, ...ofSources.map(({ best_score }) => best_score));
  if (lines.length === 0 && best < FAIR_SCORE) lines.push(defaultAdvice(query));
  if (hidden !== null) lines.push(`${belowMinScore(hidden)}: \`--min-score 0\` shows what was left out.`);
  for (const source of ofSources)
    lines.push(
      `${belowMinScore(source, ` of ${oneLine(source.source)}`)}: change its \`minScore\` in loci.yaml.`,
    );
  return lines;
}

function belowMinScore(
  { results, best_score, min_score }: NonNullable<WhyNothing['hidden']>,
  of = '',
): string {
  const count = results === 1 ? `1 result${of} scores` : `${String(results)} results${of} score`;
  // Rounded up, 0.049 would not be below 0.05.
  return `${count} below ${String(min_score)}, at best ${(Math.floor(best_score * 100) / 100).toFixed(2)}`;
}

function defaultAdvice(query: string): string {
  const isQuotedOnly = /^\s*(?:"[^"]*"\s*)+$/.test(query);
  return isQuotedOnly
    ? 'Quoted words must occur exactly so; try them without the quotes.'
    : 'Try other words or fewer filters; `loci status` shows what is stored.';
}

/** `No record has the tag x; existing values: y, z.` */
export function unmatchedLine({ filter, value, known }: SearchOutput['unmatched'][number]): string {
  const name = filterName(filter);
  if (filter === 'path') return `No record has a path like ${clip(oneLine(value), 60)}.`;
  const noRecord = `No record has the ${name} ${clip(oneLine(value), 60)}`;
  if (known.length === 0) return `${noRecord}; none has any ${name}.`;
  return `${noRecord}; existing values: ${known.map(oneLine).join(', ')}.`;
}

function filterName(filter: string): string {
  return filter.replace('_', ' ');
}
