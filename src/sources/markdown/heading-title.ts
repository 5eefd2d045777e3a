import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { showInline } from './inline-syntax.ts';

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
export function inlineText(source: string): string {
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
