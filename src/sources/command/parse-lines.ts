import { LociError } from '../../core/errors.ts';
import { isJsonMap, parseExact, textExceedsDepth } from '../../core/json.ts';
import { MAX_NESTING, type OutputValue, assertDocumentLimit } from '../documents/output-value.ts';

/** The largest valid document has about 700,000 characters, if every one of them is escaped. */
const MAX_LINE_LENGTH = 1_000_000;
const INVALID_JSON = 'the line is not valid JSON';
const FORMAT_HINT =
  'Print one document on each line (`jq -c`), or a JSON array. If the list is within an object, set `map.items` to its path.';

/**
 * Parses JSON Lines: a value on each line that is not blank. A bad line is a problem of that document only.
 * @throws LociError `source_failed` when the last line is cut off, when no line holds an object, or for too many lines
 */
export async function* parseLines(texts: AsyncIterable<string>): AsyncGenerator<OutputValue> {
  let index = 0;
  let objects = 0;
  let firstFault = 'it should be an object';
  for await (const { line, ended } of linesOf(texts)) {
    assertDocumentLimit(++index);
    const printed = readLine(line, index);
    if ('value' in printed && isJsonMap(printed.value)) objects++;
    // The last line may lack a line break if it is valid JSON.
    else if (!ended && objects > 0 && 'problem' in printed && printed.problem === INVALID_JSON)
      throw new LociError('source_failed', `the output ends within document ${String(index)}`);
    if (index === 1 && 'problem' in printed) firstFault = printed.problem;
    yield printed;
  }
  if (objects > 0) return;
  throw new LociError('source_failed', `no line of the output is a document; the first line: ${firstFault}`, {
    hint: FORMAT_HINT,
  });
}

interface Line {
  readonly line: string;
  /** Whether a line break follows. */
  readonly ended: boolean;
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = '';
  for await (const text of texts) {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      line += text.slice(start, end);
      if (line.trim() !== '') yield { line, ended: true };
      line = '';
      start = end + 1;
    }
    // Of a line that is too long, no more is buffered than shows that.
    if (line.length <= MAX_LINE_LENGTH) line += text.slice(start);
  }
  if (line.trim() !== '') yield { line, ended: false };
}

function readLine(line: string, index: number): OutputValue {
  if (line.length > MAX_LINE_LENGTH)
    return { index, problem: `the line has more than ${String(MAX_LINE_LENGTH)} characters` };
  if (textExceedsDepth(MAX_NESTING, line))
    return { index, problem: `it is nested deeper than ${String(MAX_NESTING)} levels` };
  try {
    return { index, value: parseExact(line) };
  } catch {
    return { index, problem: INVALID_JSON };
  }
}
