import type { GetOutput } from '../../../operations/records/get.ts';
import { onOneLine } from './fence.ts';
import type { ModelResult, OperationResult } from './model-result.ts';
import { provenance, provenanceFields, tagFields, tagList, urlLine } from './provenance.ts';

export const getResult: OperationResult = {
  resultOf: (record: GetOutput): ModelResult => ({
    fields: fieldsOf(record),
    text: recordText(record),
    writtenBy: 'others',
  }),
  types: {
    citation: 'string',
    title: 'string',
    text: 'string',
    lines: 'string',
    ...{ age: 'string', trust: 'string', source: 'string', from: 'string', url: 'string', tags: 'array' },
  },
};

function fieldsOf(record: GetOutput): object {
  const { citation, title, text, lines, tags } = record;
  return {
    citation,
    title: title === '' ? null : title,
    text,
    lines: `${String(lines.from)}-${String(lines.to)} of ${String(lines.total)}`,
    ...provenanceFields(record),
    ...tagFields(tags),
  };
}

function recordText(record: GetOutput): string {
  const { citation, title, text, lines, tags } = record;
  const facts = [
    `citation: ${onOneLine(citation)}`,
    `lines ${String(lines.from)} to ${String(lines.to)} of ${String(lines.total)}`,
    ...provenance(record),
    ...tagList(tags),
  ];
  const head = [...(title === '' ? [] : [onOneLine(title)]), facts.join(' · '), ...urlLine(record)];
  return `${head.join('\n')}\n\n${text}`;
}
