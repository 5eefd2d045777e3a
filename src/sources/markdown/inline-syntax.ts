import type { MarkdownIt, StateInline } from 'markdown-it';

/** What `[[target#heading|alias]]` says. */
export interface Link {
  /** Path or name as written; empty for a place in the same note. */
  readonly target: string;
  /** Headings below each other as written: `A#B`. */
  readonly heading?: string;
  /** A block's id, without `^`. */
  readonly block?: string;
  readonly alias?: string;
  readonly embed?: true;
}

/** What the rules found, in order; given to markdown-it as `env.findings`. */
export interface InlineFindings {
  readonly links: Link[];
  /** Without `#`. */
  readonly tags: string[];
}

/** No path and title is longer; it also bounds the search for a closing bracket. In UTF-16 units. */
const MAX_LINK_LENGTH = 1000;

const MARKDOWN_LINK =
  /!?\[([^[\]\n]{0,500})\]\((?:<([^<>\n]{1,1000})>|((?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,1000}))(?:[ \t]+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?[ \t]*\)/y;
const URL_SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
const TAG = /#([\p{L}\p{M}\p{N}\p{Extended_Pictographic}\u200D\uFE0F_/-]+)/uy;
/** `#2024` is a number and `#---` a line; a tag holds something to say. */
const TAG_WORD = /[\p{L}\p{Extended_Pictographic}]|[\p{N}][^\p{N}/]|[^\p{N}/][\p{N}]/u;
/** In code `a#b`, `page#part` and `&#39;` no tag begins. */
const BEFORE_TAG = /[\s([{"'“‘«>|,;:*_~（【「『，。、；：！？]/;

/**
 * A markdown-it plugin that leaves nothing but what names other notes: wikilinks, embeds, Markdown links to
 * files, tags, and comments and code so as to pass over them. The findings go to `env.findings`; there are no tokens.
 * Emphasis and the like are off, whose rules are the ones that garbage makes slow.
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

/** A markdown-it plugin: wikilinks as text that reads like Obsidian shows it, and comments as nothing. */
export function showInline(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'wikilink', (state, silent) => {
    const found = scanWikilink(state.src, state.pos, state.posMax);
    if (found === null) return false;
    if (!silent) state.push('text', '', 0).content = shown(found.link);
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
  // In a table the bar is written `\|`.
  const path = (bar < 0 ? inside : inside.slice(0, bar)).replace(/\\$/, '');
  const link = makeLink(path, bar < 0 ? '' : inside.slice(bar + 1), embed);
  return link === null ? null : { link, end: close + 2 };
}

/** Offset of the `]]` that closes a wikilink; a line break or another `[[` before it means there is none. */
function closingBrackets(src: string, from: number, limit: number): number | null {
  for (let at = from; at + 1 < limit; at++) {
    const char = src[at];
    if (char === ']' && src[at + 1] === ']') return at;
    if (char === '\n' || (char === '[' && src[at + 1] === '[')) return null;
  }
  return null;
}

/** `[text](file.md#part)`; of a link to the web, `link` is `null`. */
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

/** The place within a note follows the first `#`; `#^id` names a block. `null` for a link to nowhere. */
function makeLink(path: string, aliasText: string, embed: boolean): Link | null {
  const hash = path.indexOf('#');
  const target = (hash < 0 ? path : path.slice(0, hash)).trim();
  const place = hash < 0 ? '' : path.slice(hash + 1).trim();
  const alias = aliasText.trim();
  if (target === '' && (place === '' || place === '^')) return null;
  return {
    target,
    ...(place !== '' && !place.startsWith('^') && { heading: place }),
    ...(place.length > 1 && place.startsWith('^') && { block: place.slice(1) }),
    ...(alias !== '' && { alias }),
    ...(embed && { embed }),
  };
}

/** What Obsidian shows for a link: its alias, else `Note > Heading`. */
function shown({ alias, target, heading, block }: Link): string {
  const place = heading ?? (block === undefined ? undefined : `^${block}`);
  return alias ?? [target, place].filter((part) => part !== undefined && part !== '').join(' > ');
}

/** The tag that begins at `pos`, without `#`: letters, digits, emoji, `_`, `-`, `/`, and not a number alone. */
function scanTag(src: string, pos: number): string | null {
  if (src[pos] !== '#' || (pos > 0 && !BEFORE_TAG.test(src[pos - 1]!))) return null;
  TAG.lastIndex = pos;
  const tag = TAG.exec(src)?.[1];
  return tag !== undefined && TAG_WORD.test(tag) ? tag : null;
}
