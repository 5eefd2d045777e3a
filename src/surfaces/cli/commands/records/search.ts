import { boostWords, SIGNAL_WORDS, type SignalName } from '../../../../operations/records/reasons.ts';
import type { SearchOutput } from '../../../../operations/records/search.ts';
import type { ScoreExplanation, SearchResultOutput } from '../../../../operations/records/search-result.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { clip, padEnd, padStart, textWidth } from '../../format/text-width.ts';
import { indent, wrap } from '../../format/wrap.ts';
import { nothingFound } from './nothing-found.ts';
import { provenanceOf } from './provenance.ts';
import { snippetLines } from './search-snippet.ts';
import type { Renderer, View } from '../operation-command.ts';

export const searchRenderer: Renderer<SearchOutput> = {
  notices: (output) =>
    output.missing.map(({ signal, why }) => {
      const how = isUsed(signal, output) ? 'only in part by' : 'without';
      return `searched ${how} ${SIGNAL_WORDS[signal]}: ${why}`;
    }),
  render: renderSearch,
};

function renderSearch(output: SearchOutput, view: View): string {
  const { results, corrections } = output;
  const { style, columns } = view;
  const lines: string[] = [];
  const also = corrections.map(
    ({ word, instead }) => `${oneLine(instead.join(', '))} (for ${oneLine(word)})`,
  );
  if (also.length > 0) lines.push(style.dim(clip(`also searched for: ${also.join('; ')}`, columns)));
  if (lines.length > 0) lines.push('');
  const sure = sureCount(results);
  for (const [i, result] of results.entries()) {
    if (i === sure) lines.push(style.dim(i === 0 ? 'None of these is sure:' : '── less sure ──'), '');
    lines.push(...resultBlock(result, view), '');
  }
  lines.push(...relatedLines(output.related, view));
  if (results.length === 0) {
    lines.push(...nothingFound(output, columns));
  } else {
    lines.push(style.dim(summary(output)));
  }
  return `${lines.join('\n')}\n`;
}

/** What belongs to the results, a line or two each: it is there to be noticed, not to be read through. */
function relatedLines(related: readonly SearchResultOutput[], { style, columns }: View): string[] {
  if (related.length === 0) return [];
  const lines = related.flatMap((result) => {
    const rank = `${String(result.rank)}. `;
    const { name, when } = provenanceOf(result);
    const from = [`From ${name}`, ...when, result.citation].join(' · ');
    const margin = ' '.repeat(rank.length);
    const room = columns - margin.length;
    return [
      `${rank}${clip(oneLine(wordsOf(result)), room)}`,
      `${margin}${style.dim(clip(oneLine(from), room))}`,
      ...explanation(result, style, room).map((line) => margin + line),
    ];
  });
  return [style.dim('── related, from your sources ──'), '', ...lines, ''];
}

