import type { GraphIndexOutput } from '../../../operations/graph/graph-index.ts';
import type { GraphPackOutput } from '../../../operations/graph/graph-pack.ts';
import { jsonText, onOneLine, RECALLED_FIELDS_ARE_DATA } from './fence.ts';
import { warningLines } from './warnings.ts';

/** The text of an index or a pack of nodes is fenced already, and says what is in it. */
export const nodeTextResult = {
  text: nodeText,
  notice: ({ empty }: GraphIndexOutput | GraphPackOutput) =>
    empty === null ? RECALLED_FIELDS_ARE_DATA : null,
  verbatimField: 'text',
} as const;

function nodeText(output: GraphIndexOutput | GraphPackOutput): string {
  const { text, empty, receipt, lanes } = output;
  const unknown = 'unknown' in output ? output.unknown : [];
  return [
    ...('missing' in output ? warningLines(output) : []),
    ...unknown.map(({ reason }) => `Not found: ${onOneLine(reason)}.`),
    ...lanes.flatMap(({ name, status }) =>
      status === 'failed' || status === 'late' ? [`Without the ${name}: ${status}.`] : [],
    ),
    empty === null ? text : `Nothing to show: ${empty}.`,
    ...(receipt === null ? [] : [`Receipt: ${jsonText(receipt)}`]),
  ].join('\n');
}
