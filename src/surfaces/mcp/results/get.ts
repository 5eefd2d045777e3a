import type { GetOutput } from '../../../operations/records/get.ts';
import { fence, onOneLine, RECALLED_FIELDS_ARE_DATA, RECALLED_IS_DATA } from './fence.ts';
import { provenance, urlLine } from './provenance.ts';

export const getResult = {
  text: recordText,
  notice: () => RECALLED_FIELDS_ARE_DATA,
  verbatimField: 'text',
} as const;

function recordText(record: GetOutput): string {
  const { citation, title, text, lines, tags } = record;
  const facts = [
    `citation: ${onOneLine(citation)}`,
    `lines ${String(lines.from)} to ${String(lines.to)} of ${String(lines.total)}`,
    ...provenance(record),
    ...(tags.length === 0 ? [] : [tags.map((tag) => `#${onOneLine(tag)}`).join(' ')]),
  ];
  const head = [...(title === '' ? [] : [onOneLine(title)]), facts.join(' · '), ...urlLine(record)];
  return `${RECALLED_IS_DATA}\n${fence(`${head.join('\n')}\n\n${text}`, 'recalled')}`;
}
