/** What every surface says of a search result. Each makes the names and texts of others in it safe in its own way. */

import { dayInWords } from '../../core/time/whole-day.ts';
import { earlierThan } from '../../core/valid-until.ts';
import type { SearchResultOutput } from '../../engine/records/results/search-fields.ts';
import { boostWords, citedLines, SIGNAL_WORDS } from '../../engine/records/results/search-messages.ts';

type OfTime = Pick<SearchResultOutput, 'later' | 'also'>;

/** Days that are listed; the others are counted. */
const MAX_DAYS = 4;

/** Of an earlier result: `earlier: see record/12 (9 March 2026)`. Of one that stands for several: `also on 3 May 2026, 7 June 2026`. */
export function timeNotes({ later, also = [] }: OfTime): string[] {
  const days = also.slice(0, MAX_DAYS).map(({ date }) => dayInWords(date));
  const more = also.length > MAX_DAYS ? [`${String(also.length - MAX_DAYS)} more`] : [];
  return [
    ...(later === undefined ? [] : [earlierThan(later)]),
    ...(also.length === 0 ? [] : [`also on ${[...days, ...more].join(', ')}`]),
  ];
}

/** The name of a record, which `get` reads. */
export function recordName({ id, title }: { readonly id: number; readonly title: string }): string {
  return title === '' ? `record/${String(id)}` : `[[${title}]]`;
}

/** `L40–L52 The kitchen needs a cable of its own` */
export function secondText({ citation, text }: NonNullable<SearchResultOutput['second']>): string {
  return [...citedLines(citation), text].join(' ');
}

export function linkedText({ text, ...note }: NonNullable<SearchResultOutput['linked_as']>): string {
  return `in ${recordName(note)} as “${text}”`;
}

export function viaText({ title, how }: NonNullable<SearchResultOutput['via']>): string {
  return `[[${title}]] → ${how}`;
}

/** What led to a result: the text of a link to it, or a better result. */
export function wayLines({ linked_as: linked, via }: SearchResultOutput): string[] {
  return [
    ...(linked === undefined ? [] : [`linked ${linkedText(linked)}`]),
    ...(via === undefined ? [] : [`via ${viaText(via)}`]),
  ];
}

/** How the ranking and the score came about, if that was asked for. */
export function explanationLines({ explanation }: SearchResultOutput): string[] {
  if (explanation === undefined) return [];
  const { signals, boosts, neighbour_contribution: neighbours, ranking, score } = explanation;
  const parts = [
    ...signals.map(
      ({ signal, rank, added, half_life_days: days }) =>
        `${SIGNAL_WORDS[signal]} #${String(rank)}${days === undefined ? '' : ` (½ in ${daysOf(days)})`} ${signed(added)}`,
    ),
    ...boosts.map((boost) => `${boostWords(boost)} ${signed(boost.added)}`),
    ...(neighbours === 0 ? [] : [`neighbours ${signed(neighbours)}`]),
  ];
  const evidence = score.parts.map(({ name, added }) => `${name} ${signed(added)}`);
  const weight =
    score.model_coverage === 1 ? '' : `, weighted ${percent(score.model_coverage)} for this query`;
  return [
    `ranking ${ranking.toFixed(3)}: ${parts.join(', ')}`,
    `score: log odds ${signed(score.log_odds)} = typical ${signed(score.typical)}, ${evidence.join(', ')}` +
      (score.factor === 1 ? '' : `; times ${score.factor.toFixed(2)}`),
    `match: has ${percent(score.coverage)} of the query's words (rare ones count more)` +
      (score.cosine === null ? '' : `; cosine ${score.cosine.toFixed(2)}${weight}`),
  ];
}

/** `90d`, `12h` */
function daysOf(days: number): string {
  return days >= 1 ? `${String(Number(days.toFixed(1)))}d` : `${String(Number((days * 24).toFixed(1)))}h`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))}%`;
}
