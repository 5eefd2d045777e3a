import type {
  SearchOutput,
  RelatedResultOutput,
  SearchResultOutput,
} from '../../../../engine/records/results/search-fields.ts';
import {
  hasFound,
  missingMessages,
  nothingMessages,
} from '../../../../engine/records/results/search-messages.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import {
  explanationLines,
  recordName,
  secondText,
  timeNotes,
  wayLines,
} from '../../../shared/result-sentences.ts';
import type { Style } from '../../format/style.ts';
import { clip, textWidth } from '../../format/text-width.ts';
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
    const from = [`belongs to ${recordName(result.belongs_to)}`, `From ${name}`, ...times].join(' · ');
    const citation = ` · ${oneLine(result.citation)}`;
    const margin = ' '.repeat(rank.length);
    const room = columns - margin.length;
    return [
      `${rank}${clip(oneLine(result.title === '' ? firstLine(result.snippet) : result.title), room)}`,
      `${margin}${style.dim(clip(oneLine(from), Math.max(1, room - textWidth(citation))) + citation)}`,
      ...indent(explanation(result, room), margin),
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
        ...[
          ...(result.second === undefined ? [] : [`also: ${secondText(result.second)}`]),
          ...wayLines(result),
          `why: ${result.why}`,
        ].map((line) => style.dim(clip(oneLine(line), room))),
        ...explanation(result, room),
      ],
      margin,
    ),
  ];
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

function explanation(result: SearchResultOutput, room: number): string[] {
  return explanationLines(result).flatMap((line) => wrap(line, room));
}
