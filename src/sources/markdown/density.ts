import { LociError } from '../../core/errors.ts';

/** Tokens of Markdown that fit into a thread's memory twice: a list of 600,000 single letters. */
const MAX_TOKENS = 3_000_000;
/** Of a list's line: item, paragraph and text. Of a table's: the row, and each cell with its text. */
const TOKENS_A_LINE = 5;
const TOKENS_A_ROW = 2;
const TOKENS_A_CELL = 3;
/** Of a quote within a quote, or a list within a list: opened and closed, the list and its item. */
const TOKENS_A_NESTING = 4;

/**
 * Megabytes of single letters become gigabytes of tokens, and a thread that runs out of memory may take the process
 * with it. No note that anyone reads comes near.
 * @throws LociError `unreadable`
 */
export function assertParseable(content: string): void {
  const lines = count(content, '\n');
  const cells = count(content, '|');
  const nested = countNesting(content);
  const tokens = Math.max(
    TOKENS_A_LINE * lines,
    TOKENS_A_ROW * lines + TOKENS_A_CELL * cells,
    TOKENS_A_NESTING * nested,
  );
  if (tokens <= MAX_TOKENS) return;
  const what = `it has ${String(lines)} lines, ${String(cells)} table cells and ${String(nested)} quotes and list items`;
  throw new LociError('unreadable', `${what}, too many to be taken apart`);
}

/** Marks of quotes and lists before the text of each line. */
function countNesting(content: string): number {
  let found = 0;
  let leading = true;
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at);
    if (code === NEWLINE) leading = true;
    else if (leading && code !== SPACE && code !== TAB) {
      if (MARKS.has(code)) found++;
      else leading = false;
    }
  }
  return found;
}

const [NEWLINE, SPACE, TAB] = [0x0a, 0x20, 0x09];
/** `>`, `-`, `+` and `*`. */
const MARKS: ReadonlySet<number> = new Set([0x3e, 0x2d, 0x2b, 0x2a]);

function count(content: string, character: string): number {
  let found = 0;
  for (let at = content.indexOf(character); at >= 0; at = content.indexOf(character, at + 1)) found++;
  return found;
}
