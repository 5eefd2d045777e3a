import { DEFAULT_RANKING } from '../../search/rank/ranking.ts';
import { idfWeight } from '../../search/retrieve/text.ts';
import { B, K1 } from '../../store/lexical/bm25.ts';
import type { NoteTerms, PassageTerms } from './note-terms.ts';
import type { PartFinder } from './query-terms.ts';

const { fields, coverageFloor } = DEFAULT_RANKING;
const FLOOR = coverageFloor!.notes;

/** A passage that has parts of the query. */
interface Match {
  readonly note: number;
  readonly passage: PassageTerms;
  /** The number of its terms. */
  readonly length: number;
  /** The parts that it has, and how often, weighted by field. */
  readonly parts: readonly number[];
  readonly counts: readonly number[];
}

export interface RankedNote {
  readonly note: number;
  readonly passage: PassageTerms;
  readonly score: number;
}

/**
 * Ranks notes by their best passage: BM25F, lowered by the share of the query that the passage lacks. How rare a part of the query is
 * depends on the notes that are searched alone.
 */
export class NoteRanking {
  readonly #finder: PartFinder;
  readonly #matches: Match[] = [];
  /** The number of passages that have each part. */
  readonly #frequencies: Float64Array;
  readonly #counts: Float64Array;
  readonly #countsOfTitle: Float64Array;
  #passages = 0;
  #terms = 0;

  constructor(finder: PartFinder) {
    this.#finder = finder;
    const parts = finder.parts.length;
    this.#frequencies = new Float64Array(parts);
    this.#counts = new Float64Array(parts);
    this.#countsOfTitle = new Float64Array(parts);
  }

  /** @param note the number that the ranking returns */
  add(note: number, { title, terms, passages }: NoteTerms): void {
    const [finder, counts] = [this.#finder, this.#counts];
    this.#countsOfTitle.fill(0);
    const isTitled = finder.count(title, 0, title.length, fields.title, this.#countsOfTitle);
    for (const passage of passages) {
      const { start, headingsEnd, end } = passage;
      const length = title.length + end - start;
      this.#passages++;
      this.#terms += length;
      counts.set(this.#countsOfTitle);
      const inHeadings = finder.count(terms, start, headingsEnd, fields.headings, counts);
      const inText = finder.count(terms, headingsEnd, end, fields.body, counts);
      if (isTitled || inHeadings || inText) this.#addMatch(note, passage, length);
    }
  }

  #addMatch(note: number, passage: PassageTerms, length: number): void {
    const parts: number[] = [];
    const counts: number[] = [];
    for (let part = 0; part < this.#counts.length; part++) {
      const count = this.#counts[part]!;
      if (count > 0) {
        parts.push(part);
        counts.push(count);
        this.#frequencies[part]!++;
      } else if (this.#finder.parts[part]!.isRequired) return;
    }
    this.#matches.push({ note, passage, length, parts, counts });
  }

  /** The best notes, best first; equal ones as they were added. */
  best(): RankedNote[] {
    const average = this.#terms / this.#passages;
    const idf = Array.from(this.#frequencies, (frequency) => idfOf(frequency, this.#passages));
    const needed = this.#finder.parts.map(({ isNeeded }, part) =>
      isNeeded ? idfWeight(this.#frequencies[part]!) : 0,
    );
    const whole = sum(needed);
    const best = new Map<number, RankedNote>();
    for (const { note, passage, length, parts, counts } of this.#matches) {
      const norm = K1 * (1 - B + (B * length) / average);
      let bm25 = 0;
      let covered = 0;
      for (const [i, part] of parts.entries()) {
        bm25 += (idf[part]! * counts[i]! * (K1 + 1)) / (counts[i]! + norm);
        covered += needed[part]!;
      }
      const share = whole === 0 ? 1 : covered / whole;
      const score = bm25 * (FLOOR + (1 - FLOOR) * share);
      if (score > (best.get(note)?.score ?? 0)) best.set(note, { note, passage, score });
    }
    return [...best.values()].sort((a, b) => b.score - a.score || a.note - b.note);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The IDF of Lucene, which is above 0 for a term that most passages have. */
function idfOf(frequency: number, passages: number): number {
  return Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));
}
