import type { MarkdownIt, StateInline } from 'markdown-it';

/** Token types of what Obsidian adds to Markdown's inline syntax. */
export const WIKILINK = 'wikilink';
export const INLINE_COMMENT = 'inline_comment';

/** The inside of `[[target#heading|alias]]`, parsed; `token.meta` of a `wikilink` token. */
export interface WikilinkParts {
  readonly target: string;
  readonly heading: string | null;
  readonly block: string | null;
  readonly alias: string | null;
  readonly embed: boolean;
}

/** No path and title is longer; it also bounds the search for a closing `]]`. In UTF-16 units. */
const MAX_WIKILINK_LENGTH = 1000;

const BRACKET = 0x5b;
const BANG = 0x21;
const PERCENT = 0x25;

/** A markdown-it plugin: `[[wikilinks]]`, `![[embeds]]` and `%% comments %%` as inline rules, so code is left alone. */
export function inlineSyntax(md: MarkdownIt): void {
  md.inline.ruler.before('link', WIKILINK, wikilink);
  md.inline.ruler.before('link', INLINE_COMMENT, inlineComment);
}

/**
 * Splits the inside of a wikilink. The alias follows the first `|` (`\|` within tables), the place within the
 * note follows the first `#`; `#^id` names a block, and of nested headings (`#A#B`) the path is kept as written.
 */
export function parseWikilink(inside: string, embed: boolean): WikilinkParts {
  const bar = inside.indexOf('|');
  const link = (bar < 0 ? inside : inside.slice(0, bar)).replace(/\\$/, '');
  const alias = bar < 0 ? '' : inside.slice(bar + 1).trim();
  const hash = link.indexOf('#');
  const place = hash < 0 ? '' : link.slice(hash + 1).trim();
  const block = place.startsWith('^') ? place.slice(1) : null;
  return {
    target: (hash < 0 ? link : link.slice(0, hash)).trim(),
    heading: block === null && place !== '' ? place : null,
    block: block === '' ? null : block,
    alias: alias === '' ? null : alias,
    embed,
  };
}

function wikilink(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const embed = src.charCodeAt(pos) === BANG;
  const open = embed ? pos + 1 : pos;
  if (src.charCodeAt(open) !== BRACKET || src.charCodeAt(open + 1) !== BRACKET) return false;
  const close = closingBrackets(src, open + 2, Math.min(state.posMax, open + 2 + MAX_WIKILINK_LENGTH));
  if (close < 0) return false;
  const parts = parseWikilink(src.slice(open + 2, close), embed);
  if (parts.target === '' && parts.heading === null && parts.block === null) return false;
  if (!silent) {
    const token = state.push(WIKILINK, '', 0);
    token.meta = { ...parts };
    token.content = parts.alias ?? wikilinkText(parts);
  }
  state.pos = close + 2;
  return true;
}

/** What Obsidian shows for a link without an alias: `Note > Heading`. */
function wikilinkText(parts: WikilinkParts): string {
  const place = parts.heading ?? (parts.block === null ? null : `^${parts.block}`);
  return [parts.target, place].filter((part) => part !== null && part !== '').join(' > ');
}

/** Offset of the `]]` that closes a wikilink; a line break or another `[[` before it means there is none. */
function closingBrackets(src: string, from: number, limit: number): number {
  for (let at = from; at + 1 < limit; at++) {
    const char = src[at];
    if (char === ']' && src[at + 1] === ']') return at;
    if (char === '\n' || (char === '[' && src[at + 1] === '[')) return -1;
  }
  return -1;
}

function inlineComment(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== PERCENT || src.charCodeAt(pos + 1) !== PERCENT) return false;
  const close = src.indexOf('%%', pos + 2);
  if (close < 0 || close + 2 > state.posMax) return false;
  if (!silent) state.push(INLINE_COMMENT, '', 0);
  state.pos = close + 2;
  return true;
}
