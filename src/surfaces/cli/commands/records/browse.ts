import type { RecordShowOutput } from '../../../../engine/browse/record-page.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { keyValues, tables } from '../../format/output-text.ts';
import type { RecordFacetsOutput, RecordHistogramOutput } from '../../../../engine/browse/record-facets.ts';
import type { OperationCommand } from '../operation-command.ts';
import { originText } from './provenance.ts';

const citation = { operands: [{ field: 'citation', label: 'citation', takes: 'words' }] } as const;
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

export const recordLinks = { ...citation, shortOptions: { limit: 'n' } };

export const recordImage = {
  operands: [
    { field: 'citation', label: 'citation', takes: 'one' },
    { field: 'target', label: 'target', takes: 'one' },
  ],
};

export const recordTable = { shortOptions: { limit: 'n' }, commaLists: ['tags'] };

export const recordHistogram: OperationCommand<RecordHistogramOutput> = {
  commaLists: ['tags'],
  render: ({ spans, ...counts }, view) => {
    const listed = spans.map(({ sources, ...span }) => ({
      ...span,
      // A source may have records of several degrees of trust, which a histogram does not distinguish.
      sources: sources.map((each) => `${originText({ ...each, trust: 'operator' })} ${String(each.records)}`),
    }));
    return tables(
      { spans: 'from until records sources' },
      'No records.',
      'unit total undated',
    )({ ...counts, spans: listed }, view);
  },
};

export const recordFacets: OperationCommand<RecordFacetsOutput> = {
  commaLists: ['tags'],
  render: ({ counted, of, facets }, view) => {
    const rows = Object.entries(facets).map(([name, { values, others }]) => {
      const listed = values.map(({ value, records }) => `${value} ${String(records)}`);
      return [name, [...listed, ...(others === 0 ? [] : [`${String(others)} more`])].join(', ')] as const;
    });
    return keyValues([...rows, ['of', `${String(counted)} ${of}`]], view);
  },
};
