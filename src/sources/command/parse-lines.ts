import { LociError } from '../../core/errors.ts';
import { MOST_LEVELS, type PrintedValue, assertDocumentLimit } from './printed.ts';

/** Characters of a line. A document that fits has some 700,000 at most, every one of them escaped. */
const MOST_CHARACTERS = 1_000_000;
const NO_JSON = 'the line is no valid JSON';
const ONE_A_LINE =
  'Print one document on each line (`jq -c`), or a JSON array; where the list stands within an object, name it with `map.items`.';

/**
 * JSON Lines: a value on each line, blank lines apart. A bad line is a problem of that document alone.
 * @throws LociError `source_failed` when the last line is cut off, when no line holds an object, or for too many lines
 */
export async function* parseLines(texts: AsyncIterable<string>): AsyncGenerator<PrintedValue> {
  let index = 0;
  let objects = 0;
  let firstFault = 'it should be an object';
  for await (const { line, ended } of linesOf(texts)) {
    assertDocumentLimit(++index);
    const printed = readLine(line, index);
    if ('value' in printed && isObject(printed.value)) objects++;
    // Of a program that was at its end, a line is whole without an end of its own.
    else if (!ended && objects > 0 && 'problem' in printed && printed.problem === NO_JSON)
      throw new LociError('source_failed', `the output ends within document ${String(index)}`);
    if (index === 1 && 'problem' in printed) firstFault = printed.problem;
    yield printed;
  }
  if (objects > 0) return;
  throw new LociError('source_failed', `no line of the output is a document; the first: ${firstFault}`, {
    hint: ONE_A_LINE,
  });
}

interface Line {
  readonly line: string;
  /** Whether an end of a line stands behind it. */
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
    // Of a line that is too long no more is kept than tells that it is.
    if (line.length <= MOST_CHARACTERS) line += text.slice(start);
  }
  if (line.trim() !== '') yield { line, ended: false };
}

function readLine(line: string, index: number): PrintedValue {
  if (line.length > MOST_CHARACTERS)
    return { index, problem: `the line has more than ${String(MOST_CHARACTERS)} characters` };
  if (isDeeperThan(MOST_LEVELS, line))
    return { index, problem: `it is nested deeper than ${String(MOST_LEVELS)} levels` };
  try {
    return { index, value: JSON.parse(line) as unknown };
  } catch {
    return { index, problem: NO_JSON };
  }
}

/** Told from the text: to parse a million brackets takes long. */
function isDeeperThan(levels: number, json: string): boolean {
  let level = 0;
  for (let at = 0; at < json.length && level <= levels; at++) {
    const char = json[at];
    if (char === '[' || char === '{') level++;
    else if (char === ']' || char === '}') level--;
    else if (char === '"') at = endOfString(json, at);
  }
  return level > levels;
}

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
