import { formatCount } from '../../../../core/text/format-count.ts';
import type { RecordLinksOutput } from '../../../../engine/browse/backlinks.ts';
import type { RecordFacetsOutput, RecordHistogramOutput } from '../../../../engine/browse/record-facets.ts';
import type { RecordImageOutput } from '../../../../engine/browse/record-image.ts';
import type { RecordShowOutput } from '../../../../engine/browse/record-page.ts';
import type { RecordTableOutput } from '../../../../engine/browse/record-table.ts';
import { NO_DATE } from '../../../../engine/records/results/record-age.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { alignColumns } from '../../format/table.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { originText } from './provenance.ts';

const citation = { operands: [{ field: 'citation', label: 'citation', takes: 'words' }] } as const;
const list = { shortOptions: { limit: 'n' }, commaLists: ['tags'] };

function nextPage(next: string | null, { style }: View): string[] {
  return next === null
    ? []
    : ['', style.dim(`\`--after ${oneLine(JSON.stringify(next))}\` shows the next page`)];
}

export const recordShow: OperationCommand<RecordShowOutput> = {
  ...citation,
  render: (record, { style }) => {
    const { title, deleted_at: deletedAt, file, front_matter: frontMatter, text, passages = [] } = record;
    return [
      style.bold(oneLine(title === '' ? record.citation : title)),
      `From ${originText(record)} · ${record.age}`,
      ...(deletedAt === null ? [] : [style.warning(`deleted ${deletedAt}`)]),
      ...(file === null ? [] : [style.link(oneLine(file))]),
      ...passages.map(({ from, to, headings }) =>
        style.dim(`lines ${String(from)}-${String(to)}  ${headings.map(oneLine).join(' › ')}`.trimEnd()),
      ),
      ...(frontMatter === null ? [] : ['', style.dim(escapeControl(frontMatter).trimEnd())]),
      '',
      `${escapeControl(text).trimEnd()}\n`,
    ].join('\n');
  },
};

export const recordLinks: OperationCommand<RecordLinksOutput> = {
  ...citation,
  shortOptions: { limit: 'n' },
  render: ({ links, next }, view) => {
    if (links.length === 0) return 'No links.\n';
    const lines = links.flatMap((link) => [
      view.style.link(`${oneLine(link.citation)}${link.line === null ? '' : `#L${String(link.line)}`}`),
      `    ${oneLine(link.context)}`.trimEnd(),
    ]);
    return [...lines, ...nextPage(next, view), ''].join('\n');
  },
};

export const recordImage: OperationCommand<RecordImageOutput> = {
  operands: [
    { field: 'citation', label: 'citation', takes: 'one' },
    { field: 'target', label: 'target', takes: 'one' },
  ],
  render: ({ path, media_type: type, bytes }) => `${oneLine(path)}  ${type}  ${formatCount(bytes, 'byte')}\n`,
};

export const recordTable: OperationCommand<RecordTableOutput> = {
  ...list,
  render: ({ records, total, next }, view) => {
    if (records.length === 0) return 'No records.\n';
    const { style, columns } = view;
    const rows = records.map((record) => [
      record.time?.slice(0, 10) ?? NO_DATE,
      oneLine(record.title),
      originText(record),
      oneLine(record.citation),
    ]);
    const cellStyles = [style.dim, String, style.dim, style.link];
    const lines = alignColumns(rows, { columns, flexible: [1, 2], cellStyles });
    return [...lines, '', style.dim(formatCount(total, 'record')), ...nextPage(next, view), ''].join('\n');
  },
};

export const recordHistogram: OperationCommand<RecordHistogramOutput> = {
  commaLists: ['tags'],
  render: ({ spans, unit, total, undated }, { style, columns }) => {
    const rows = spans.map(({ from, records, sources }) => [
      from.slice(0, 10),
      String(records),
      sources.map((each) => `${oneLine(each.source)} ${String(each.records)}`).join(', '),
    ]);
    const lines = alignColumns(rows, { columns, flexible: [2], cellStyles: [style.dim, style.bold, String] });
    const others = undated === 0 ? '' : `; ${formatCount(undated, 'note')} without a date`;
    return [...lines, `${formatCount(total, 'record')}, by ${unit}${others}`, ''].join('\n');
  },
};

export const recordFacets: OperationCommand<RecordFacetsOutput> = {
  commaLists: ['tags'],
  render: ({ counted, of, facets }, { style }) => {
    const lines = Object.entries(facets).map(([name, { values, others }]) => {
      const listed = values.map(({ value, records }) => `${oneLine(value)} ${String(records)}`);
      return `${style.bold(name)}: ${[...listed, ...(others === 0 ? [] : [`${String(others)} more`])].join(', ')}`;
    });
    return [
      ...lines,
      style.dim(`of ${formatCount(counted, of === 'records' ? 'record' : 'result')}`),
      '',
    ].join('\n');
  },
};
