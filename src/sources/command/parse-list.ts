import { JSONParser, TokenType } from '@streamparser/json';
import { LociError } from '../../core/errors.ts';
import { MOST_LEVELS, type PrintedValue, assertDocumentLimit } from './printed.ts';

/** Names, numbers, brackets and commas of one value: what a document needs is a small part of it. */
const MOST_TOKENS = 200_000;
const STRING_BYTES = 65_536;
const NUMBER_BYTES = 1024;

/**
 * The values of a JSON array, or of the list at the path `items` (`data.tasks`) within a JSON value, as they come.
 * @throws LociError `source_failed` for a broken or cut off list, for none at that path, or one that is too large;
 *   `invalid_config` for a path that is none
 */
export async function* parseList(
  texts: AsyncIterable<string>,
  items: string | undefined,
): AsyncGenerator<PrintedValue> {
  const list = new ListParser(items);
  let index = 0;
  for await (const text of texts) for (const value of list.write(text)) yield { index: ++index, value };
  list.end();
}

class ListParser {
  readonly #items: string | undefined;
  readonly #parser: JSONParser;
  /** Levels that are open where the list's values stand. */
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
    this.#parser = new JSONParser({
      paths: items === undefined ? ['$.*'] : [list, `${list}.*`],
      keepStack: false,
      stringBufferSize: STRING_BYTES,
      numberBufferSize: NUMBER_BYTES,
    });
    this.#parser.onToken = ({ token }) => this.#measure(token);
    this.#parser.onValue = ({ value, stack, parent }) => {
      if (stack.length < this.#listLevel) this.#seeList(value);
      else this.#take(value, parent);
    };
  }

  /** The values that end with this piece of the text. */
  write(text: string): unknown[] {
    this.#values = [];
    try {
      this.#parser.write(text);
    } catch (error) {
      if (error instanceof LociError) throw error;
      const where = this.#parser.isEnded ? 'behind its end' : `at document ${String(this.#count + 1)}`;
      throw failed(`the output is no valid JSON ${where}`, error);
    }
    return this.#values;
  }

  end(): void {
    if (!this.#parser.isEnded) {
      const within = this.#level > this.#listLevel;
      throw failed(
        within
          ? `the output ends within document ${String(this.#count + 1)}`
          : `the output ends before its list does, after document ${String(this.#count)}`,
      );
    }
    if (!this.#found) throw failed(`the output has no list at \`${this.#items ?? ''}\``);
  }

  #measure(token: TokenType): void {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#level++;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#level--;
    this.#tokens = this.#level <= this.#listLevel ? 0 : this.#tokens + 1;
    const document = String(this.#count + 1);
    if (this.#level > this.#listLevel + MOST_LEVELS)
      throw failed(`document ${document} is nested deeper than ${String(MOST_LEVELS)} levels`);
    if (this.#tokens > MOST_TOKENS)
      throw failed(`document ${document}, or what stands beside it, is too large`);
  }

  #seeList(value: unknown): void {
    if (!Array.isArray(value)) throw failed(`\`${this.#items ?? ''}\` is no list in the output`);
    this.#found = true;
  }

  #take(value: unknown, parent: unknown): void {
    if (!Array.isArray(parent)) return;
    // With `items` the parser keeps the list, since the list is asked for too.
    if (this.#items !== undefined) parent.pop();
    assertDocumentLimit(++this.#count);
    this.#values.push(value);
  }
}

function pathOf(items: string | undefined): string[] {
  if (items === undefined) return ['$'];
  const steps = items.trim().split('.');
  if (steps.includes('') || steps.includes('*'))
    throw new LociError('invalid_config', `map.items is no path: ${items}`, {
      hint: 'Write names with dots between them, such as `data.tasks`.',
    });
  return ['$', ...steps];
}

function failed(message: string, cause?: unknown): LociError {
  return new LociError('source_failed', message, cause === undefined ? {} : { cause });
}
