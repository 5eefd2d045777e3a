import type { Deadline } from '../../core/time/deadline.ts';
import type { FieldWeights } from '../search-model.ts';
import type { Postings } from './postings.ts';

/** Totals over all passages of an index. */
export interface IndexTotals {
  readonly passages: number;
  /** The number of terms in all fields. */
  readonly terms: number;
}

interface Scored {
  readonly passage: number;
  readonly score: number;
}

/** The constants of FTS5's bm25() (Robertson & Zaragoza 2009). The scores here are equal to those of FTS5. */
export const K1 = 1.2;
export const B = 0.75;
/** The IDF of a term that at least half of the passages contain, for which the formula gives no positive number. */
export const MIN_IDF = 1e-6;

/** Scores are summed for this many passages at a time, so that they stay in the processor's L1 cache. */
const WINDOW_SIZE = 4096;

/**
 * The best passages for these terms by BM25F as FTS5 computes it; best first, ties by passage id. Past the deadline, the best
 * of those that were scored until then.
 */
export function bestByBm25(
  terms: readonly Postings[],
  totals: IndexTotals,
  weights: FieldWeights,
  limit: number,
  deadline: Deadline,
): Scored[] {
  const averageLength = totals.terms / totals.passages;
  const cursors = terms.map((postings) => ({
    postings,
    index: 0,
    idf: idfOf(postings.size, totals.passages),
  }));
  const scores = new Float64Array(WINDOW_SIZE);
  const touched = new Uint32Array(WINDOW_SIZE);
  const isTouched = new Uint8Array(WINDOW_SIZE);
  const best = new TopPassages(limit);
  for (;;) {
    let first = Number.POSITIVE_INFINITY;
    for (const { postings, index } of cursors)
      if (index < postings.size) first = Math.min(first, postings.passage(index));
    if (first === Number.POSITIVE_INFINITY || deadline.isPast) return best.inOrder();
    let count = 0;
    for (const cursor of cursors) {
      const { postings, idf } = cursor;
      for (; cursor.index < postings.size; cursor.index++) {
        const slot = postings.passage(cursor.index) - first;
        if (slot >= WINDOW_SIZE) break;
        const frequency = postings.frequency(cursor.index, weights);
        const length = postings.passageLength(cursor.index);
        if (isTouched[slot] === 0) touched[count++] = slot;
        isTouched[slot] = 1;
        scores[slot]! +=
          idf * ((frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength)));
      }
    }
    for (let i = 0; i < count; i++) {
      const slot = touched[i]!;
      best.offer(first + slot, scores[slot]!);
      scores[slot] = 0;
      isTouched[slot] = 0;
    }
  }
}

function idfOf(documentFrequency: number, passages: number): number {
  const idf = Math.log((passages - documentFrequency + 0.5) / (documentFrequency + 0.5));
  return idf <= 0 ? MIN_IDF : idf;
}

/** Collects scored passages and returns the best of them. */
class TopPassages {
  readonly #limit: number;
  #candidates: Scored[] = [];
  /** Passages with a lower score cannot be among the best. */
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(passage: number, score: number): void {
    if (score < this.#threshold) return;
    this.#candidates.push({ passage, score });
    if (this.#candidates.length < this.#limit * 4) return;
    this.#candidates = this.inOrder();
    this.#threshold = this.#candidates.at(-1)?.score ?? this.#threshold;
  }

  inOrder(): Scored[] {
    return this.#candidates.sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, this.#limit);
  }
}