/** The title, else how the text begins. */
function wordsOf({ title, snippet }: SearchResultOutput): string {
  return title === '' ? firstLine(snippet) : title;
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

/** Best results below this are guesses. */
const GUESS = 0.3;
/** Results that score below this share of the best's are set apart. */
const SHARE = 0.5;

/** How many of the first results are sure, beside the best: what comes behind them is often noise. */
export function sureCount(results: readonly Pick<SearchResultOutput, 'score'>[]): number {
  const best = results[0]?.score ?? 0;
  if (best < GUESS) return 0;
  const weak = results.findIndex(({ score }) => score < best * SHARE);
  return weak === -1 ? results.length : weak;
}

/** Whether a signal that is missing somewhere found something all the same: a part of what matches may have no vector. */
function isUsed(signal: SignalName, { results }: SearchOutput): boolean {
  return results.some(({ why }) => why.includes(`${SIGNAL_WORDS[signal]} #`));
}

function summary(output: SearchOutput): string {
  const { results, took_ms, provider, missing } = output;
  const related = output.related.length === 0 ? '' : ` and ${String(output.related.length)} related`;
  const count = `${results.length === 1 ? '1 result' : `${String(results.length)} results`}${related}`;
  const isPartial = missing.some(({ signal }) => signal === 'vector');
  const isByWords = provider === 'none' || (isPartial && !isUsed('vector', output));
  const how = isByWords ? 'by words alone' : `${isPartial ? 'in part ' : ''}with ${oneLine(provider)}`;
  return `${count} in ${String(took_ms)} ms, ${how}`;
}

function resultBlock(result: SearchResultOutput, view: View): string[] {
  const { style, columns } = view;
  const rank = `${String(result.rank)}. `;
  const margin = ' '.repeat(rank.length);
  const room = columns - margin.length;
  const snippet = snippetLines(result, style, room - 2);
  return [
    `${rank}${titleLine(result, style, room)}`,
    ...indent(
      [
        ...(nameOf(result) === result.citation ? [] : [style.link(oneLine(result.citation))]),
        factsLine(result, room),
        ...(result.url === undefined ? [] : [style.link(clip(oneLine(result.url), room))]),
        ...snippet.map((line) => `${style.dim('│')} ${line}`),
        style.dim(clip(`why: ${result.why}`, room)),
        ...explanation(result, style, room),
      ],
      margin,
    ),
  ];
}

/** Of a long name the end goes, and of tags what finds no room, but never the score between them. */
function factsLine(result: SearchResultOutput, room: number): string {
  const { name, when } = provenanceOf(result);
  const sure = [...when, `score ${result.score.toFixed(2)}`].map((part) => ` · ${part}`).join('');
  const facts = clip(`From ${name}`, Math.max(1, room - textWidth(sure))) + sure;
  const tags = result.tags.map((tag) => ` #${oneLine(tag)}`).join('');
  const left = room - textWidth(facts);
  return tags === '' || left < TAG_ROOM ? facts : facts + clip(` ·${tags}`, left);
}

/** Columns below which a tag says nothing. */
const TAG_ROOM = 8;

/** `2026-10-12 Heron review`, `202610121230 Heron review`: the name of a file, whose note begins `# Heron review`. */
const LEADING_DATE = /^\d{4}([-_.]?)\d{2}\1\d{2}(?:\d{4}|\d{6})?[\s_–-]+/;

/** The title; of what has none the first heading, else the citation. */
function nameOf({ title, headings, citation, origin, snippet }: SearchResultOutput): string {
  if (title !== '') return title;
  return headings[0] ?? (origin === 'source' ? firstLine(snippet) : citation);
}

/** The title, then the headings down to the passage. */
function titleLine(result: SearchResultOutput, style: Style, room: number): string {
  const name = oneLine(nameOf(result));
  const repeated = new Set([name, name.replace(LEADING_DATE, '')].map((each) => each.toLowerCase()));
  const below = result.headings.map(oneLine).filter((heading) => !repeated.has(heading.toLowerCase()));
  const shown = clip(name, room);
  const path = below.map((heading) => ` › ${heading}`).join('');
  return style.bold(shown) + style.dim(clip(path, Math.max(1, room - shown.length)));
}

function explanation({ score, explanation: told }: SearchResultOutput, style: Style, room: number): string[] {
  if (told === undefined) return [];
  const rows = [
    ['signal', 'rank', 'raw', 'added'],
    ...told.signals.map(({ signal, rank, raw, added, half_life_days }) => [
      SIGNAL_WORDS[signal] + (half_life_days === undefined ? '' : ` (½ in ${daysOf(half_life_days)})`),
      String(rank),
      // Recency ranks by when a record was made.
      signal === 'recency' ? new Date(raw).toISOString().slice(0, 10) : raw.toFixed(3),
      signed(added),
    ]),
    ...told.boosts.map((boost) => [boostWords(boost), '', '', signed(boost.added)]),
    ...(Math.abs(told.neighbour_contribution) < SHOWN
      ? []
      : [['neighbours', '', '', signed(told.neighbour_contribution)]]),
    ['ranking', '', '', told.ranking.toFixed(3)],
  ];
  const table = rows.map(([name = '', rank = '', raw = '', added = ''], i) => {
    const line = `  ${padEnd(name, 18)}${padStart(rank, 6)}${padStart(raw, 12)}${padStart(added, 10)}`;
    return i === 0 ? style.dim(line) : line;
  });
  const reasons = scoreReasons(score, told.score);
  return [...table, ...reasons.flatMap((line) => indent(wrap(line, room - 2), '  '))];
}

/** `90d`, `12h` */
function daysOf(days: number): string {
  return days >= 1 ? `${String(Number(days.toFixed(1)))}d` : `${String(Number((days * 24).toFixed(1)))}h`;
}

/** What three places show. */
const SHOWN = 0.0005;

function signed(added: number): string {
  return `${added < 0 ? '' : '+'}${added.toFixed(3)}`;
}

/** `score 0.71 = 0.99 × 0.72 …`, then where the first factor comes from. */
function scoreReasons(
  score: number,
  { answer_confidence, share, best_evidence_rank, coverage, cosine, model_coverage }: ScoreExplanation,
): string[] {
  const words = `holds ${percent(coverage)} of the query's words (rare ones count more)`;
  const counted = model_coverage === 1 ? '' : `, counted ${percent(model_coverage)} for this query`;
  const meaning = cosine === null ? '' : `; cosine ${cosine.toFixed(2)}${counted}`;
  return [
    `score ${score.toFixed(2)} = ${answer_confidence.toFixed(2)} (how sure the answer is) × ${share.toFixed(2)} (this ranking, of the best one)`,
    `${answer_confidence.toFixed(2)} from result ${String(best_evidence_rank)}, which has the best evidence: it ${words}${meaning}`,
  ];
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))}%`;
}
