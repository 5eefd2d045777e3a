import { setImmediate } from 'node:timers/promises';
import { findTerms } from '../../core/text/additional-terms.ts';
import type { Span } from '../../core/types.ts';
import type { ComparedPassage } from '../../store/search-model.ts';
import type { Candidate } from '../candidate.ts';
import { LineCounter } from '../text/span.ts';
import { sectionsOf, type Section } from './cut.ts';

/** A term of the query. */
export interface SectionTerm {
  /** How much it counts, relative to the other terms: more, the rarer it is. */
  readonly weight: number;
  /** The index terms that are the term, and those of words that may be meant by it; all of one of these lists must be there. */
  readonly any: readonly (readonly string[])[];
}

/** What sections are compared with. */
export interface SectionQuery {
  readonly terms: readonly SectionTerm[];
  /** The share of meaning in the score of a section, 0 to 1; words have the rest. */
  readonly meaningShare: number;
}

/** A section and how well it matches the query by itself, in comparison with all sections of all candidates. */
export interface JudgedSection extends Section {
  /** 0 to 1. */
  readonly match: number;
  /** The ordinal of the passage in it whose meaning is nearest; `null` without vectors. */
  readonly passage: number | null;
}

/** Constants of BM25 (Robertson & Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
/** A section without any word of the query keeps this share of its words' score, which coverage adds to. */
const UNCOVERED = 0.5;
/** UTF-16 code units that are judged before other work has its turn. */
const UNITS_PER_TURN = 60_000;

/** The words of a section that the query has. */
interface Words {
  /** How often it has each term of the query. */
  readonly counts: readonly number[];
  readonly length: number;
}

/**
 * Judges all sections of the candidates: `meaningShare` × the cosine, scaled to the best and the worst of all, and the rest × BM25 as a
 * share of the best × (½ + ½ × the share of the query's words, weighted by rarity). A section is judged with the title of its record and
 * the headings above it. One without a vector is judged by its words alone.
 */
export async function judgeSections(
  query: SectionQuery,
  candidates: readonly Candidate[],
): Promise<readonly (readonly JudgedSection[])[]> {
  const found: {
    readonly sections: readonly Section[];
    readonly words: readonly Words[];
    readonly near: readonly Nearness[];
  }[] = [];
  let units = 0;
  const matcher = new TermMatcher(query);
  for (const { record, passage, passages, excluded } of candidates) {
    const from = windowStart(record.content, passage.startLine);
    const text = record.content.slice(from, from + MAX_JUDGED);
    const sections = excluded === null ? sectionsOf(text) : [];
    const words = matcher.wordsOf(record.title, text, sections);
    const near = nearnessOf(text, 1 + linesIn(record.content, from), sections, passages);
    found.push({
      sections: from === 0 ? sections : sections.map((each) => shifted(each, from)),
      words,
      near,
    });
    units += text.length;
    if (units > UNITS_PER_TURN) {
      units = 0;
      await setImmediate();
    }
  }
  const all = found.flatMap(({ words }) => words);
  const meanLength = all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length);
  const scored = found.map(({ words }) => words.map((each) => matcher.score(each, meanLength)));
  const best = Math.max(0, ...scored.map((of) => of.reduce((max, { score }) => Math.max(max, score), 0)));
  const cosines = found.flatMap(({ near }) => near.flatMap(({ cosine }) => cosine ?? []));
  const [lowest, highest] = cosines.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [1, -1],
  );
  return found.map(({ sections, near }, i) =>
    sections.map((section, j): JudgedSection => {
      const { score, coverage } = scored[i]![j]!;
      const { cosine, passage } = near[j]!;
      const words = best === 0 ? 0 : (score / best) * (UNCOVERED + (1 - UNCOVERED) * coverage);
      const share = cosine === null ? 0 : query.meaningShare;
      const meaning = cosine === null || highest <= lowest ? 0 : (cosine - lowest) / (highest - lowest);
      return { ...section, match: share * meaning + (1 - share) * words, passage };
    }),
  );
}

/** Of a longer record only the part around the passage that was found is judged. UTF-16 code units. */
const MAX_JUDGED = 1_000_000;

