import { setImmediate } from 'node:timers/promises';
import type { Trust, Span } from '../core/types.ts';
import { assembled, type Pack } from './pack.ts';
import {
  frameTokens,
  render,
  usualTrust,
  type Frame,
  type Item,
  trustMark,
  type ItemPart,
  type ShownPiece,
} from './render.ts';
import { TOKENIZER, type CountTokens } from './tokens.ts';
import type { NodeType } from '../core/graph-types.ts';
import { passageSpan, shownDay, type Candidate } from './candidate.ts';
import { itemTokens, masked, shownLine, titleSpan } from './items.ts';
import { abstractOf, splitText, summaryOf } from './levels/levels.ts';
import { excerptOf } from './levels/excerpt.ts';
import { sectionsOf } from './sections/cut.ts';
import {
  ITEM_MARK,
  overlaps,
  shownText,
  sourceRange,
  trimSpan,
  extendToCodePoints,
  withoutSpans,
} from './text/span.ts';

/** A node of the graph, with its record. */
export interface NodeCandidate extends Candidate {
  readonly node: {
    /** Its id, or a citation where the graph does not know it. */
    readonly id: string;
    readonly type: NodeType;
    readonly project: string;
    /** The lines of a task; `null` for a whole record. */
    readonly lines: { readonly first: number; readonly last: number } | null;
  };
  /** Why it is there, in words of ours, citations and words of the query. */
  readonly why: string;
}

/** Tokens that one snippet has at most. */
const MAX_SNIPPET_TOKENS = 300;
/** A text says at its beginning what it is. UTF-16 code units. */
export const HEAD_LENGTH = 8000;
const SNIPPET = '\nSnippet:\n';
const WITHOUT_TABLES = '\n(Without its tables: memory_get reads them.)';

/** One line: what the node is, why it is there, and its title. */
function indexItem(candidate: NodeCandidate, index: number, usual: Trust): Item {
  const { node, why, score, record } = candidate;
  const about = `${node.type} in ${shownLine(node.project)}, ${score.toFixed(2)}`;
  const header = `${ITEM_MARK} ${shownLine(node.id)} ${about}${trustMark(record.trust, usual)} (${shownLine(why)})`;
  return itemOf(candidate, index, [header, ' ', titleOf(candidate)]);
}

/** The forms of a node in a pack, the longest first. */
interface NodeForms {
  /** The summary and a snippet; `null` unless there is a snippet that is short enough. */
  readonly snippet: { readonly item: Item; readonly tokens: number } | null;
  /** The summary, then one line, each if the record has it, then the title alone. */
  readonly items: readonly Item[];
}

function nodeForms(
  given: NodeCandidate,
  index: number,
  { usual, count, withSnippet }: { usual: Trust; count: CountTokens; withSnippet: boolean },
): NodeForms {
  const { content } = given.record;
  const secrets = given.secrets.map((secret) => extendToCodePoints(content, secret));
  const candidate = { ...given, secrets };
  const split = splitText(content.slice(0, HEAD_LENGTH), secrets);
  const task = taskSpan(candidate);
  const whole = task === null ? summaryOf(split) : [task];
  // A summary is made of sentences: it says so where it leaves a table out.
  const tables = task === null ? split.sentences.filter(({ kind }) => kind === 'table') : [];
  const leftOut = (shown: readonly Span[]): ItemPart[] =>
    tables.every((table) => shown.some((span) => overlaps(span, table))) ? [] : [WITHOUT_TABLES];
  const form = (spans: readonly Span[], level: 'L0' | 'L1', more: readonly ItemPart[] = []): Item => {
    const parts = spans.flatMap(({ start, end }): ItemPart[] => [
      '\n',
      { field: 'content', span: { start, end }, level },
    ]);
    return itemOf(candidate, index, [...packHeader(candidate, spans, usual), ...parts, ...more]);
  };
  const abstract = task === null ? abstractOf(split, given.record.title) : null;
  const items = [
    ...(whole.length === 0 ? [] : [form(whole, 'L1', leftOut(whole))]),
    ...(abstract === null ? [] : [form([abstract], 'L0')]),
    form([], 'L0'),
  ];
  if (!withSnippet) return { snippet: null, items };
  const span = snippetSpan(content, trimSpan(content, passageSpan(content, given.passage)), count);
  const shown = masked(span, secrets, 'L2');
  const tokens = count(
    shown
      .map((part) => (typeof part === 'string' ? part : isPiece(part) ? textOf(content, part.span) : ''))
      .join(''),
  );
  if (withoutSpans(span, secrets).length === 0 || tokens > MAX_SNIPPET_TOKENS)
    return { snippet: null, items };
  const beside = whole.filter((part) => !overlaps(part, span));
  return {
    snippet: { item: form(beside, 'L1', [SNIPPET, ...shown, ...leftOut([...beside, span])]), tokens },
    items,
  };
}

