import type { MarkdownIt, StateBlock } from 'markdown-it';

/** The token type of a comment that fills whole lines: `%% … %%`. */
export const COMMENT_BLOCK = 'obsidian_comment';

const PERCENT = 0x25;

/**
 * A markdown-it plugin for Obsidian's block comments: from `%%` at the beginning of a line to the next `%%`, if that ends a
 * line. An unclosed comment stays text, because Obsidian hides the rest of the note and a memory must not lose it. A comment
 * with text before or after it on its lines stays text, too.
 */
export function commentBlocks(md: MarkdownIt): void {
  md.block.ruler.before('fence', COMMENT_BLOCK, commentBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function commentBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start) !== PERCENT || state.src.charCodeAt(start + 1) !== PERCENT) return false;
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const close = state.src.indexOf('%%', start + 2);
  if (close < 0) return false;
  const line = lineAt(state, close, startLine, endLine);
  if (line === null || state.src.slice(close + 2, state.eMarks[line]).trim() !== '') return false;
  if (silent) return true;
  const token = state.push(COMMENT_BLOCK, '', 0);
  token.map = [startLine, line + 1];
  token.hidden = true;
  state.line = line + 1;
  return true;
}

/** The line of an offset, or `null` if the offset is after the lines of the block. */
function lineAt(state: StateBlock, offset: number, startLine: number, endLine: number): number | null {
  if (offset >= state.eMarks[endLine - 1]!) return null;
  let low = startLine;
  let high = endLine - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offset <= state.eMarks[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}
