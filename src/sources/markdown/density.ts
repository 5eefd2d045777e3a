import { LociError } from '../../core/errors.ts';

/** Tokens of Markdown that fit into a thread's memory twice: a list of 600,000 single letters. */
const MAX_TOKENS = 3_000_000;
/** Of a list's line: item, paragraph and text. Of a table's: the row, and each cell with its text. */
const TOKENS_A_LINE = 5;
const TOKENS_A_ROW = 2;
const TOKENS_A_CELL = 3;

/**
 * Megabytes of single letters become gigabytes of tokens, and a thread that runs out of memory may take the process
 * with it. No note that anyone reads comes near.
 * @throws LociError `unreadable`
 */
export function refuseTooDense(content: string): void {
  const lines = count(content, '\n');
  const cells = count(content, '|');
  const tokens = Math.max(TOKENS_A_LINE * lines, TOKENS_A_ROW * lines + TOKENS_A_CELL * cells);
  if (tokens <= MAX_TOKENS) return;
  const what = `it has ${String(lines)} lines and ${String(cells)} table cells`;
  throw new LociError('unreadable', `${what}, too many to be taken apart`);
}

function count(content: string, character: string): number {
  let found = 0;
  for (let at = content.indexOf(character); at >= 0; at = content.indexOf(character, at + 1)) found++;
  return found;
}