/** The sections of a passage, as many as a snippet may have; of one that is longer a part of the passage. */
function snippetSpan(content: string, passage: Span, count: CountTokens): Span {
  const sections = sectionsOf(content).filter((each) => overlaps(each, passage));
  const first = sections[0]?.start ?? passage.start;
  for (const { end } of sections.toReversed()) {
    const span = { start: first, end };
    if (count(textOf(content, span)) <= MAX_SNIPPET_TOKENS) return span;
  }
  return excerptOf(
    content,
    passage,
    { start: passage.start, end: passage.start },
    count,
    MAX_SNIPPET_TOKENS - SLACK,
  );
}

/** The end of an excerpt moves to the end of a word. */
const SLACK = 20;

function isPiece(part: ItemPart): part is ShownPiece {
  return typeof part === 'object' && 'span' in part;
}

function textOf(content: string, { start, end }: Span): string {
  return shownText(content.slice(start, end));
}

/** The line of a task without its credentials; `null` for a whole record. */
function taskSpan({ record: { content }, node: { lines }, secrets }: NodeCandidate): Span | null {
  if (lines === null) return null;
  const span = trimSpan(
    content,
    passageSpan(content, { ordinal: 0, text: '', startLine: lines.first, endLine: lines.last }),
  );
  const isSafe = span.end > span.start && !secrets.some((secret) => overlaps(secret, span));
  return isSafe ? span : null;
}

function packHeader(candidate: NodeCandidate, spans: readonly Span[], usual: Trust): ItemPart[] {
  const { node, why, record, citation } = candidate;
  const [first, last] = [spans[0], spans.at(-1)];
  const lines =
    record.origin !== 'vault' || first === undefined
      ? null
      : sourceRange(record.content, { start: first.start, end: last!.end }).lines;
  const cited = lines === null ? citation : `${citation}#L${String(lines.from)}-L${String(lines.to)}`;
  const shown = shownDay(record);
  const day = shown === null ? '' : ` ${shown}`;
  const id = node.id === citation ? '' : `, ${shownLine(node.id)}`;
  const header = `${ITEM_MARK} ${shownLine(cited)}${day}${trustMark(record.trust, usual)}`;
  return [`${header} (${node.type}${id}, ${shownLine(why)})`, ' ', titleOf(candidate)];
}

/** A record without a title, such as a todo, is named by its first line. */
function titleOf({ record: { title, content }, secrets }: NodeCandidate): ItemPart {
  const span = titleSpan(title);
  if (span.end > span.start) return { field: 'title', span, level: 'L0' };
  const first = titleSpan(content);
  const isSafe = !secrets.some((secret) => overlaps(secret, first));
  return isSafe ? { field: 'content', span: first, level: 'L0' } : '';
}

function itemOf(
  { record: { trust, title, content } }: NodeCandidate,
  index: number,
  parts: ItemPart[],
): Item {
  const kept = parts.filter((part) => !isPiece(part) || part.span.end > part.span.start);
  // Items of nodes stay in the order of their need, so that each has its own day.
  return { candidate: index, trust, title, content, day: null, parts: kept };
}

interface NodeTextRequest {
  readonly candidates: readonly NodeCandidate[];
  readonly budget: number;
  readonly count: CountTokens;
  /** What the text says if there is nothing to show. */
  readonly nothing: string;
}

