import type { GraphIndexOutput } from '../../../operations/graph/graph-index.ts';
import type { GraphPackOutput } from '../../../operations/graph/graph-pack.ts';
import type { PackOutput } from '../../../operations/packs/pack.ts';
import { jsonText } from './fence.ts';
import type { ModelResult, OperationResult } from './model-result.ts';
import { unknownLines, warningLines } from './warnings.ts';

type PackedOutput = PackOutput | GraphIndexOutput | GraphPackOutput;

/**
 * A text within a budget of tokens. It has the citations of what is in it, and is fenced already. The result has no duration, so that
 * prompt caches stay valid.
 */
export const packResult: OperationResult = {
  resultOf: packedResult,
  types: { text: 'string', receipt: 'object' },
};

function packedResult(output: PackedOutput): ModelResult {
  const { text, empty, receipt } = output;
  return {
    summary: [...gapsOf(output), ...(empty === null ? [] : [`Nothing to show: ${empty}.`])],
    fields: { text: empty === null ? text : null, receipt },
    text: [
      ...(empty === null ? [text] : []),
      ...(receipt === null ? [] : [`Receipt: ${jsonText(receipt)}`]),
    ].join('\n'),
    writtenBy: 'fenced',
  };
}

/** What the text would have with everything that was asked for. */
function gapsOf(output: PackedOutput): string[] {
  const unknown = 'unknown' in output ? output.unknown : [];
  return [...warningLines(output), ...unknownLines(unknown)];
}
