import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { showInline } from './inline-syntax.ts';
import { scanLinks } from './scan-links.ts';

type BlockKind = 'heading' | 'item' | 'row' | 'code' | 'prose';

/** A line of code, a row of a table, an item of a list, a heading or a paragraph. */
interface Block {
  readonly kind: BlockKind;
  /** What a reader sees before the text: the mark of an item. */
  readonly mark: string;
  /** Markdown. */
  text: string;
}

/** The marks of quotes, and of the callout that begins with the line. */
const QUOTE = /^(?:[ \t]{0,3}>[ \t]?)+(?:\[![\w-]{1,30}\][+-]?(?=\s|$))?/;
const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w-]*)/;
/** Languages of code that Obsidian replaces by the results of a query. */
const QUERY_LANGUAGES = /^(?:dataview|dataviewjs|tasks|query|base)$/i;
/** The embed of a picture, a recording or a document. */
const MEDIA =
  /!\[\[[^\]|#\n]{1,300}\.(?:png|jpe?g|gif|svg|webp|avif|bmp|heic|mp[34]|m4a|mov|wav|ogg|webm|pdf|canvas|base)(?:[|#][^\]\n]{0,300})?\]\]/gi;
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(?:\[(.)\][ \t]+)?/u;
/** A rule, the line below the head of a table, or that below a heading. */
const RULE = /^[-:|=*_ \t]+$/;
const FOOTNOTE = /\[\^[^\]\s]{1,100}\]:?/g;

/** The blocks of a Markdown text. It knows less of Markdown than a parser, but needs little time, and the text may be a part of a note. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let isQuery = false;
  let open: Block | null = null;
  const add = (kind: BlockKind, text: string, mark = ''): Block => {
    const block = { kind, mark, text };
    blocks.push(block);
    return block;
  };
  for (const line of markdown.split(/\r\n?|\n/)) {
    const inside = line.replace(QUOTE, '');
    const [, backticks, language = ''] = FENCE.exec(inside) ?? [];
    if (backticks !== undefined && (fence === null || backticks.startsWith(fence))) {
      fence = fence === null ? backticks : null;
      isQuery = QUERY_LANGUAGES.test(language);
      open = null;
      continue;
    }
    if (fence !== null) {
      if (inside.trim() !== '' && !isQuery) add('code', inside);
      continue;
    }
    const text = inside.trim();
    const isCallout =
      inside.length < line.length && /\][+-]?$/.test(line.slice(0, line.length - inside.length));
    if (text === '' || RULE.test(inside)) {
      open = null;
      continue;
    }
    const item = ITEM.exec(inside);
    const isHeading = HEADING.test(inside);
    if (isHeading) add('heading', text.replace(/^#+/, '').replace(/ #+$/, ''));
    else if (text.startsWith('|')) add('row', text.slice(1, text.endsWith('|') ? -1 : undefined));
    else if (item !== null) {
      const [all, indent = '', bullet = '', state] = item;
      const mark = state === undefined ? (/\d/.test(bullet) ? bullet : '-') : state === ' ' ? '☐' : '☑';
      open = add('item', inside.slice(all.length), `${indent}${mark} `);
      continue;
    } else if (open === null || isCallout) open = add('prose', text);
    else {
      open.text += `\n${text}`;
      continue;
    }
    if (blocks.at(-1)!.kind !== 'prose' || isCallout) open = null;
  }
  return blocks;
}

/**
 * A Markdown text as a reader sees it, without markup: paragraphs, items of lists, rows of tables and lines of code, each on a line of its
 * own. Rules, pictures, fences of code and queries of Obsidian are left out.
 * @param hidden headings that are left out, in lower case
 */
export function plainText(markdown: string, hidden: ReadonlySet<string> = new Set()): string {
  return blocksOf(markdown)
    .flatMap(({ kind, mark, text }) => {
      const shown = kind === 'code' ? text.trimEnd() : shownInline(text);
      const isLeftOut = shown === '' || (kind === 'heading' && hidden.has(shown.toLowerCase()));
      return isLeftOut ? [] : [mark + shown];
    })
    .join('\n');
}

function shownInline(text: string): string {
  return inlineText(
    text
      .replace(BLOCK_ID, '')
      .replaceAll(MEDIA, ' ')
      .replaceAll(FOOTNOTE, '')
      .replaceAll(HTML, ' ')
      .replaceAll(HIGHLIGHT, '$1'),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The tags that notes have, and comments. */
const HTML =
  /<\/?(?:a|b|br|center|code|details|div|em|font|hr|i|iframe|img|kbd|li|mark|ol|p|s|small|span|strong|sub|summary|sup|table|t[bdhr]|u|ul|video)(?:\s[^<>]{0,1000})?\/?>|<!--[^>]{0,1000}-->/gi;
const HIGHLIGHT = /==(?=\S)([^=\n]{1,500})==/g;

/** What any link, embed or tag has. */
const LINK = /[[#]|:\/\//;
const ADDRESS = /<?\bhttps?:\/\/[^\s<>]+>?/gi;
const TAG = /#[\p{L}\p{N}_/-]+/gu;
/** What introduces links: `See also`, `Related:`. */
const LABEL = /^[^\p{L}\p{N}]*(?:see(?: also)?\b|siehe(?: auch)?\b|[^:：]{1,40}[:：])/iu;
const WORD = /[\p{L}\p{N}]/u;

/** Whether a Markdown text has more words than those of headings, links, embeds and tags. */
export function hasProse(markdown: string): boolean {
  if (!LINK.test(markdown)) return WORD.test(markdown);
  return blocksOf(markdown).some(({ kind, text }) => {
    if (kind === 'heading') return false;
    if (kind === 'code') return true;
    const rest = withoutLinks(text);
    return WORD.test(rest.length < text.length ? rest.replace(LABEL, '') : rest);
  });
}

function withoutLinks(text: string): string {
  let rest = '';
  let end = 0;
  const links = /[[!]/.test(text) ? scanLinks(text) : [];
  for (const { start, end: after } of links.toSorted((a, b) => a.start - b.start)) {
    if (start < end) continue;
    rest += text.slice(end, start);
    end = after;
  }
  return (rest + text.slice(end)).replaceAll(ADDRESS, '').replaceAll(TAG, '');
}

/** Longer titles are truncated, because the path of headings is embedded with every passage below it. In UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

const MARKUP = /[*_`[\]<>\\&~=!%^]/;

const inlineParser = new MarkdownIt({ html: true }).use(showInline);
const parserWithoutHtml = new MarkdownIt().use(showInline);

/** A heading's text as a reader sees it: without emphasis, links, code marks, comments or a block id. */
export function headingTitle(source: string): string {
  const head = source.slice(0, 2 * MAX_TITLE_LENGTH);
  const text = MARKUP.test(head) ? withoutMarkup(head, inlineParser) : head;
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH).toWellFormed().trim();
}

/** A paragraph as a reader sees it. What looks like an HTML tag stays, because it may be a placeholder: `<name>`. */
function inlineText(source: string): string {
  return MARKUP.test(source) ? withoutMarkup(source, parserWithoutHtml) : source;
}

function withoutMarkup(source: string, parser: typeof inlineParser): string {
  const tokens: Token[] = [];
  parser.inline.parse(source, parser, {}, tokens);
  return visibleText(tokens);
}

function visibleText(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) {
    if (token.children !== null && token.type !== 'image') text += visibleText(token.children);
    else if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else if (token.type !== 'html_inline') text += token.content;
  }
  return text;
}

/** The id of a block in Obsidian, at the end of a line: `^summary`. */
export const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]{1,100})\s*$/;
