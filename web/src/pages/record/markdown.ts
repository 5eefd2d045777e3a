import DOMPurify from 'dompurify';
import MarkdownIt, { type StateInline, type Token } from 'markdown-it';
import { piecesOf } from '../../parts/hidden-characters.ts';
import { RECORD } from '../../text/pages/record.ts';
import { SHELL } from '../../text/shell.ts';
import { t } from '../../text/text.ts';

/** Longer links are no links. In UTF-16 code units. */
const MAX_WIKILINK = 1000;
const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** HTML in the text is shown as text. */
const parser = new MarkdownIt({ html: false, linkify: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before('link', 'wikilink', wikilink);
parser.renderer.rules['wikilink'] = (tokens, i) => wikilinkHtml(tokens[i]!);
parser.renderer.rules['image'] = (tokens, i) => {
  const token = tokens[i]!;
  return imageHtml(decoded(String(token.attrGet('src') ?? '')), token.content);
};
parser.renderer.rules['table_open'] = () => '<div class="table-frame"><table class="table">';
parser.renderer.rules['table_close'] = () => '</table></div>';
// The heading of the page is above those of the text.
parser.core.ruler.push('lines', ({ tokens, env }) => {
  const { firstLine } = env as { firstLine: number };
  for (const token of tokens) {
    if (token.map !== null && token.nesting >= 0)
      token.attrSet('data-line', String(token.map[0] + firstLine));
    if (token.type.startsWith('heading')) token.tag = `h${String(Math.min(6, Number(token.tag[1]) + 1))}`;
    // A Content-Security-Policy permits no styles in HTML.
    if (/^t[hd]_open$/.test(token.type))
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
  }
});

/** `[[target#heading|alias]]` and `![[target]]`. */
function wikilink(state: StateInline, silent: boolean): boolean {
  const embed = state.src[state.pos] === '!';
  const start = state.pos + (embed ? 3 : 2);
  if (!state.src.startsWith(embed ? '![[' : '[[', state.pos)) return false;
  const text = state.src.slice(start, start + MAX_WIKILINK);
  const end = text.indexOf(']]');
  if (end < 1 || /[\n[]/.test(text.slice(0, end))) return false;
  if (!silent) {
    const [target = '', alias = ''] = text.slice(0, end).split('|', 2);
    state.push('wikilink', '', 0).meta = { target: target.trim(), alias: alias.trim(), embed };
  }
  state.pos = start + end + 2;
  return true;
}

function wikilinkHtml({ meta }: Token): string {
  const { target, alias, embed } = meta as { target: string; alias: string; embed: boolean };
  if (embed && IMAGE_NAME.test(target)) return imageHtml(target, target);
  const { escapeHtml } = parser.utils;
  const label = escapeHtml(alias === '' || embed ? target : alias);
  return `<a class="${embed ? 'embedded' : ''}" data-target="${escapeHtml(target)}">${label}</a>`;
}

function imageHtml(target: string, alt: string): string {
  const { escapeHtml } = parser.utils;
  return `<span class="picture" data-image="${escapeHtml(target)}" data-alt="${escapeHtml(alt)}"></span>`;
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** What links of a text mean. */
export interface Links {
  /** The address of the page of a record; `null` if the text means a note that there is not. */
  readonly addressOf: (target: string) => string | null;
  readonly title: string;
  readonly firstLine: number;
}

const TAGS =
  'a p h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td span div';

/** The text as elements, in which nothing is active and nothing is fetched. Pictures are empty: see `loadPictures`. */
export function renderMarkdown(text: string, links: Links): DocumentFragment {
  const html = parser.render(text, { firstLine: links.firstLine });
  const fragment = DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ['href', 'title', 'class', 'start'],
  });
  for (const anchor of fragment.querySelectorAll('a')) setAddress(anchor, links);
  for (const picture of fragment.querySelectorAll<HTMLElement>('[data-image]')) blockForeign(picture);
  for (const item of fragment.querySelectorAll('li')) setTask(item);
  for (const paragraph of fragment.querySelectorAll('blockquote > p:first-child')) setCallout(paragraph);
  const [first] = fragment.children;
  if (first?.tagName === 'H2' && first.textContent === links.title) first.remove();
  showHidden(fragment);
  return fragment;
}

function setAddress(anchor: HTMLAnchorElement, { addressOf }: Links): void {
  const written = anchor.getAttribute('href');
  anchor.removeAttribute('href');
  if (written !== null && SCHEME.test(written)) {
    setForeign(anchor, written);
    return;
  }
  const address = addressOf(anchor.dataset['target'] ?? decoded(written ?? ''));
  if (address !== null) anchor.href = address;
  else {
    anchor.classList.add('missing');
    anchor.title = t(RECORD.noSuchNote);
  }
}

/** A link to the web says where it leads, and tells nothing of this page. */
function setForeign(anchor: HTMLAnchorElement, written: string): void {
  const url = URL.canParse(written, 'https://host') ? new URL(written, 'https://host') : null;
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return;
  anchor.href = url.href;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  const place = url.protocol === 'mailto:' ? url.pathname : url.host;
  if (saysPlace(anchor.textContent, url)) return;
  const host = document.createElement('span');
  host.className = 'host';
  host.textContent = ` ${place}`;
  anchor.append(host);
}

/** Whether a text is the address of its link, or another one at the same place. One with a name and password could show another host. */
function saysPlace(text: string, { protocol, host, pathname }: URL): boolean {
  if (protocol === 'mailto:') return text === pathname || text === `mailto:${pathname}`;
  const start = `${protocol}//${host}`;
  return text.toLowerCase().startsWith(start) && /^(?:[/?#]|$)/.test(text.slice(start.length));
}

/** A picture from elsewhere would tell its server who reads when. */
function blockForeign(picture: HTMLElement): void {
  const { image = '', alt = '' } = picture.dataset;
  if (!SCHEME.test(image)) return;
  const url = URL.canParse(image, 'https://host') ? new URL(image, 'https://host') : null;
  const host = url === null || url.host === '' ? (url?.protocol ?? '') : url.host;
  delete picture.dataset['image'];
  picture.classList.add('blocked');
  picture.textContent = t(RECORD.blockedPicture, { host, name: alt === '' ? t(RECORD.picture) : alt });
}

/** `[x] done` in a list is a task. */
function setTask(item: HTMLLIElement): void {
  const first = (item.firstElementChild?.tagName === 'P' ? item.firstElementChild : item).firstChild;
  if (!(first instanceof Text)) return;
  const [mark = '', state = ''] = /^\s*\[([ xX])\] /.exec(first.data) ?? [];
  if (mark === '') return;
  first.data = `${state === ' ' ? '☐' : '☑'} ${first.data.slice(mark.length)}`;
  item.classList.add('task-item');
}

/** `> [!warning] Title` is a callout, whose first line is its title; without one, its type is. */
function setCallout(paragraph: Element): void {
  const { firstChild: first } = paragraph;
  if (!(first instanceof Text)) return;
  const [mark = '', kind = ''] = /^\[!([\w-]{1,30})\][+-]?[ \t]*/.exec(first.data) ?? [];
  if (mark === '') return;
  first.data = first.data.slice(mark.length);
  const title = document.createElement('span');
  title.className = 'label';
  // The title ends with its line.
  for (let node: ChildNode | null = first; node !== null; node = paragraph.firstChild) {
    const end = node instanceof Text ? node.data.indexOf('\n') : -1;
    if (end !== -1) {
      const rest = (node as Text).splitText(end);
      rest.data = rest.data.trimStart();
      title.append(node);
      break;
    }
    title.append(node);
  }
  if (title.textContent.trim() === '') title.textContent = kind;
  const rest = document.createElement('p');
  rest.append(...paragraph.childNodes);
  paragraph.append(title);
  if (rest.childNodes.length > 0) paragraph.after(rest);
}

/** Shows invisible characters by their numbers, in every text of the fragment. */
function showHidden(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode() !== null) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const pieces = piecesOf(text.data);
    if (!pieces.some(({ isHidden }) => isHidden)) continue;
    // One by one: there can be more of them than a call can have arguments.
    const shown = document.createDocumentFragment();
    for (const { text: piece, isHidden } of pieces) shown.append(isHidden ? hiddenMark(piece) : piece);
    text.replaceWith(shown);
  }
}

function hiddenMark(code: string): HTMLElement {
  const mark = document.createElement('span');
  mark.className = 'hidden-character';
  mark.textContent = code;
  mark.title = t(SHELL.hidden, { code });
  return mark;
}
