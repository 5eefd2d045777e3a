import type { SearchOutput } from '../../../operations/records/search.ts';
import {
  strongMatches,
  type RelatedResultOutput,
  type SearchResultOutput,
} from '../../../operations/records/search-result.ts';
import { fence, onOneLine, RECALLED_FIELDS_ARE_DATA, RECALLED_IS_DATA } from './fence.ts';
import { provenance, urlLine } from './provenance.ts';
import { warningLines } from './warnings.ts';

/** The text contains no duration: the same results give the same bytes, so prompt caches stay valid. */
export const searchResult = { text: searchText, notice: searchNotice, verbatimField: null } as const;

/** The maximum number of existing names that are listed for a filter. */
const MAX_KNOWN_NAMES = 12;

function searchText(output: SearchOutput): string {
  const { results, related } = output;
  if (results.length === 0) return summaryLines(output).join('\n');
  return [
    `${summaryLines(output).join('\n')} ${RECALLED_IS_DATA}`,
    fence(
      [results.map((each) => resultText(each)).join('\n\n'), ...relatedText(related)].join('\n\n'),
      'recalled',
    ),
  ].join('\n');
}

function searchNotice(output: SearchOutput): string {
  const lines = summaryLines(output).join('\n');
  return output.results.length === 0 ? lines : `${lines} ${RECALLED_FIELDS_ARE_DATA}`;
}

/** What a search found, how sure that is, and what it could not do. */
function summaryLines(output: SearchOutput): string[] {
  const { results } = output;
  const warnings = warningLines(output);
  if (results.length === 0) return [...warnings, 'Nothing found.', ...reasonsForNothing(output)];
  const count = results.length === 1 ? '1 result' : `${String(results.length)} results`;
  const isSure = strongMatches(results) > 0;
  return [...warnings, `${count}, best first${isSure ? '' : '; nothing surely fits the query'}.`];
}

function relatedText(related: readonly RelatedResultOutput[]): string[] {
  return related.length === 0
    ? []
    : [
        `Related documents of sources:\n\n${related.map((each) => resultText(each, [belongsTo(each)])).join('\n\n')}`,
      ];
}

function belongsTo({ belongs_to: { id, title } }: RelatedResultOutput): string {
  return `belongs to ${title === '' ? `record/${String(id)}` : `[[${onOneLine(title)}]]`}`;
}

/** Each line of the snippet starts with a bar, so that no snippet can look like the next result. */
function resultText(result: SearchResultOutput, first: readonly string[] = []): string {
  const { rank, title, headings, citation, score, tags, snippet } = result;
  const name = [title, ...headings.filter((heading) => heading !== title)].filter((part) => part !== '');
  const facts = [
    ...first,
    ...provenance(result),
    `score ${score.toFixed(2)}`,
    ...(tags.length === 0 ? [] : [tags.map((tag) => `#${onOneLine(tag)}`).join(' ')]),
  ];
  return [
    `${String(rank)}. ${onOneLine(name.length === 0 ? citation : name.join(' › '))}`,
    `   citation: ${onOneLine(citation)}`,
    `   ${facts.join(' · ')}`,
    ...urlLine(result).map((line) => `   ${line}`),
    ...linkedAs(result).map((line) => `   ${line}`),
    ...viaLine(result).map((line) => `   ${line}`),
    ...explanationLines(result).map((line) => `   ${line}`),
    ...snippet
      .split(/[\r\n\u0085\u2028\u2029]+/)
      .filter((line) => line.trim() !== '')
      .map((line) => `   | ${line}`),
  ].join('\n');
}

/** How the ranking and the score came about, with `explain`. */
function explanationLines({ why, explanation }: SearchResultOutput): string[] {
  if (explanation === undefined) return [];
  const { signals, boosts, neighbour_contribution: neighbours, ranking, score } = explanation;
  const parts = [
    ...signals.map(({ signal, rank, added }) => `${signal} #${String(rank)} ${signed(added)}`),
    ...boosts.map(({ name, added }) => `${name} ${signed(added)}`),
    ...(neighbours === 0 ? [] : [`${Math.round(100 * neighbours).toString()}% from neighbours`]),
  ];
  const evidence = score.parts.map(({ name, added }) => `${name} ${signed(added)}`);
  return [
    `why: ${onOneLine(why)}`,
    `ranking ${ranking.toFixed(3)}: ${parts.join(', ')}`,
    `score: log odds ${signed(score.log_odds)} = typical ${signed(score.typical)}, ${evidence.join(', ')}` +
      (score.factor === 1 ? '' : `; times ${score.factor.toFixed(2)}`),
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}

function linkedAs({ linked_as: linked }: SearchResultOutput): string[] {
  if (linked === undefined) return [];
  const note = linked.title === '' ? `record/${String(linked.id)}` : `[[${onOneLine(linked.title)}]]`;
  return [`linked in ${note} as “${onOneLine(linked.text)}”`];
}

function viaLine({ via }: SearchResultOutput): string[] {
  return via === undefined ? [] : [`via [[${onOneLine(via.title)}]] → ${onOneLine(via.how)}`];
}

function reasonsForNothing({ nothing, unmatched }: SearchOutput): string[] {
  if (nothing === null) return [];
  const { empty, unread_vaults: unread, unmet_filters: unmet, hidden } = nothing;
  const lines: string[] = [];
  if (empty) lines.push('Nothing is stored yet.');
  if (unread.length > 0) lines.push('Some notes are not indexed yet: the user can run `loci index`.');
  for (const { filter, value, known } of unmatched) {
    const names = known.slice(0, MAX_KNOWN_NAMES).map(quoted).join(', ');
    const more = known.length > MAX_KNOWN_NAMES ? ` and ${String(known.length - MAX_KNOWN_NAMES)} more` : '';
    const existing = known.length === 0 ? 'none has any' : `existing values: ${names}${more}`;
    lines.push(`No record has the ${filter} ${quoted(value)}; ${existing}.`);
  }
  if (unmet.length > 0 && unmatched.length === 0)
    lines.push(`No record matches all of these filters: ${unmet.join(', ')}.`);
  if (hidden !== null) {
    const { results, best_score: best, min_score: minimum } = hidden;
    lines.push(
      `Left out: ${String(results)} that score below ${String(minimum)}, at best ${best.toFixed(2)}; min_score 0 shows them.`,
    );
  }
  for (const { source, results, best_score: best, min_score: minimum } of nothing.hidden_of_sources)
    lines.push(
      `Left out of ${quoted(source)}: ${String(results)} that score below ${String(minimum)}, the minimum for this source in the settings, at best ${best.toFixed(2)}.`,
    );
  if (lines.length === 0) lines.push('Try other words, or fewer filters.');
  return lines;
}

/** Untrusted text outside of a fence. */
function quoted(name: string): string {
  return JSON.stringify(onOneLine(name));
}
