import { ERROR_TABLE, LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type { DocumentProblem, FetchResult } from '../../../sources/document.ts';
import type { SourceProblem } from '../../../sources/source.ts';
import type { ConfiguredSource } from '../configured/configured-sources.ts';

/** A failure with the id of the source in its hint and the working folder of the command, which often explain it. */
export function failureOfSource(error: unknown, { id }: ConfiguredSource, cwd?: string): unknown {
  if (!(error instanceof LociError) || error.code !== 'source_failed') return error;
  const { message, hint } = error;
  return new LociError(
    'source_failed',
    cwd === undefined || message.includes(cwd) ? message : `${message} (in ${cwd})`,
    { hint: hint === ERROR_TABLE.source_failed.hint ? testHint(id) : hint, cause: error },
  );
}

function testHint(id: string): string {
  return `\`loci sources test ${id}\` runs it once and shows its output.`;
}

const MAX_PROBLEM_LENGTH = 300;

export function formatProblem(problem: DocumentProblem): string {
  return shortened(problemText(problem));
}

export function problemText({ index, id, detail }: DocumentProblem): string {
  if (index === null) return detail;
  const document = id === null ? `document ${String(index)}` : `document ${String(index)} (${id})`;
  return `${document}: ${detail}`;
}

export function formatNoteProblem({ key, detail }: SourceProblem): string {
  return shortened(`${key}: ${detail}`);
}

export function shortened(problem: string): string {
  return problem.length > MAX_PROBLEM_LENGTH
    ? `${problem.slice(0, MAX_PROBLEM_LENGTH - 1).toWellFormed()}…`
    : problem;
}

export function noUsableDocument(
  { id, kind }: ConfiguredSource,
  { printed, problems: [first] }: FetchResult,
): LociError {
  const reason = first === undefined ? '' : `: ${formatProblem(first)}`;
  return new LociError(
    'source_failed',
    `none of the ${formatCount(printed, 'document')} of ${id} can be used${reason}`,
    {
      hint:
        kind === 'code'
          ? 'docs/sources.md lists the fields of a document.'
          : 'For JSON that was not made for Loci, `map` says where the fields are, and `map.items` where the list is.',
    },
  );
}
