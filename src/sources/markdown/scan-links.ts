import MarkdownIt from 'markdown-it';
import type { Span } from '../../core/types.ts';

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
  /** The page of a Logseq graph that it means, in the form in which pages are compared. */
  readonly page?: string;
}

/** A link within a text. Offsets are UTF-16 code units, end exclusive. */
export interface ScannedLink extends Span {
  /** `null` for a link to the web. */
  readonly link: Link | null;
  /** The images in its text. */
  readonly images: readonly Link[];
}

/** Targets by the label of their definition, `[label]: target`. */
export type References = ReadonlyMap<string, string>;

/** Paths and titles are shorter. The limit also bounds the search for a closing bracket. In UTF-16 units. */
const MAX_LINK_LENGTH = 1000;
/** The text of a Markdown link that is kept. In UTF-16 units. */
const MAX_ALIAS_LENGTH = 500;
const URL_SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

const { helpers, utils } = new MarkdownIt();

/**
 * The wikilinks, embeds and Markdown links of a text, by their ends. As in CommonMark, code and HTML take precedence, the text of a link
 * may have brackets but no other link, and what markdown-it reads as its target and title counts. markdown-it's own rule for links is not
 * used, because it follows up to a hundred nested brackets from each of them.
 */
export function scanLinks(src: string, references: References = new Map()): ScannedLink[] {
  const found: ScannedLink[] = [];
  const openers: { readonly start: number; readonly label: number; readonly embed: boolean }[] = [];
  /** Openers before this one have a link in their text, so that only those of images can be closed. */
  let active = 0;
  const add = (link: ScannedLink, embed: boolean): void => {
    found.push(link);
    if (!embed) active = openers.length;
  };
  const codeEnd = codeEndFinder(src);
  for (let pos = 0; (pos = nextMark(src, pos)) < src.length;) {
    const char = src[pos];
    if (char === '\\') pos += 2;
    else if (char === '`') pos = codeEnd(pos);
    else if (char === '<') pos = matchEnd(TAG, src, pos) ?? pos + 1;
    else if (char === ']') {
      const opener = openers.pop();
      const isActive = opener !== undefined && (opener.embed || openers.length >= active);
      active = Math.min(active, openers.length);
      const target = isActive ? targetAfter(src, opener.label, pos, references) : null;
      if (opener !== undefined && target !== null) {
        const label = src.slice(opener.label, pos);
        const images = opener.embed ? [] : imagesAfter(found, opener.start);
        add(
          { link: linkTo(target.url, label, opener.embed), start: opener.start, end: target.end, images },
          opener.embed,
        );
      }
      pos = target?.end ?? pos + 1;
    } else {
      const embed = char === '!';
      const wikilink = scanWikilink(src, pos, src.length);
      if (wikilink !== null) add({ ...wikilink, start: pos, images: [] }, embed);
      else if (!embed || src[pos + 1] === '[')
        openers.push({ start: pos, label: pos + (embed ? 2 : 1), embed });
      pos = wikilink?.end ?? pos + (embed && src[pos + 1] === '[' ? 2 : 1);
    }
  }
  return found;
}

const MARK = /[\\`<![\]]/g;
/** A tag of HTML, a comment or an address in angle brackets; the limits keep the time linear. */
const TAG =
  /<(?:\/?[a-z][a-z\d-]{0,50}(?:\s{1,100}[a-z_:][\w:.-]{0,100}(?:\s{0,9}=\s{0,9}(?:[^\s"'=<>`]{1,1000}|'[^']{0,1000}'|"[^"]{0,1000}"))?){0,50}\s{0,100}\/?|!--[^>]{0,1000}--|[a-z][a-z\d+.-]{1,31}:[^\s<>]{0,1000})>/iy;

function nextMark(src: string, pos: number): number {
  MARK.lastIndex = pos;
  return MARK.exec(src)?.index ?? src.length;
}

function matchEnd(pattern: RegExp, src: string, pos: number): number | null {
  pattern.lastIndex = pos;
  return pattern.exec(src) === null ? null : pattern.lastIndex;
}

/** Returns a function for the end of the code that begins at an offset, or of its backticks if nothing closes it. */
function codeEndFinder(src: string): (pos: number) => number {
  /** By the length of a run of backticks: the ends of such runs, the last one first. */
  let ends: Map<number, number[]> | null = null;
  return (pos) => {
    ends ??= runEnds(src);
    const afterRun = matchEnd(RUN, src, pos)!;
    const closers = ends.get(afterRun - pos) ?? [];
    // Offsets ascend, so that no later call needs these.
    while (closers.length > 0 && closers.at(-1)! <= afterRun) closers.pop();
    return closers.at(-1) ?? afterRun;
  };
}

const RUN = /`+/y;

function runEnds(src: string): Map<number, number[]> {
  const ends = new Map<number, number[]>();
  for (const { index, 0: run } of [...src.matchAll(/`+/g)].reverse()) {
    const list = ends.get(run.length);
    if (list === undefined) ends.set(run.length, [index + run.length]);
    else list.push(index + run.length);
  }
  return ends;
}

/** The embeds that were found after an offset, in order. */
function imagesAfter(found: readonly ScannedLink[], start: number): Link[] {
  const first = found.findLastIndex((each) => each.start < start) + 1;
  return found.slice(first).flatMap(({ link }) => (link?.embed === true ? [link] : []));
}

interface Target {
  readonly url: string;
  readonly end: number;
}

