import type {
  SearchOutput,
  RelatedResultOutput,
  ScoreExplanation,
  SearchResultOutput,
} from '../../../../engine/records/results/search-fields.ts';
import {
  hasFound,
  missingMessages,
  nothingMessages,
  boostWords,
  SIGNAL_WORDS,
  citedLines,
} from '../../../../engine/records/results/search-messages.ts';
import { timeNotes } from '../../../shared/dated-records.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { clip, padEnd, padStart, textWidth } from '../../format/text-width.ts';
import { indent, wrap } from '../../format/wrap.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { provenanceOf } from './provenance.ts';
import { snippetLines } from './search-snippet.ts';

export const search: OperationCommand<SearchOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { limit: 'n', explain: 'e' },
  aliases: { until: 'to', record_type: 'type' },
  commaLists: ['tags'],
  warnings: (output) => [...output.notices.map(oneLine), ...missingMessages(output).map(oneLine)],
  render: renderSearch,
};

function renderSearch(output: SearchOutput, view: View): string {
  const { results, corrections } = output;
  const { style, columns } = view;
  const lines: string[] = [];
  const corrected = corrections.map(
    ({ word, instead }) => `${oneLine(instead.join(', '))} (for ${oneLine(word)})`,
  );
  if (corrected.length > 0)
    lines.push(style.dim(clip(`also searched for: ${corrected.join('; ')}`, columns)), '');
  for (const [i, result] of results.entries()) {
    if (i === output.strong)
      lines.push(style.dim(i === 0 ? 'Nothing surely fits. The nearest:' : '── weaker matches ──'), '');
    lines.push(...resultBlock(result, view), '');
  }
  lines.push(...relatedLines(output.related, view));
  if (results.length === 0) {
    const query = clip(oneLine(output.query), MAX_NAME_COLUMNS);
    lines.push(
      `No results for ${query.includes('"') ? query : `"${query}"`}.`,
      ...nothingMessages(output, shownName).flatMap((line) => wrap(line, columns)),
    );
  } else {
    lines.push(style.dim(summary(output)));
  }
  return `${lines.join('\n')}\n`;
}

const MAX_NAME_COLUMNS = 60;

/** A name or a value that others have chosen. */
export function shownName(name: string): string {
  return clip(oneLine(name), MAX_NAME_COLUMNS);
}

/** Related documents, in two lines each. */
function relatedLines(related: readonly RelatedResultOutput[], { style, columns }: View): string[] {
  if (related.length === 0) return [];
  const lines = related.flatMap((result) => {
    const rank = `${String(result.rank)}. `;
    const { name, times } = provenanceOf(result);
    const { id, title } = result.belongs_to;
    const note = `belongs to ${title === '' ? `record/${String(id)}` : `[[${title}]]`}`;
    const from = [note, `From ${name}`, ...times].join(' · ');
    const citation = ` · ${oneLine(result.citation)}`;
    const margin = ' '.repeat(rank.length);
    const room = columns - margin.length;
    return [
      `${rank}${clip(oneLine(result.title === '' ? firstLine(result.snippet) : result.title), room)}`,
      `${margin}${style.dim(clip(oneLine(from), Math.max(1, room - textWidth(citation))) + citation)}`,
      ...explanation(result, style, room).map((line) => margin + line),
    ];
  });
  return [style.dim('── related, from your sources ──'), '', ...lines, ''];
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

function summary(output: SearchOutput): string {
  const { results, took_ms, provider, missing } = output;
  const related = output.related.length === 0 ? '' : ` and ${String(output.related.length)} related`;
  const count = `${results.length === 1 ? '1 result' : `${String(results.length)} results`}${related}`;
  const isPartial = missing.some(({ signal }) => signal === 'vector');
  const isByWords = provider === 'none' || (isPartial && !hasFound('vector', results));
  const how = isByWords ? 'by words alone' : `${isPartial ? 'partly ' : ''}with ${oneLine(provider)}`;
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
        ...timeNotes(result).map((line) => clip(oneLine(line), room)),
        ...(result.url === undefined ? [] : [style.link(oneLine(result.url))]),
        ...snippet.map((line) => `${style.dim('│')} ${line}`),
        ...secondLine(result).map((line) => style.dim(clip(line, room))),
        ...linkedAs(result).map((line) => style.dim(clip(line, room))),
        ...viaLine(result).map((line) => style.dim(clip(line, room))),
        style.dim(clip(`why: ${result.why}`, room)),
        ...explanation(result, style, room),
      ],
      margin,
    ),
  ];
}

/** `also: L40–L52 The kitchen needs a cable of its own` */
function secondLine({ second }: SearchResultOutput): string[] {
  if (second === undefined) return [];
  return [`also: ${oneLine([...citedLines(second.citation), second.text].join(' '))}`];
}

/** `linked in [[Start here]] as “the big one this autumn”` */
function linkedAs({ linked_as: linked }: SearchResultOutput): string[] {
  if (linked === undefined) return [];
  const note = linked.title === '' ? `record/${String(linked.id)}` : `[[${oneLine(linked.title)}]]`;
  return [`linked in ${note} as “${oneLine(linked.text)}”`];
}

/** `via [[Contractor quotes]] → linked under Oven` */
function viaLine({ via }: SearchResultOutput): string[] {
  return via === undefined ? [] : [`via [[${oneLine(via.title)}]] → ${oneLine(via.how)}`];
}

