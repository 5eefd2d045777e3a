import { analyze } from '../core/text/analyze.ts';
import { linkSpans } from '../sources/markdown/scan-links.ts';
import type { StoredPassage } from '../store/search-model.ts';
import { onceForEach } from './query/phrases.ts';
import type { AnchorText } from './rank/ranking.ts';
import type { Smoothed } from './rank/fuse.ts';
import type { RetrievalResult } from './retrieve/retrieve.ts';
import { idfWeight, type WeightedTerm, wordingsOf } from './retrieve/text.ts';
import type { SearchRun } from './run.ts';

/** A link with the sentence or list item around it. What others write where they link to a note says what it is about. */
interface Anchor {
  /** The target as written. */
  readonly target: string;
  /** The sentence as a reader sees it. */
  readonly sentence: string;
  /** The index terms of the sentence, in order. */
  readonly terms: readonly string[];
  /** For each term, whether it is in a link. */
  readonly isInLink: readonly boolean[];
  /** Positions of the link in `terms`: those of its first term and of the term after its last one. */
  readonly start: number;
  readonly end: number;
}

/** The links in a passage of a vault's note. Other records have none. */
export const anchorsIn = onceForEach(({ record, text }: StoredPassage): readonly Anchor[] =>
  record.origin === 'vault' ? sentencesWithLinks(text).flatMap(anchorsOf) : [],
);

/** A sentence as a reader sees it, and the offsets of its links in UTF-16 code units, end exclusive. */
interface LinkingSentence {
  readonly text: string;
  readonly links: readonly { readonly target: string; readonly from: number; readonly to: number }[];
}

function sentencesWithLinks(markdown: string): LinkingSentence[] {
  const links: { target: string; from: number; to: number }[] = [];
  let text = '';
  let end = 0;
  for (const span of linkSpans(markdown)) {
    text += markdown.slice(end, span.start);
    if (span.link.target !== '')
      links.push({ target: span.link.target, from: text.length, to: text.length + span.shown.length });
    text += span.shown;
    end = span.end;
  }
  if (links.length === 0) return [];
  text += markdown.slice(end);
  let next = 0;
  return sentenceBounds(text).flatMap(([from, to]): LinkingSentence[] => {
    const first = next;
    while (next < links.length && links[next]!.from < to) next++;
    const inside = links.slice(first, next);
    if (inside.length === 0) return [];
    const shifted = inside.map((link) => ({ ...link, from: link.from - from, to: link.to - from }));
    return [{ text: text.slice(from, to), links: shifted }];
  });
}

/** A line break, the space after a full stop, and the place after a CJK full stop separate sentences. */
const SENTENCE_END = /\n|(?<=[.!?])\s+|(?<=[。！？])/g;

function sentenceBounds(text: string): [from: number, to: number][] {
  const bounds: [number, number][] = [];
  let from = 0;
  for (const { index, 0: separator } of text.matchAll(SENTENCE_END)) {
    bounds.push([from, index]);
    from = index + separator.length;
  }
  return [...bounds, [from, text.length]];
}

const LIST_MARKER = /^(?:[-*+>]\s+|\d+[.)]\s+|\[.\]\s+)+/;

function anchorsOf({ text, links }: LinkingSentence): Anchor[] {
  const tokens = analyze(text).filter(({ kind }) => kind !== 'tail');
  const terms = tokens.map(({ term }) => term);
  const sentence = text.trim().replace(LIST_MARKER, '');
  const isInLink = new Array<boolean>(tokens.length).fill(false);
  let next = 0;
  /** The index of the first token that starts at an offset or after it. The offsets grow. */
  const firstAt = (offset: number): number => {
    while (next < tokens.length && tokens[next]!.start < offset) next++;
    return next;
  };
  const spans = links.map(({ target, from, to }) => {
    const start = firstAt(from);
    const end = firstAt(to);
    isInLink.fill(true, start, end);
    return { target, start, end };
  });
  return spans.map((span) => ({ ...span, sentence, terms, isInLink }));
}

/** How well a link and the words around it match a query. */
interface AnchorMatch {
  /**
   * The IDF-weighted share of the query's terms that the sentence has, 0 to 1; a term that is more than `near` terms away
   * from the link counts by `farShare`.
   */
  readonly coverage: number;
  /** How many of the query's terms the sentence has. */
  readonly matched: number;
  /** The index terms of these. */
  readonly matchedTerms: ReadonlySet<string>;
}

const NO_MATCH: AnchorMatch = { coverage: 0, matched: 0, matchedTerms: new Set() };

export function matchAnchor(
  { terms, isInLink, start, end }: Anchor,
  wanted: readonly WeightedTerm[],
  { near, farShare }: AnchorText,
): AnchorMatch {
  const distances = new Map<string, number>();
  const ownTerms = new Set<string>();
  for (const [i, term] of terms.entries()) {
    const distance = i < start ? start - i : Math.max(0, i - end + 1);
    distances.set(term, Math.min(distance, distances.get(term) ?? distance));
    if (distance === 0 || isInLink[i] !== true) ownTerms.add(term);
  }
  const matchedTerms = new Set<string>();
  let matched = 0;
  let total = 0;
  let covered = 0;
  for (const term of wanted) {
    const weight = idfWeight(term.passages);
    total += weight;
    const found = wordingsOf(term).find((words) => words.every((word) => distances.has(word)));
    if (found === undefined) continue;
    matched++;
    for (const word of found) matchedTerms.add(word);
    const isNear = found.every((word) => distances.get(word)! <= near);
    covered += isNear ? weight : weight * farShare;
  }
  // A query that only names other notes of a list of links says nothing about this one.
  if (![...matchedTerms].some((term) => ownTerms.has(term))) return NO_MATCH;
  return { coverage: total === 0 ? 0 : covered / total, matched, matchedTerms };
}

