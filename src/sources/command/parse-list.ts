import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { LociError } from '../../core/errors.ts';
import { exactNumber } from '../../core/json.ts';
import { MAX_NESTING, type OutputValue, assertDocumentLimit } from '../documents/output-value.ts';

/** Names, numbers, brackets and commas of one value. A valid document has far fewer. */
const MAX_TOKENS = 200_000;
const STRING_BUFFER_BYTES = 65_536;
const NUMBER_BUFFER_BYTES = 1024;

/**
 * Parses a JSON array, or the list at the path `items` (`data.tasks`) within a JSON value, while it arrives.
 * @throws LociError `source_failed` for a list that is invalid, cut off, too large, or not at that path; `invalid_config` for a bad
 *   path
 */
export async function* parseList(
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
