import { LociError } from '../../core/errors.ts';

/** So many tokens, such as those of a list of 375,000 single letters, fit into the memory of a thread (`TaskThread`). */
const MAX_TOKENS = 3_000_000;
/** A line of a list has tokens for the item, the paragraph and the text; a table has them for the row and for each cell. */
const TOKENS_PER_LINE = 5;
const TOKENS_PER_ROW = 2;
const TOKENS_PER_CELL = 3;
/** An item of a list has tokens for the item and its paragraph, and a nested one for its list too; each becomes a block. */
const TOKENS_PER_NESTING = 8;

/**
 * Refuses a note that would exhaust the memory: megabytes of single letters become gigabytes of tokens, and a thread that
 * runs out of memory may end the process. Notes that people write are far below the limit.
 * @throws LociError `unreadable`
 */
export function assertParseable(content: string): void {
  const lines = count(content, '\n');
  const cells = count(content, '|');
  const nested = countNesting(content);
  const tokens = Math.max(
    TOKENS_PER_LINE * lines,
    TOKENS_PER_ROW * lines + TOKENS_PER_CELL * cells,
    TOKENS_PER_NESTING * nested,
  );
  if (tokens <= MAX_TOKENS) return;
  const reason = `it has ${String(lines)} lines, ${String(cells)} table cells and ${String(nested)} quotes and list items`;
  throw new LociError('unreadable', `${reason}, which is too many to parse`);
}

/** Counts the marks of quotes and lists before the text of each line. */
function countNesting(content: string): number {
  let marks = 0;
  let leading = true;
  for (let offset = 0; offset < content.length; offset++) {
    const code = content.charCodeAt(offset);
    if (code === NEWLINE) leading = true;
    else if (leading && code !== SPACE && code !== TAB) {
      if (MARKS.has(code)) marks++;
      else leading = false;
    }
  }
  return marks;
}

const [NEWLINE, SPACE, TAB] = [0x0a, 0x20, 0x09];
/** `>`, `-`, `+` and `*`. */
const MARKS: ReadonlySet<number> = new Set([0x3e, 0x2d, 0x2b, 0x2a]);

function count(content: string, character: string): number {
  let found = 0;
  for (let offset = content.indexOf(character); offset >= 0; offset = content.indexOf(character, offset + 1))
    found++;
  return found;
}
