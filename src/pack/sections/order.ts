import type { Candidate } from '../candidate.ts';
import type { JudgedSection } from './judge.ts';

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