/** The share of the text that is kept for suggestions, where there are enough. */
const SUGGESTED_SHARE = 0.35;

/**
 * An index: a line for each candidate, in their order. Those with a path are suggestions and follow the others, which leave a part of
 * the budget to them.
 */
export function buildIndex(request: NodeTextRequest): Pack {
  const { candidates, budget, count } = request;
  const usual = usualTrust(candidates);
  const room = budget - frameTokens(frameOf(usual), count);
  const lines = candidates.map((candidate, i) => {
    const item = candidate.excluded === null ? indexItem(candidate, i, usual) : null;
    const tokens = item === null ? 0 : itemTokens(item, count);
    return { item, tokens, isSuggestion: candidate.path !== null };
  });
  const suggested = lines.reduce((sum, { tokens, isSuggestion }) => sum + (isSuggestion ? tokens : 0), 0);
  let left = room - Math.min(suggested, Math.floor(room * SUGGESTED_SHARE));
  const chosen: Item[] = [];
  const fill = (isSuggestion: boolean): void => {
    for (const line of lines)
      if (line.item !== null && line.isSuggestion === isSuggestion && line.tokens <= left) {
        chosen.push(line.item);
        left -= line.tokens;
      }
  };
  fill(false);
  left = room - chosen.reduce((sum, { candidate }) => sum + lines[candidate]!.tokens, 0);
  fill(true);
  const smallest = Math.min(...lines.flatMap(({ item, tokens }) => (item === null ? [] : [tokens])));
  return finished(request, chosen, usual, budget - room + smallest);
}

/** Tokens of all snippets together at most. */
const MAX_SNIPPETS_TOKENS = 3000;
/** Nodes whose tokens are counted before other work has its turn. */
const NODES_PER_TURN = 4;

/**
 * A pack of nodes: of each in their order a summary, or one line, or its title alone, whichever fits into what is left. With snippets,
 * these have a cap of their own.
 */
export async function buildNodePack(
  request: NodeTextRequest & { readonly withSnippets: boolean },
): Promise<Pack> {
  const { candidates, budget, count, withSnippets } = request;
  const usual = usualTrust(candidates);
  const room = budget - frameTokens(frameOf(usual), count);
  const chosen: Item[] = [];
  let left = room;
  let snippets = MAX_SNIPPETS_TOKENS;
  let smallest = Infinity;
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.excluded !== null) continue;
    const { snippet, items } = nodeForms(candidate, index, { usual, count, withSnippet: withSnippets });
    const hasSnippet =
      snippet !== null && snippet.tokens <= snippets && itemTokens(snippet.item, count) <= left;
    const item = hasSnippet ? snippet.item : items.find((each) => itemTokens(each, count) <= left);
    smallest = Math.min(smallest, itemTokens(items.at(-1)!, count));
    if (index % NODES_PER_TURN === NODES_PER_TURN - 1) await setImmediate();
    if (item === undefined) continue;
    chosen.push(item);
    left -= itemTokens(item, count);
    if (hasSnippet) snippets -= snippet.tokens;
  }
  return finished(request, chosen, usual, budget - room + smallest);
}

function frameOf(usual: Trust): Frame {
  return { tag: 'loci-pack', usual, isUnsure: false };
}

/** @param needed the tokens of the smallest text with one item; `Infinity` if there is none */
function finished(request: NodeTextRequest, chosen: readonly Item[], usual: Trust, needed: number): Pack {
  const { candidates, budget, count, nothing } = request;
  const items = [...chosen];
  const frame = frameOf(usual);
  // The tokens of items add up, except for a few contents whose first character joins the line break before it.
  while (items.length > 0 && count(render(items, frame).text) > budget) items.pop();
  const pack = assembled(
    { ...request, tokenizer: TOKENIZER },
    {
      ...{ items, frame },
      reasons: candidates.map(({ excluded }) => excluded),
      needed: Number.isFinite(needed) ? needed : null,
    },
  );
  return { ...pack, empty: items.length === 0 && !Number.isFinite(needed) ? nothing : pack.empty };
}
