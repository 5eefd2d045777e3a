import type { MarkdownIt, Token } from 'markdown-it';

/**
 * A markdown-it plugin that makes block tokens plain objects. markdown-it 15.0 defines each field of a token with
 * `Object.defineProperty`, which takes most of the time of parsing a large note. Plain tokens have no methods.
 */
export function plainBlockTokens(md: MarkdownIt): void {
  md.block.State = class extends md.block.State {
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
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
      this.tokens.push(token);
      return token;
    }
  };
}
