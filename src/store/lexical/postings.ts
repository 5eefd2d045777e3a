import type { FieldWeights } from '../search-model.ts';
import type { TextFields } from './text-fields.ts';

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