/** The target after the text of a link: in parentheses, or by the label of a definition. */
function targetAfter(src: string, label: number, close: number, references: References): Target | null {
  const inline = inlineTarget(src, close + 1);
  if (inline !== null || references.size === 0) return inline;
  REFERENCE.lastIndex = close + 1;
  const reference = REFERENCE.exec(src)?.[1] ?? null;
  // This is the definition itself.
  if (reference === null && src[close + 1] === ':') return null;
  const ownText = close - label > MAX_LABEL_LENGTH ? '' : src.slice(label, close);
  const url = references.get(
    utils.normalizeReference(reference === null || reference === '' ? ownText : reference),
  );
  return url === undefined ? null : { url, end: reference === null ? close + 1 : REFERENCE.lastIndex };
}

const MAX_LABEL_LENGTH = 200;
const REFERENCE = /\[((?:[^[\]\\]|\\.){0,200})\]/y;

/** The target in `(target "title")`. */
function inlineTarget(src: string, pos: number): Target | null {
  if (src[pos] !== '(') return null;
  const { ok, str, pos: afterUrl } = helpers.parseLinkDestination(src, afterSpace(src, pos + 1), src.length);
  if (!ok) return null;
  let end = afterSpace(src, afterUrl);
  const title = end > afterUrl ? helpers.parseLinkTitle(src, end, src.length) : null;
  if (title?.ok === true) end = afterSpace(src, title.pos);
  return src[end] === ')' ? { url: str, end: end + 1 } : null;
}

function afterSpace(src: string, pos: number): number {
  return matchEnd(SPACE, src, pos)!;
}

const SPACE = /[ \t\n]*/y;

const DEFINITION =
  /^[ \t>]{0,20}\[(?!\^)((?:[^[\]\\\n]|\\.){1,200})\]:[ \t]*(?:\n[ \t>]{0,20})?(\S[^\n]{0,1000})/gm;
const TITLE = /^(?:[ \t]+["'(].*)?\s*$/;

/** The definitions of a text; also those in code, which do no harm. The first of several with the same label counts. */
export function linkDefinitions(text: string): References {
  const references = new Map<string, string>();
  if (!text.includes(']:')) return references;
  for (const [, label = '', rest = ''] of text.matchAll(DEFINITION)) {
    const key = utils.normalizeReference(label);
    const { ok, pos, str } = helpers.parseLinkDestination(rest, 0, rest.length);
    if (ok && key !== '' && !references.has(key) && TITLE.test(rest.slice(pos))) references.set(key, str);
  }
  return references;
}

/** The link that `[text](url)` makes; `null` for one to the web. */
function linkTo(url: string, text: string, embed: boolean): Link | null {
  if (URL_SCHEME.test(url)) return null;
  // Only what is written as `#` begins a heading: `a%23one.md` is the name of a file.
  const [path, anchor] = splitAtHash(url);
  return makeLink([decoded(path), decoded(anchor)], shownText(text), embed);
}

const IMAGE = /!\[([^[\]]*)\]\([^()]*\)/g;

/** The text of a link as a reader sees it: without escapes, line breaks and images, in whose place is their description. */
function shownText(text: string): string {
  const shown = utils.unescapeAll(text.slice(0, 4 * MAX_ALIAS_LENGTH).replace(IMAGE, '$1'));
  return shown.replace(/\s+/g, ' ').trim().slice(0, MAX_ALIAS_LENGTH).toWellFormed();
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

export function scanWikilink(
  src: string,
  pos: number,
  limit: number,
): { readonly link: Link; readonly end: number } | null {
  const embed = src[pos] === '!';
  const open = embed ? pos + 1 : pos;
  if (!src.startsWith('[[', open)) return null;
  const close = closingBrackets(src, open + 2, Math.min(limit, open + 2 + MAX_LINK_LENGTH));
  if (close === null) return null;
  const inside = src.slice(open + 2, close);
  const bar = inside.indexOf('|');
  // In a table the bar is escaped: `\|`.
  const path = (bar < 0 ? inside : inside.slice(0, bar)).replace(/\\$/, '');
  const link = makeLink(splitAtHash(path), bar < 0 ? '' : inside.slice(bar + 1), embed);
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

/** The path of a link, and what follows the first `#` in it. */
function splitAtHash(path: string): [path: string, anchor: string] {
  const hash = path.indexOf('#');
  return hash < 0 ? [path, ''] : [path.slice(0, hash), path.slice(hash + 1)];
}

/** A link of the parts of its path: the anchor is a heading, or after `^` a block id. Returns `null` for an empty path. */
function makeLink([path, anchorText]: [string, string], aliasText: string, embed: boolean): Link | null {
  const [target, anchor, alias] = [path.trim(), anchorText.trim(), aliasText.trim()];
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
export function linkText({ alias, target, heading, block }: Link): string {
  const anchor = heading ?? (block === undefined ? undefined : `^${block}`);
  return alias ?? [target, anchor].filter((part) => part !== undefined && part !== '').join(' > ');
}

/** A link within a text, and the words that a reader sees in its place. */
export interface LinkSpan extends Span {
  readonly link: Link;
  readonly shown: string;
}

/**
 * The wikilinks, embeds and Markdown links to files in a part of a note, in order and without overlaps; also those in comments.
 * @param references those of the whole note, if the text is a part of it
 */
export function linkSpans(text: string, references: References = linkDefinitions(text)): LinkSpan[] {
  let end = 0;
  return scanLinks(text, references)
    .toSorted((a, b) => a.start - b.start)
    .flatMap(({ link, ...span }): LinkSpan[] => {
      if (span.start < end) return [];
      end = span.end;
      return link === null ? [] : [{ link, shown: linkText(link), start: span.start, end }];
    });
}
