import type { PackOutput } from '../../../operations/packs/pack.ts';
import { jsonText, onOneLine, RECALLED_FIELDS_ARE_DATA } from './fence.ts';

/** A pack is fenced already. The text contains no duration, so that prompt caches stay valid. */
export const packResult = {
  text: packText,
  notice: (output: PackOutput) => (output.empty === null ? RECALLED_FIELDS_ARE_DATA : null),
  verbatimField: 'text',
} as const;

function packText({ text, empty, missing, receipt }: PackOutput): string {
  const warnings = missing.map(({ signal, why }) => `Searched without ${signal}: ${onOneLine(why)}.`);
  return [
    ...warnings,
    empty === null ? text : `Nothing to pack: ${empty}.`,
    ...(receipt === null ? [] : [`Receipt: ${jsonText(receipt)}`]),
  ].join('\n');
}
