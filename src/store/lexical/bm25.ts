import type { FieldWeights } from '../search-model.ts';
import type { Postings } from './postings.ts';

/** What an index counts over all of its passages. */
export interface IndexTotals {
  readonly passages: number;
  /** Over all fields. */
  readonly terms: number;
}

export interface Scored {
  readonly passage: number;
  readonly score: number;
}

/** The constants of FTS5's bm25(), which this is, sum for sum (Robertson & Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
/** What a term counts for that more than half of the passages hold. */
const LEAST_IDF = 1e-6;

/** Passages whose scores are summed side by side: as many as stay in the processor's nearest cache. */
const WINDOW = 4096;

/** The passages of these terms that score best by BM25F as FTS5 reckons it; best first, ties by passage. */
export function bestByBm25(
  terms: readonly Postings[],
  totals: IndexTotals,
  weights: FieldWeights,
  limit: number,
): Scored[] {
  const average = totals.terms / totals.passages;
  const cursors = terms.map((postings) => ({ postings, at: 0, idf: idfOf(postings.size, totals.passages) }));
  const scores = new Float64Array(WINDOW);
  const touched = new Uint32Array(WINDOW);
  const isTouched = new Uint8Array(WINDOW);
  const best = new Best(limit);
  for (;;) {
    let first = Number.POSITIVE_INFINITY;
    for (const { postings, at } of cursors)
      if (at < postings.size) first = Math.min(first, postings.passage(at));
    if (first === Number.POSITIVE_INFINITY) return best.inOrder();
    let count = 0;
    for (const cursor of cursors) {
      const { postings, idf } = cursor;
      for (; cursor.at < postings.size; cursor.at++) {
        const slot = postings.passage(cursor.at) - first;
        if (slot >= WINDOW) break;
        const frequency = postings.frequency(cursor.at, weights);
        const length = postings.passageLength(cursor.at);
        if (isTouched[slot] === 0) touched[count++] = slot;
        isTouched[slot] = 1;
        scores[slot]! += idf * ((frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / average)));
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

function idfOf(held: number, passages: number): number {
  const idf = Math.log((passages - held + 0.5) / (held + 0.5));
  return idf <= 0 ? LEAST_IDF : idf;
}

/** Keeps the best of many. */
class Best {
  readonly #limit: number;
  #held: Scored[] = [];
  /** What is below is not among the best. */
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(passage: number, score: number): void {
    if (score < this.#threshold) return;
    this.#held.push({ passage, score });
    if (this.#held.length < this.#limit * 4) return;
    this.#held = this.inOrder();
    this.#threshold = this.#held.at(-1)?.score ?? this.#threshold;
  }

  inOrder(): Scored[] {
    return this.#held.sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, this.#limit);
  }
}
