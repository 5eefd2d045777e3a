import type { Deadline } from '../../core/time/deadline.ts';
import type { FieldWeights } from '../search-model.ts';
import type { TextFields } from './text-fields.ts';

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

/** How often a term occurs in each field of a passage. */
export type FieldCounts = Record<keyof TextFields, number>;

export function noCounts(): FieldCounts {
  return { title: 0, headings: 0, body: 0, tags: 0 };
}

/** The counts of all fields are packed into one number: the maximum of each count, and the offset of its bits. */
const TITLE = { max: 0x3f, shift: 0 };
const HEADINGS = { max: 0x3f, shift: 6 };
const BODY = { max: 0x3fff, shift: 12 };
const TAGS = { max: 0x3f, shift: 26 };
const MIN_CAPACITY = 8;

/** The posting list of a term: passage ids in ascending order, with the counts by field and the length of each passage. */
export class Postings {
  #passages: Uint32Array;
  #counts: Uint32Array;
  #lengths: Uint32Array;
  #size = 0;

  /** @param expectedSize the initial capacity in passages; it grows if needed */
  constructor(expectedSize: number) {
    const capacity = Math.max(MIN_CAPACITY, expectedSize);
    this.#passages = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#lengths = new Uint32Array(capacity);
  }

  /** The number of passages that contain the term. */
  get size(): number {
    return this.#size;
  }

  /** The memory that the list takes. */
  get bytes(): number {
    return this.#passages.byteLength + this.#counts.byteLength + this.#lengths.byteLength;
  }

  /** Adds a passage. Its id must be greater than all earlier ones. */
  append(passage: number, counts: Readonly<FieldCounts>, length: number): void {
    if (this.#size === this.#passages.length) this.#grow();
    this.#passages[this.#size] = passage;
    this.#counts[this.#size] = packed(counts);
    this.#lengths[this.#size] = length;
    this.#size++;
  }

  /** The id of the passage at an index, from 0. */
  passage(index: number): number {
    return this.#passages[index]!;
  }

  /** The number of terms in all fields of the passage at an index. */
  passageLength(index: number): number {
    return this.#lengths[index]!;
  }

  /** The frequency of the term in the passage at an index: the sum over the fields, each multiplied by its weight. */
  frequency(index: number, weights: FieldWeights): number {
    const bits = this.#counts[index]!;
    return (
      (bits & TITLE.max) * weights.title +
      ((bits >>> HEADINGS.shift) & HEADINGS.max) * weights.headings +
      ((bits >>> BODY.shift) & BODY.max) * weights.body +
      (bits >>> TAGS.shift) * weights.tags
    );
  }

  /** How often the term occurs in each field of the passage at an index. */
  counts(index: number): FieldCounts {
    const bits = this.#counts[index]!;
    return {
      title: bits & TITLE.max,
      headings: (bits >>> HEADINGS.shift) & HEADINGS.max,
      body: (bits >>> BODY.shift) & BODY.max,
      tags: bits >>> TAGS.shift,
    };
  }

  #grow(): void {
    this.#passages = enlarged(this.#passages);
    this.#counts = enlarged(this.#counts);
    this.#lengths = enlarged(this.#lengths);
  }
}

/** The posting list of all these terms together, as if they were one. */
export function unionOf(lists: readonly Postings[]): Postings {
  if (lists.length === 1) return lists[0]!;
  const union = new Postings(lists.reduce((sum, { size }) => sum + size, 0));
  const cursors = lists.map((list) => ({ list, index: 0 }));
  for (;;) {
    let passage = Number.POSITIVE_INFINITY;
    for (const { list, index } of cursors)
      if (index < list.size) passage = Math.min(passage, list.passage(index));
    if (passage === Number.POSITIVE_INFINITY) return union;
    const counts = noCounts();
    let length = 0;
    for (const cursor of cursors) {
      const { list, index } = cursor;
      if (index >= list.size || list.passage(index) !== passage) continue;
      const of = list.counts(index);
      counts.title += of.title;
      counts.headings += of.headings;
      counts.body += of.body;
      counts.tags += of.tags;
      length = list.passageLength(index);
      cursor.index++;
    }
    union.append(passage, counts, length);
  }
}

function packed({ title, headings, body, tags }: Readonly<FieldCounts>): number {
  return (
    Math.min(title, TITLE.max) |
    (Math.min(headings, HEADINGS.max) << HEADINGS.shift) |
    (Math.min(body, BODY.max) << BODY.shift) |
    (Math.min(tags, TAGS.max) << TAGS.shift)
  );
}

function enlarged(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.ceil(numbers.length * 1.5));
  larger.set(numbers);
  return larger;
}