/**
 * Combines what several notes say about one target as independent evidence: 1 − (1 − a)(1 − b/2)(1 − c/4). The best counts
 * in full, so that many links do not outweigh one that matches.
 * @param strengths one for each linking note, 0 to 1
 */
export function combineAnchors(strengths: readonly number[]): number {
  const best = strengths.toSorted((a, b) => b - a).slice(0, OTHER_SHARES.length);
  return 1 - best.reduce((rest, strength, i) => rest * (1 - OTHER_SHARES[i]! * strength), 1);
}

/** The weights of the best linking notes. */
const OTHER_SHARES = [1, 0.5, 0.25] as const;

/** What the links of other notes say about a note. */
export interface LinkEvidence {
  /** The part of what the note's own score leaves to 1 that the links add. 0 to 1. */
  readonly strength: number;
  /** The link that matches best, and the note that has it. */
  readonly best: LinkMatch;
}

interface LinkMatch extends Anchor, AnchorMatch {
  readonly record: number;
  readonly title: string;
  /** 0 to 1. */
  readonly strength: number;
}

interface LinkedNotes {
  /** By the id of the target. */
  readonly evidence: ReadonlyMap<number, LinkEvidence>;
  /** The first passages of the targets that no signal found. */
  readonly passages: readonly StoredPassage[];
}

/** A link that has fewer terms of the query is not evidence, unless the query has fewer. */
const MIN_TERMS = 2;
/** The links that are resolved: the best matches. */
const MAX_LINKS = 60;
/** One target may be written in several ways, and a note may link to it as a link and as an embed. */
const MAX_RESOLVED = 1000;

interface WrittenLink {
  readonly record: number;
  readonly target: string;
}

/** A link with the record to which it leads, and the first passage of that. */
interface ResolvedLink extends WrittenLink {
  readonly to: { readonly record: number; readonly passage: number };
}

/** The links of these records to these targets that lead to another record. */
export async function resolveLinks(
  { store, namespace }: SearchRun,
  links: readonly WrittenLink[],
  limit: number,
): Promise<ResolvedLink[]> {
  if (links.length === 0) return [];
  const from = [...new Set(links.map(({ record }) => record))];
  const targets = [...new Set(links.map(({ target }) => target))];
  const resolved = await store.records.links(namespace, { from, targets }, { after: null, limit });
  return resolved.flatMap(({ record, target, targetRecord, targetPassage }) =>
    targetRecord === null || targetPassage === null || targetRecord === record
      ? []
      : [{ record, target, to: { record: targetRecord, passage: targetPassage } }],
  );
}

/**
 * Finds the notes to which the passages of the pool link, if the words around a link match the query. No index is needed: a
 * sentence that matches is part of a passage that words or vectors find. Only passages that the search may see take part.
 */
export async function linkedNotes(
  run: SearchRun,
  retrieved: RetrievalResult,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
): Promise<LinkedNotes> {
  const matches = bestMatches(run, retrieved, pool, passages);
  const keyOf = ({ record, target }: WrittenLink): string => `${String(record)} ${target}`;
  const resolved = await resolveLinks(run, matches, MAX_RESOLVED);
  const targets = new Map(resolved.map((link) => [keyOf(link), link.to]));
  const found = matches.flatMap((match) => {
    const to = targets.get(keyOf(match));
    return to === undefined ? [] : [{ match, to }];
  });
  const byTarget = Map.groupBy(found, ({ to }) => to.record);
  const known = new Set(passages.map(({ record }) => record.id));
  const unknown = [...byTarget].flatMap(([record, [first]]) =>
    known.has(record) ? [] : [first!.to.passage],
  );
  const { store, namespace, filter } = run;
  const loaded =
    unknown.length === 0 ? [] : (await store.search.passages(namespace, unknown, filter)).passages;
  return {
    evidence: new Map([...byTarget].map(([to, of]) => [to, evidenceOf(of.map(({ match }) => match))])),
    passages: loaded,
  };
}

/** Each note counts once, by its best link. @param matches links to one target, best first */
function evidenceOf(matches: readonly LinkMatch[]): LinkEvidence {
  const byNote = [...Map.groupBy(matches, ({ record }) => record).values()].map(([best]) => best!);
  return { strength: combineAnchors(byNote.map(({ strength }) => strength)), best: byNote[0]! };
}

/** The links whose words match the query, best first. */
function bestMatches(
  { ranking: { anchorText, weights }, intent }: SearchRun,
  { terms }: RetrievalResult,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
): LinkMatch[] {
  if (anchorText === null || intent?.listOnly === true || terms.length === 0) return [];
  const entries = new Map(pool.map((entry) => [entry.passage, entry]));
  const matches = passages.flatMap((passage): LinkMatch[] => {
    const entry = entries.get(passage.id);
    if (entry === undefined) return [];
    const vector = entry.contributions.find(({ signal }) => signal === 'vector')?.added ?? 0;
    const meaning = weights.vector === 0 ? 0 : Math.min(1, vector / weights.vector);
    const { id: record, title } = passage.record;
    return anchorsIn(passage).flatMap((anchor) => {
      const match = matchAnchor(anchor, terms, anchorText);
      if (match.matched < Math.min(MIN_TERMS, terms.length)) return [];
      const strength = Math.min(1, anchorText.words * match.coverage + anchorText.meaning * meaning);
      return [{ ...anchor, ...match, record, title, strength }];
    });
  });
  return matches.sort((a, b) => b.strength - a.strength || a.record - b.record).slice(0, MAX_LINKS);
}
