import { dayText } from '../../../../core/time/whole-day.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import { NO_DATE } from '../../../../engine/records/results/record-age.ts';
import { propertiesOf } from '../../../../engine/records/results/properties.ts';
import type { GetOutput } from '../../../../engine/records/get.ts';
import type { ListOutput } from '../../../../engine/records/list.ts';
import { unmatchedMessages } from '../../../../engine/records/results/search-messages.ts';
import type { TimelineOutput } from '../../../../engine/packs/timeline.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { tables } from '../../format/output-text.ts';
import { clip } from '../../format/text-width.ts';
import { wrap, wrapItems } from '../../format/wrap.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { shownName } from './search.ts';
import { originText, validityText } from './provenance.ts';

export const get: OperationCommand<GetOutput> = {
  operands: [{ field: 'citation', label: 'citation', takes: 'words' }],
  viewOptions: [{ name: 'plain', description: 'the text alone: no heading, no line numbers' }],
  render: (output, view) => {
    if (!view.options.has('plain')) return renderNumbered(output, view);
    // A file or a pipe gets the text unchanged.
    return `${view.terminal ? escapeControl(output.text) : output.text}\n`;
  },
};

function renderNumbered(output: GetOutput, view: View): string {
  const { lines, text } = output;
  const { style } = view;
  const digits = String(lines.to).length;
  const numbered = escapeControl(text)
    .split('\n')
    .map((line, i) => `${style.dim(`${String(lines.from + i).padStart(digits)} │`)} ${line}`.trimEnd());
  return `${[...header(output, view), '', ...numbered].join('\n')}\n`;
}

function header(output: GetOutput, { style, columns }: View): string[] {
  const { title, lines, path, tags, age, created_at, id, project, from, url } = output;
  const name = oneLine(title === '' ? `record ${String(id)}` : title);
  const facts = [
    from === null ? `From ${originText(output)}` : oneLine(from),
    age === NO_DATE ? age : `${dayText(Date.parse(created_at))} (${age})`,
    ...validityText(output),
    `project ${oneLine(project)}`,
    linesText(lines),
  ];
  // The first lines of a note show its properties themselves.
  const properties = propertiesOf(output.metadata).map(oneLine).join(' · ');
  return [
    style.bold(clip(name, columns)),
    // The title of a fact is its key, which is also its path.
    ...(path === null || path === title ? [] : [style.link(oneLine(path))]),
    clip(facts.join(' · '), columns),
    ...labelled('url', oneLine(url ?? ''), columns),
    ...labelled('tags', tags.map((tag) => `#${oneLine(tag)}`).join(' '), columns),
    ...labelledItems('links', linkNames(output), columns),
    ...labelledItems('linked from', output.backlinks.map(oneLine), columns),
    ...(lines.from === 1 ? [] : labelled('properties', properties, columns)),
  ];
}

function linesText({ from, to, total }: GetOutput['lines']): string {
  if (from === 1 && to === total) return formatCount(total, 'line');
  const lines = from === to ? `line ${String(from)}` : `lines ${String(from)}–${String(to)}`;
  return `${lines} of ${String(total)}`;
}

const MAX_LABEL_LINES = 3;

function labelled(label: string, text: string, columns: number): string[] {
  if (text === '') return [];
  const lines = wrap(`${label}: ${text}`, columns);
  if (lines.length <= MAX_LABEL_LINES) return lines;
  const last = lines[MAX_LABEL_LINES - 1] ?? '';
  return [...lines.slice(0, MAX_LABEL_LINES - 1), clip(`${last} …`, columns)];
}

const ELLIPSIS = ' …';

/** Names and paths, each whole, so that they can be copied. */
function labelledItems(label: string, [first, ...others]: readonly string[], columns: number): string[] {
  if (first === undefined) return [];
  const lines = wrapItems([`${label}: ${first}`, ...others], columns - ELLIPSIS.length);
  if (lines.length <= MAX_LABEL_LINES) return lines;
  return [...lines.slice(0, MAX_LABEL_LINES - 1), `${lines[MAX_LABEL_LINES - 1]!}${ELLIPSIS}`];
}

function linkNames({ links }: GetOutput): string[] {
  return links.map(({ target, path }) =>
    path === null ? `${oneLine(target)} (no such note)` : oneLine(target),
  );
}

export const list: OperationCommand<ListOutput> = {
  shortOptions: { limit: 'n' },
  commaLists: ['tags'],
  render: ({ records, total, next, unmatched }, view) => {
    if (records.length === 0) {
      const reasons = unmatchedMessages(unmatched, shownName);
      return ['No records.', ...reasons, ''].join('\n');
    }
    const listed = records.map((record) => ({ ...record, from: originText(record) }));
    return tables(
      { records: 'citation title from age' },
      '',
      'total',
    )({ records: listed, total, next }, view);
  },
};

export const timeline: OperationCommand<TimelineOutput> = {
  operands: [{ field: 'anchor', label: 'citation', takes: 'words' }],
  shortOptions: { before: 'b', after: 'a' },
  commaLists: ['tags'],
  render: ({ entries, more_before: moreBefore, more_after: moreAfter }, view) => {
    const more = [...(moreBefore ? ['older'] : []), ...(moreAfter ? ['newer'] : [])].join(' and ');
    if (entries.length === 0)
      return more === '' ? 'No records.\n' : 'The budget is too small for one line; --budget raises it.\n';
    const listed = entries.map((entry) => ({
      ...entry,
      anchor: entry.position === 'anchor' ? '>' : '',
      from: originText(entry),
    }));
    return (
      tables({ entries: 'anchor when title from citation' })({ entries: listed }, view) +
      (more === '' ? '' : `${view.style.dim(`there are ${more} records`)}\n`)
    );
  },
};
