import type { Candidate } from '../candidate.ts';
import type { JudgedSection } from './judge.ts';

export interface ChoiceSettings {
  /** A section with a lower share of the best score is left out, even if there is room. */
  readonly floor: number;
  /** The best record is taken whole if it needs at most so many tokens. */
  readonly wholeTokens: number;
}

/** What the choice knows of the candidates. */
export interface Costs {
  /** The tokens of a section with what separates it from others. */
  ofSection(candidate: number, index: number): number;
  /** The tokens of the first line of a record. */
  ofHeader(candidate: number): number;
  /** How many sections a record has. */
  sectionsOf(candidate: number): number;
  /** The sections that a section needs beside it: what it announces or embeds. */
  neededBy(candidate: number, index: number): Choice;
  /** The candidate that says the same as this one at a later time; `null` if there is none. */
  laterOf(candidate: number): number | null;
  /** Whether the section says what a section says that is chosen already; remembers those that do not. */
  isRepeated(candidate: number, index: number): boolean;
}

/** The chosen sections in the order in which they are needed. */
export type Choice = readonly Pick<RankedSection, 'candidate' | 'index'>[];

/**
 * Chooses sections in their order, as many as fit, down to the floor. The best record is taken whole if it is short. A section
 * brings along what it announces or embeds. An earlier record is chosen only behind the later one that says the same.
 */
export function chooseSections(
  ranked: readonly RankedSection[],
  budget: number,
  costs: Costs,
  { floor, wholeTokens }: ChoiceSettings,
): Choice {
  const [best] = ranked;
  if (best === undefined) return [];
  const chosen: { candidate: number; index: number }[] = [];
  const taken = new Map<number, Set<number>>();
  let left = budget;
  const take = (candidate: number, index: number): boolean => {
    const own = taken.get(candidate);
    if (own?.has(index) === true) return true;
    const later = own === undefined ? costs.laterOf(candidate) : null;
    if (later !== null && !taken.has(later)) {
      // One that may not be shown is not among them.
      const first = ranked.find((each) => each.candidate === later);
      if (first !== undefined && !take(later, first.index)) return false;
    }
    const cost = costs.ofSection(candidate, index) + (own === undefined ? costs.ofHeader(candidate) : 0);
    if (cost > left || costs.isRepeated(candidate, index)) return false;
    left -= cost;
    chosen.push({ candidate, index });
    taken.set(candidate, (own ?? new Set()).add(index));
    return true;
  };
  const takeWithNeeded = (candidate: number, index: number): void => {
    if (!take(candidate, index)) return;
    for (const needed of costs.neededBy(candidate, index)) take(needed.candidate, needed.index);
  };
  const all = Array.from({ length: costs.sectionsOf(best.candidate) }, (_, i) => i);
  const whole = all.reduce(
    (sum, i) => sum + costs.ofSection(best.candidate, i),
    costs.ofHeader(best.candidate),
  );
  if (whole <= wholeTokens) for (const index of [best.index, ...all]) takeWithNeeded(best.candidate, index);
  for (const { candidate, index, score } of ranked) {
    if (score < floor * best.score) break;
    takeWithNeeded(candidate, index);
  }
  return chosen;
}

/** A section among those of all candidates. */
export interface RankedSection {
  /** The position of its record among the candidates. */
  readonly candidate: number;
  /** Its position in the record. */
  readonly index: number;
  readonly section: JudgedSection;
  /** Comparable within one pack only. */
  readonly score: number;
}

export interface OrderSettings {
  /** How much the score of its record adds to that of a section. */
  readonly recordShare: number;
}

/**
 * All sections of all candidates, best first. The search ranks records, with what it knows of links, dates and sources; the sections of
 * a record share its score in proportion to how well they match by themselves.
 */
export function orderSections(
  candidates: readonly Pick<Candidate, 'relevance'>[],
  judged: readonly (readonly JudgedSection[])[],
  { recordShare }: OrderSettings,
): RankedSection[] {
  const ranked = judged.flatMap((sections, candidate) => {
    const best = sections.reduce((max, { match }) => Math.max(max, match), 0);
    const { relevance } = candidates[candidate]!;
    return sections.map((section, index): RankedSection => {
      const share = best === 0 ? (index === 0 ? 1 : 0) : section.match / best;
      return { candidate, index, section, score: relevance * (share + recordShare) };
    });
  });
  return ranked.sort((a, b) => b.score - a.score || a.candidate - b.candidate || a.index - b.index);
}
