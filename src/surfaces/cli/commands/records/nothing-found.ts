import type { SearchOutput } from '../../../../operations/records/search.ts';
import type { WhyNothing } from '../../../../operations/records/why-nothing.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { clip } from '../../format/text-width.ts';
import { wrap } from '../../format/wrap.ts';

/** Says that nothing was found, why as far as it is known, and what to try. */
export function nothingFound(output: SearchOutput, columns: number): string[] {
  const query = clip(oneLine(output.query), 60);
  return [
    `Nothing fits ${query.includes('"') ? query : `"${query}"`}.`,
    ...advice(output).flatMap((line) => wrap(line, columns)),
  ];
}

/** Where the best of what was left out scores so, the words were good enough. */
const FAIR = 0.3;

function advice({ query, nothing, unmatched }: SearchOutput): string[] {
  if (nothing?.empty === true && nothing.unread_vaults.length === 0)
    return [
      `Nothing is remembered in the namespace ${oneLine(nothing.namespace)}: \`loci index PATH\` reads notes.`,
    ];
  const lines = unmatched.map(unmatchedLine);
  const unread = nothing?.unread_vaults ?? [];
  if (unread.length > 0)
    lines.push(`No note was read yet of: ${unread.map(oneLine).join(', ')}. Run \`loci index\`.`);
  const unmet = nothing?.unmet_filters ?? [];
  if (unmet.length > 0 && unmatched.length === 0)
    lines.push(
      `No record meets ${unmet.length === 1 ? 'the filter' : 'all of these filters at once'}: ${namesOf(unmet)}.`,
    );
  const hidden = nothing?.hidden ?? null;
  const ofSources = nothing?.hidden_of_sources ?? [];
  const best = Math.max(hidden?.best_score ?? 0, ...ofSources.map(({ best_score }) => best_score));
  if (lines.length === 0 && best < FAIR) lines.push(usual(query));
  if (hidden !== null) lines.push(`${belowOf(hidden)}: \`--min-score 0\` shows what was left out.`);
  for (const of of ofSources)
    lines.push(`${belowOf(of, ` of ${oneLine(of.source)}`)}: its \`minScore\` in loci.yaml.`);
  return lines;
}

function belowOf({ results, best_score, min_score }: NonNullable<WhyNothing['hidden']>, of = ''): string {
  const many = results === 1 ? `1 result${of} scores` : `${String(results)} results${of} score`;
  return `${many} below ${String(min_score)}, at best ${best_score.toFixed(2)}`;
}

/** A query of quotes alone wants these words in this order. */
function usual(query: string): string {
  return /^\s*(?:"[^"]*"\s*)+$/.test(query)
    ? 'Words in quotes must stand just so; try them without the quotes.'
    : 'Try other words or fewer filters; `loci status` shows what is remembered.';
}

function unmatchedLine({ filter, value, known }: SearchOutput['unmatched'][number]): string {
  const name = filter.replace('_', ' ');
  const asked = `No record has the ${name} ${clip(oneLine(value), 60)}`;
  if (known.length === 0) return `${asked}; none has any ${name}.`;
  return `${asked}; there are: ${known.map(oneLine).join(', ')}.`;
}

function namesOf(filters: readonly string[]): string {
  return filters.map((name) => name.replace('_', ' ')).join(', ');
}
