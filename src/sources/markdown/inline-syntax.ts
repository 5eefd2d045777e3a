import type { MarkdownIt, StateInline } from 'markdown-it';

/** A parsed link: `[[target#heading|alias]]`. */
export interface Link {
  /** The path or name as written; empty for a link within the same note. */
  readonly target: string;
  /** The path of headings as written: `A#B`. */
  readonly heading?: string;
  /** The id of a block, without `^`. */
  readonly block?: string;
  readonly alias?: string;
  readonly embed?: true;
}

/** The links and tags that the rules found, in order. markdown-it passes it as `env.findings`. */
export interface InlineFindings {
  readonly links: Link[];
  /** Without `#`. */
  readonly tags: string[];
}

/** Paths and titles are shorter. The limit also bounds the search for a closing bracket. In UTF-16 units. */
const MAX_LINK_LENGTH = 1000;

const MARKDOWN_LINK =
  /!?\[([^[\]\n]{0,500})\]\((?:<([^<>\n]{1,1000})>|((?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,1000}))(?:[ \t]+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?[ \t]*\)/y;
const URL_SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
const TAG = /#([\p{L}\p{M}\p{N}\p{Extended_Pictographic}\u200D\uFE0F_/-]+)/uy;
/** A tag needs a letter, an emoji, or digits together with another character: `#2024` is a number and `#---` a line. */
const TAG_WORD = /[\p{L}\p{Extended_Pictographic}]|[\p{N}][^\p{N}/]|[^\p{N}/][\p{N}]/u;
/** Characters that may precede a tag. No tag begins in `a#b`, `page#part` or `&#39;`. */
const BEFORE_TAG = /[\s([{"'“‘«>|,;:*_~（【「『，。、；：！？]/;

/**
 * A markdown-it plugin that collects wikilinks, embeds, Markdown links to files and tags in `env.findings`, and makes no
 * tokens. It recognises comments and code in order to skip them. Emphasis and similar rules are disabled, because they are
 * slow for hostile text.
 */
export function collectInline(md: MarkdownIt): void {
  md.inline.ruler.enableOnly(['text', 'escape', 'backticks', 'autolink', 'html_inline']);
  md.inline.ruler2.enableOnly([]);
  md.inline.ruler.before('autolink', 'wikilink', (state) => {
    const found = scanWikilink(state.src, state.pos, state.posMax);
    if (found === null) return false;
    findings(state).links.push(found.link);
    state.pos = found.end;
    return true;
  });
  md.inline.ruler.after('wikilink', 'file_link', (state) => {
    const found = scanMarkdownLink(state.src, state.pos);
    if (found === null) return false;
    if (found.link !== null) findings(state).links.push(found.link);
    state.pos = found.end;
    return true;
  });
  md.inline.ruler.before('autolink', 'comment', passComment);
  md.inline.ruler.before('autolink', 'tag', (state) => {
    const tag = scanTag(state.src, state.pos);
    if (tag === null) return false;
    findings(state).tags.push(tag.replace(/^\/+|\/+$/g, ''));
    state.pos += tag.length + 1;
    return true;
  });
}

/** A markdown-it plugin that shows wikilinks as Obsidian does and hides comments. */
export function showInline(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'wikilink', (state, silent) => {
    const found = scanWikilink(state.src, state.pos, state.posMax);
    if (found === null) return false;
    if (!silent) state.push('text', '', 0).content = linkText(found.link);
    state.pos = found.end;
    return true;
  });
  md.inline.ruler.before('link', 'comment', passComment);
}

function findings(state: StateInline): InlineFindings {
  return state.env['findings'] as InlineFindings;
}

function passComment(state: StateInline): boolean {
  const { src, pos } = state;
  if (!src.startsWith('%%', pos)) return false;
  const close = src.indexOf('%%', pos + 2);
  if (close < 0 || close + 2 > state.posMax) return false;
  state.pos = close + 2;
  return true;
}

/** A link within a text, and the words that a reader sees in its place. */
export interface LinkSpan {
  readonly link: Link;
  readonly shown: string;
  /** Offsets of the whole link in the text: UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The wikilinks, embeds and Markdown links to files in a part of a note, in order; also those in code and comments. */
export function linkSpans(text: string): LinkSpan[] {
  const spans: LinkSpan[] = [];
  LINK_START.lastIndex = 0;
  for (let match; (match = LINK_START.exec(text)) !== null;) {
    const start = match.index;
    const found = scanWikilink(text, start, text.length) ?? scanMarkdownLink(text, start);
    if (found === null) continue;
    if (found.link !== null)
      spans.push({ link: found.link, shown: linkText(found.link), start, end: found.end });
    LINK_START.lastIndex = found.end;
  }
  return spans;
}

const LINK_START = /!?\[/g;

interface Scanned<T> {
  readonly link: T;
  readonly end: number;
}

function scanWikilink(src: string, pos: number, limit: number): Scanned<Link> | null {
  const embed = src[pos] === '!';
  const open = embed ? pos + 1 : pos;
  if (!src.startsWith('[[', open)) return null;
  const close = closingBrackets(src, open + 2, Math.min(limit, open + 2 + MAX_LINK_LENGTH));
  if (close === null) return null;
  const inside = src.slice(open + 2, close);
  const bar = inside.indexOf('|');
  // In a table the bar is escaped: `\|`.
  const path = (bar < 0 ? inside : inside.slice(0, bar)).replace(/\\$/, '');
  const link = makeLink(path, bar < 0 ? '' : inside.slice(bar + 1), embed);
  return link === null ? null : { link, end: close + 2 };
}

/** Offset of the `]]` that closes a wikilink; a line break or another `[[` before it means there is none. */
function closingBrackets(src: string, from: number, limit: number): number | null {
  for (let offset = from; offset + 1 < limit; offset++) {
    const char = src[offset];
    if (char === ']' && src[offset + 1] === ']') return offset;
    if (char === '\n' || (char === '[' && src[offset + 1] === '[')) return null;
  }
  return null;
}

/** Scans `[text](file.md#part)`. The `link` of a link to the web is `null`. */
function scanMarkdownLink(src: string, pos: number): Scanned<Link | null> | null {
  if (src[pos] !== '[' && !src.startsWith('![', pos)) return null;
  MARKDOWN_LINK.lastIndex = pos;
  const match = MARKDOWN_LINK.exec(src);
  if (match === null) return null;
  const url = match[2] ?? match[3] ?? '';
  const link = URL_SCHEME.test(url) ? null : makeLink(decoded(url), match[1] ?? '', src[pos] === '!');
  return { link, end: MARKDOWN_LINK.lastIndex };
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Parses the path of a link. A heading follows the first `#`, and a block id follows `#^`. Returns `null` for an empty path. */
function makeLink(path: string, aliasText: string, embed: boolean): Link | null {
  const hash = path.indexOf('#');
  const target = (hash < 0 ? path : path.slice(0, hash)).trim();
  const anchor = hash < 0 ? '' : path.slice(hash + 1).trim();
  const alias = aliasText.trim();
  if (target === '' && (anchor === '' || anchor === '^')) return null;
  return {
    target,
    ...(anchor !== '' && !anchor.startsWith('^') && { heading: anchor }),
    ...(anchor.length > 1 && anchor.startsWith('^') && { block: anchor.slice(1) }),
    ...(alias !== '' && { alias }),
    ...(embed && { embed }),
  };
}

/** The text that Obsidian shows for a link: its alias, or else `Note > Heading`. */
function linkText({ alias, target, heading, block }: Link): string {
  const anchor = heading ?? (block === undefined ? undefined : `^${block}`);
  return alias ?? [target, anchor].filter((part) => part !== undefined && part !== '').join(' > ');
}

/** The tag that begins at `pos`, without `#`. A tag consists of letters, digits, emoji, `_`, `-` and `/`, but is not a number. */
function scanTag(src: string, pos: number): string | null {
  if (src[pos] !== '#' || (pos > 0 && !BEFORE_TAG.test(src[pos - 1]!))) return null;
  TAG.lastIndex = pos;
  const tag = TAG.exec(src)?.[1];
  return tag !== undefined && TAG_WORD.test(tag) ? tag : null;
}
