import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { LociError } from '../../core/errors.ts';
import { exactNumber, isJsonMap, parseExact, textExceedsDepth } from '../../core/json.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import { assertDocumentLimit, MAX_NESTING, type OutputValue } from '../documents/collect-documents.ts';
import { quotedExcerpt } from './run/command-output.ts';

/** Characters of invalid output that an error quotes. */
const MAX_QUOTED_LENGTH = 60;
/** Characters that are parsed at a time, which takes a few milliseconds even if all of them are escapes. */
const SLICE_LENGTH = 4096;

/**
 * Parses the output of a command while it arrives: the items of a JSON array, the lines of JSON Lines, or with `items` the list at
 * that path within one JSON value. The output is UTF-8, with or without a byte order mark.
 * @throws LociError `source_failed` for output that is neither, is cut off, or has too many documents; `invalid_config` for a bad
 *   path
 */
export async function* parseDocuments(
  output: AsyncIterable<Uint8Array>,
  items?: string,
): AsyncGenerator<OutputValue> {
  const texts = decode(output);
  const beginning = await readBeginning(texts);
  const all = slices(beginning, texts);
  if (!beginning.startsWith('[') && !beginning.startsWith('{'))
    throw new LociError(
      'source_failed',
      `the output is not JSON: it begins with ${quotedExcerpt(beginning, MAX_QUOTED_LENGTH)}`,
      { hint: 'The command must print a JSON array of documents, or one document on each line.' },
    );
  if (items !== undefined || beginning.startsWith('[')) yield* parseList(all, items);
  else yield* parseLines(all);
}