/** The line with which the judged part of a record begins. */
function windowStart(content: string, line: number): number {
  if (content.length <= MAX_JUDGED) return 0;
  let at = 0;
  for (let n = 1; n < line && at >= 0; n++) at = content.indexOf('\n', at) + 1 || -1;
  const from = Math.min(Math.max(0, at) - MAX_JUDGED / 2, content.length - MAX_JUDGED);
  return from <= 0 ? 0 : content.lastIndexOf('\n', from) + 1;
}

function linesIn(content: string, end: number): number {
  let lines = 0;
  for (let at = content.indexOf('\n'); at >= 0 && at < end; at = content.indexOf('\n', at + 1)) lines++;
  return lines;
}

function shifted(section: Section, by: number): Section {
  const shift = <T extends Span>(span: T): T => ({ ...span, start: span.start + by, end: span.end + by });
  const { headings, tableHead } = section;
  return {
    ...shift(section),
    headings: headings.map(shift),
    tableHead: tableHead === null ? null : shift(tableHead),
  };
}

class TermMatcher {
  readonly #terms: readonly SectionTerm[];
  readonly #names: ReadonlySet<string>;
  readonly #total: number;

  constructor({ terms }: SectionQuery) {
    this.#terms = terms;
    this.#names = new Set(terms.flatMap(({ any }) => any.flat()));
    this.#total = terms.reduce((sum, { weight }) => sum + weight, 0);
  }

  wordsOf(title: string, content: string, sections: readonly Section[]): Words[] {
    const ofTitle = this.#count(title);
    const ofHeadings = new Map<number, ReadonlyMap<string, number>>();
    let next = 0;
    const tokens = findTerms(content, this.#names).filter(({ kind }) => kind !== 'tail');
    return sections.map(({ start, end, headings }): Words => {
      const counts = new Map(ofTitle);
      for (const heading of headings) {
        if (heading.start >= start) continue;
        const known = ofHeadings.get(heading.start) ?? this.#count(content.slice(heading.start, heading.end));
        ofHeadings.set(heading.start, known);
        for (const [term, count] of known) counts.set(term, (counts.get(term) ?? 0) + count);
      }
      while (next < tokens.length && tokens[next]!.start < start) next++;
      for (; next < tokens.length && tokens[next]!.start < end; next++) {
        const { term } = tokens[next]!;
        counts.set(term, (counts.get(term) ?? 0) + 1);
      }
      const countOf = (parts: readonly string[]): number =>
        parts.reduce((least, part) => Math.min(least, counts.get(part) ?? 0), Infinity);
      return {
        counts: this.#terms.map(({ any }) => any.reduce((sum, parts) => sum + countOf(parts), 0)),
        length: end - start + title.length,
      };
    });
  }

  score(
    { counts, length }: Words,
    meanLength: number,
  ): { readonly score: number; readonly coverage: number } {
    let score = 0;
    let covered = 0;
    const norm = K1 * (1 - B + (B * length) / Math.max(1, meanLength));
    for (const [i, { weight }] of this.#terms.entries()) {
      const count = counts[i]!;
      if (count === 0) continue;
      score += (weight * count * (K1 + 1)) / (count + norm);
      covered += weight;
    }
    return { score, coverage: this.#total === 0 ? 0 : covered / this.#total };
  }

  #count(text: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { term, kind } of findTerms(text, this.#names))
      if (kind !== 'tail') counts.set(term, (counts.get(term) ?? 0) + 1);
    return counts;
  }
}

interface Nearness {
  readonly cosine: number | null;
  readonly passage: number | null;
}

/**
 * The nearest passage of each section, of those that share a line with it. Both lists are in the order of the text.
 * @param firstLine the number of the first line of the content in its record
 */
function nearnessOf(
  content: string,
  firstLine: number,
  sections: readonly Section[],
  passages: readonly ComparedPassage[],
): Nearness[] {
  const lines = new LineCounter(content, firstLine);
  let first = 0;
  return sections.map(({ start, end }): Nearness => {
    const [from, to] = [lines.lineOf(start), lines.lineOf(end)];
    while (first < passages.length && passages[first]!.endLine < from) first++;
    let nearest: Nearness = { cosine: null, passage: null };
    for (let i = first; i < passages.length && passages[i]!.startLine <= to; i++) {
      const { cosine, ordinal } = passages[i]!;
      if (cosine !== null && (nearest.cosine === null || cosine > nearest.cosine))
        nearest = { cosine, passage: ordinal };
    }
    return nearest;
  });
}
