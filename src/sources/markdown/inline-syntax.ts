import type { MarkdownIt, StateInline } from 'markdown-it';
import {
  linkText,
  scanLinks,
  scanWikilink,
  type Link,
  type References,
  type ScannedLink,
} from './scan-links.ts';

/** The links and tags that the rules found, in order. markdown-it passes it as `env.findings`. */
export interface InlineFindings {
  readonly links: Link[];
  /** Without `#`. */
  readonly tags: string[];
}

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
    const char = state.src[state.pos];
    const found = char === '[' || char === '!' ? linksOf(state).get(state.pos) : undefined;
    if (found === undefined) return false;
    findings(state).links.push(...(found.link === null ? [] : [found.link]), ...found.images);
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

/** The links of the text of a state by their beginning. They are found at once, which takes time in proportion to its length. */
function linksOf(state: StateInline): ReadonlyMap<number, ScannedLink> {
  const cached = linksByState.get(state);
  if (cached !== undefined) return cached;
  const links = scanLinks(state.src, state.env['linkReferences'] as References | undefined);
  const byStart = new Map(links.map((found) => [found.start, found]));
  linksByState.set(state, byStart);
  return byStart;
}

const linksByState = new WeakMap<StateInline, ReadonlyMap<number, ScannedLink>>();

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

/** The tag that begins at `pos`, without `#`. A tag consists of letters, digits, emoji, `_`, `-` and `/`, but is not a number. */
function scanTag(src: string, pos: number): string | null {
  if (src[pos] !== '#' || (pos > 0 && !BEFORE_TAG.test(src[pos - 1]!))) return null;
  TAG.lastIndex = pos;
  const tag = TAG.exec(src)?.[1];
  return tag !== undefined && TAG_WORD.test(tag) ? tag : null;
}
