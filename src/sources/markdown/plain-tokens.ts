import type { MarkdownIt, StateBlock, Token } from 'markdown-it';

/** What to do with the block tokens of a text while it is parsed. */
export interface BlockTokens {
  /** Whether a token is passed on. It has no content yet. @param previous the last token that is passed on with it */
  readonly keeps: (type: string, previous: Token | undefined) => boolean;
  /** Called with complete tokens, in order. The array is emptied afterwards. */
  readonly take: (tokens: readonly Token[]) => void;
  /** Tokens are passed on with all others of their top-level block, or `singly` as soon as they are complete. */
  readonly by: 'block' | 'singly';
}

/**
 * A markdown-it plugin that makes block tokens plain objects and passes them on during parsing; see `parseBlocks`. markdown-it
 * 15.0 defines each field of a token with `Object.defineProperty`, which takes most of the time of parsing a large note. Plain
 * tokens have no methods.
 */
export function plainBlockTokens(md: MarkdownIt): void {
  md.block.State = class extends md.block.State {
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      const { keeps, take, by } = (this.env as { blockTokens: BlockTokens }).blockTokens;
      const isComplete = by === 'singly' || (this.level === 0 && nesting >= 0);
      if (isComplete && this.tokens.length > 0) {
        take(this.tokens);
        this.tokens.length = 0;
      }
      if (nesting < 0) this.level--;
      const token = {
        type,
        tag,
        nesting,
        level: this.level,
        map: null,
        attrs: null,
        children: null,
        content: '',
        markup: '',
        info: '',
        meta: null,
        block: true,
        hidden: false,
      } as unknown as Token;
      if (nesting > 0) this.level++;
      if (keeps(type, this.tokens.at(-1))) this.tokens.push(token);
      return token;
    }
  };
}

/**
 * Parses the block structure of a text. Its tokens take a hundred times as much memory as a text of single letters, so they
 * do not exist all at once.
 * @param parser with the plugin `plainBlockTokens`
 */
export function parseBlocks(parser: MarkdownIt, text: string, blockTokens: BlockTokens): void {
  const tokens: Token[] = [];
  // A carriage return would prevent a fence from closing. A space keeps offsets and lines the same.
  parser.block.parse(text.replaceAll('\r', ' '), parser, { blockTokens }, tokens);
  if (tokens.length > 0) blockTokens.take(tokens);
}

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
