import type { PackOutput } from '../../../operations/packs/pack.ts';
import { jsonText, RECALLED_FIELDS_ARE_DATA } from './fence.ts';
import { warningLines } from './warnings.ts';

/** A pack is fenced already. The text contains no duration, so that prompt caches stay valid. */
export const packResult = {
  text: packText,
  notice: (output: PackOutput) => (output.empty === null ? RECALLED_FIELDS_ARE_DATA : null),
  verbatimField: 'text',
} as const;

function packText(output: PackOutput): string {
  const { text, empty, receipt } = output;
  return [
    ...warningLines(output),
    empty === null ? text : `Nothing to pack: ${empty}.`,
    ...(receipt === null ? [] : [`Receipt: ${jsonText(receipt)}`]),
  ].join('\n');
}