/** The output from the first character that is not blank, long enough to be quoted if it is not JSON. */
async function readBeginning(texts: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) {
    beginning = (beginning + next.value).trimStart();
    if (/^[[{]/.test(beginning) || beginning.length >= MAX_QUOTED_LENGTH) return beginning;
  }
  if (beginning !== '') return beginning;
  throw new LociError('source_failed', 'the command printed nothing; an empty list is printed as []');
}

async function* slices(beginning: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  const yieldIfBusy = eventLoopYielder();
  for (let text = beginning; ;) {
    for (let offset = 0; offset < text.length;) {
      const end = endOfSlice(text, offset);
      yield text.slice(offset, end);
      offset = end;
      await yieldIfBusy();
    }
    const next = await texts.next();
    if (next.done === true) return;
    text = next.value;
  }
}

/** Does not split a surrogate pair. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

async function* decode(output: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new LociError('source_failed', 'the output is not UTF-8', { cause });
    }
  };
  for await (const bytes of output) {
    const text = decoded(bytes);
    if (text !== '') yield text;
  }
  decoded();
}

/** The largest valid document has about 700,000 characters, if every one of them is escaped. */
const MAX_LINE_LENGTH = 1_000_000;
const INVALID_JSON = 'the line is not valid JSON';
const FORMAT_HINT =
  'Print one document on each line (`jq -c`), or a JSON array. If the list is within an object, set `map.items` to its path.';

/**
 * Parses JSON Lines: a value on each line that is not blank. A bad line is a problem of that document only.
 * @throws LociError `source_failed` when the last line is cut off, when no line holds an object, or for too many lines
 */
async function* parseLines(texts: AsyncIterable<string>): AsyncGenerator<OutputValue> {
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

/** Names, numbers, brackets and commas of one value. A valid document has far fewer. */
const MAX_TOKENS = 200_000;
const STRING_BUFFER_BYTES = 65_536;
const NUMBER_BUFFER_BYTES = 1024;

/**
 * Parses a JSON array, or the list at the path `items` (`data.tasks`) within a JSON value, while it arrives.
 * @throws LociError `source_failed` for a list that is invalid, cut off, too large, or not at that path; `invalid_config` for a bad
 *   path
 */
async function* parseList(
  texts: AsyncIterable<string>,
  items: string | undefined,
): AsyncGenerator<OutputValue> {
  const list = new ListParser(items);
  let index = 0;
  for await (const text of texts) for (const value of list.write(text)) yield { index: ++index, value };
  list.end();
}

class ExactTokenizer extends Tokenizer {
  /** The parser of values takes any. */
  protected override parseNumber(text: string): number {
    return exactNumber(text) as number;
  }
}

class ListParser {
  readonly #items: string | undefined;
  readonly #tokenizer: Tokenizer;
  readonly #parser: TokenParser;
  /** Nesting depth of the list. */
  readonly #listLevel: number;
  #level = 0;
  #tokens = 0;
  #count = 0;
  #found: boolean;
  #values: unknown[] = [];

  constructor(items: string | undefined) {
    const path = pathOf(items);
    this.#items = items;
    this.#found = items === undefined;
    this.#listLevel = path.length;
    const list = path.join('.');
    const paths = items === undefined ? ['$.*'] : [list, `${list}.*`];
    this.#parser = new TokenParser({ paths, keepStack: false });
    this.#tokenizer = new ExactTokenizer({
      stringBufferSize: STRING_BUFFER_BYTES,
      numberBufferSize: NUMBER_BUFFER_BYTES,
    });
    this.#tokenizer.onToken = (parsed) => {
      this.#measure(parsed.token);
      this.#parser.write(parsed);
    };
    this.#tokenizer.onEnd = () => {
      if (!this.#parser.isEnded) this.#parser.end();
    };
    this.#parser.onError = (error) => this.#tokenizer.error(error);
    this.#parser.onEnd = () => {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end();
    };
    this.#parser.onValue = ({ value, stack, parent }) => {
      if (stack.length < this.#listLevel) this.#checkList(value);
      else this.#addValue(value, parent);
    };
  }

  /** The values that are complete after this piece of text. */
  write(text: string): unknown[] {
    this.#values = [];
    try {
      this.#tokenizer.write(text);
    } catch (error) {
      if (error instanceof LociError) throw error;
      const where = this.#isEnded ? 'after its end' : `at document ${String(this.#count + 1)}`;
      throw failure(`the output is not valid JSON ${where}`, error);
    }
    return this.#values;
  }

  end(): void {
    if (!this.#isEnded) {
      const isWithinDocument = this.#level > this.#listLevel;
      throw failure(
        isWithinDocument
          ? `the output ends within document ${String(this.#count + 1)}`
          : `the output ends before its list does, after document ${String(this.#count)}`,
      );
    }
    if (!this.#found) throw failure(`the output has no list at \`${this.#items ?? ''}\``);
  }

  get #isEnded(): boolean {
    return this.#tokenizer.isEnded && this.#parser.isEnded;
  }

  #measure(token: TokenType): void {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#level++;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#level--;
    this.#tokens = this.#level <= this.#listLevel ? 0 : this.#tokens + 1;
    const document = String(this.#count + 1);
    if (this.#level > this.#listLevel + MAX_NESTING)
      throw failure(`document ${document} is nested deeper than ${String(MAX_NESTING)} levels`);
    if (this.#tokens > MAX_TOKENS)
      throw failure(`document ${document}, or the text next to it, is too large`);
  }

  #checkList(value: unknown): void {
    if (!Array.isArray(value)) throw failure(`\`${this.#items ?? ''}\` is not a list in the output`);
    this.#found = true;
  }

  #addValue(value: unknown, parent: unknown): void {
    if (!Array.isArray(parent)) return;
    // With `items`, the parser collects the whole list, because the list itself is one of its paths.
    if (this.#items !== undefined) parent.pop();
    assertDocumentLimit(++this.#count);
    this.#values.push(value);
  }
}

function pathOf(items: string | undefined): string[] {
  if (items === undefined) return ['$'];
  const steps = items.trim().split('.');
  if (steps.includes('') || steps.includes('*'))
    throw new LociError('invalid_config', `map.items is not a path: ${items}`, {
      hint: 'Write names with dots between them, such as `data.tasks`.',
    });
  return ['$', ...steps];
}

function failure(message: string, cause?: unknown): LociError {
  return new LociError('source_failed', message, cause === undefined ? {} : { cause });
}