/** Where the record is from, its times, score and tags. If the line is too long, the name and the tags are clipped. */
function factsLine(result: SearchResultOutput, room: number): string {
  const { name, times } = provenanceOf(result);
  const unclipped = [...times, `score ${result.score.toFixed(2)}`].map((part) => ` · ${part}`).join('');
  const facts = clip(`From ${name}`, Math.max(1, room - textWidth(unclipped))) + unclipped;
  const tags = result.tags.map((tag) => ` #${oneLine(tag)}`).join('');
  const left = room - textWidth(facts);
  return tags === '' || left < MIN_TAG_COLUMNS ? facts : facts + clip(` ·${tags}`, left);
}

const MIN_TAG_COLUMNS = 8;

/** The date in a file name such as `2026-10-12 Heron review`, whose note often begins with `# Heron review`. */
const LEADING_DATE = /^\d{4}([-_.]?)\d{2}\1\d{2}(?:\d{4}|\d{6})?[\s_–-]+/;

/** The title, or else the first heading, or else the citation. */
function nameOf({ title, headings, citation, origin, snippet }: SearchResultOutput): string {
  if (title !== '') return title;
  return headings[0] ?? (origin === 'source' ? firstLine(snippet) : citation);
}

/** The title and the headings above the passage; a heading that repeats the title is left out. */
function titleLine(result: SearchResultOutput, style: Style, room: number): string {
  const name = oneLine(nameOf(result));
  const repeated = new Set([name, name.replace(LEADING_DATE, '')].map((each) => each.toLowerCase()));
  const below = result.headings.map(oneLine).filter((heading) => !repeated.has(heading.toLowerCase()));
  const heading = clip(name, room);
  const path = below.map((heading) => ` › ${heading}`).join('');
  return style.bold(heading) + style.dim(clip(path, Math.max(1, room - heading.length)));
}

function explanation(
  { score, explanation: explained }: SearchResultOutput,
  style: Style,
  room: number,
): string[] {
  if (explained === undefined) return [];
  const rows = [
    ['signal', 'rank', 'raw', 'added'],
    ...explained.signals.map(({ signal, rank, raw, added, half_life_days }) => [
      SIGNAL_WORDS[signal] + (half_life_days === undefined ? '' : ` (½ in ${daysOf(half_life_days)})`),
      String(rank),
      // The raw value of recency is the time of the record.
      signal === 'recency' ? new Date(raw).toISOString().slice(0, 10) : raw.toFixed(3),
      signed(added),
    ]),
    ...explained.boosts
      .filter(({ added }) => Math.abs(added) >= MIN_SHOWN)
      .map((boost) => [boostWords(boost), '', '', signed(boost.added)]),
    ...(Math.abs(explained.neighbour_contribution) < MIN_SHOWN
      ? []
      : [['neighbours', '', '', signed(explained.neighbour_contribution)]]),
    ['ranking', '', '', explained.ranking.toFixed(3)],
  ];
  const table = rows.map(([name = '', rank = '', raw = '', added = ''], i) => {
    const line = `  ${padEnd(name, 18)}${padStart(rank, 6)}${padStart(raw, 12)}${padStart(added, 10)}`;
    return i === 0 ? style.dim(line) : line;
  });
  const reasons = scoreReasons(score, explained.score);
  return [...table, ...reasons.flatMap((line) => indent(wrap(line, room - 2), '  '))];
}

/** `90d`, `12h` */
function daysOf(days: number): string {
  return days >= 1 ? `${String(Number(days.toFixed(1)))}d` : `${String(Number((days * 24).toFixed(1)))}h`;
}

/** Smaller contributions print as 0.000. */
const MIN_SHOWN = 0.0005;

function signed(added: number, digits = 3): string {
  return `${added < 0 ? '' : '+'}${added.toFixed(digits)}`;
}

/** `score 0.71: log odds +0.90 = +1.67 (typical of a first result) −0.40 (match) …`, then what the match consists of. */
function scoreReasons(
  score: number,
  { typical, parts, log_odds, factor, coverage, cosine, model_coverage }: ScoreExplanation,
): string[] {
  const sum = [
    `${signed(typical, 2)} (${parts.some(({ name }) => name === 'belongs') ? 'a related document' : 'typical of a first result'})`,
    ...parts
      .filter(({ added }) => Math.abs(added) >= MIN_SHOWN_LOG_ODDS)
      .map(({ name, added }) => `${signed(added, 2)} (${EVIDENCE_WORDS[name]})`),
  ];
  const times = factor === 1 ? '' : `, × ${factor.toFixed(2)}`;
  const words = `has ${percent(coverage)} of the query's words (rare ones count more)`;
  const weight = model_coverage === 1 ? '' : `, weighted ${percent(model_coverage)} for this query`;
  const meaning = cosine === null ? '' : `; cosine ${cosine.toFixed(2)}${weight}`;
  return [
    `score ${score.toFixed(2)} = log odds ${signed(log_odds, 2)}${times}: ${sum.join(' ')}`,
    `match: ${words}${meaning}`,
  ];
}

/** Smaller contributions hardly change the score. */
const MIN_SHOWN_LOG_ODDS = 0.03;

const EVIDENCE_WORDS: Readonly<Record<ScoreExplanation['parts'][number]['name'], string>> = {
  match: 'match',
  lead: 'lead over other results',
  agreement: 'agreement of words and meaning',
  neighbours: 'neighbouring turns',
  known: 'words that any record has',
  newer: 'in the place of an earlier one',
  belongs: 'it belongs to the note',
  note: 'the score of the note',
  note_lead: 'its lead over other notes',
};

function percent(share: number): string {
  return `${String(Math.round(share * 100))}%`;
}
