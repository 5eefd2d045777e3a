import type { FieldWeights } from '../search-model.ts';
import type { TextFields } from './text-fields.ts';

/** How often a term stands in each field of a passage. */
export type FieldCounts = Record<keyof TextFields, number>;

export function noCounts(): FieldCounts {
  return { title: 0, headings: 0, body: 0, tags: 0 };
}

/** What the bits of each field's count can hold, and where they begin in the one number: nobody writes a word more often. */
const TITLE = { most: 0x3f, at: 0 };
const HEADINGS = { most: 0x3f, at: 6 };
const BODY = { most: 0x3fff, at: 12 };
const TAGS = { most: 0x3f, at: 26 };
const SMALLEST_ROOM = 8;

/** Where a term stands: passages in ascending order, how often in each field, and of how many terms the passage is. */
export class Postings {
  #passages: Uint32Array;
  #counts: Uint32Array;
  #lengths: Uint32Array;
  #size = 0;

  /** @param room for so many passages; it grows */
  constructor(room: number) {
    const capacity = Math.max(SMALLEST_ROOM, room);
    this.#passages = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#lengths = new Uint32Array(capacity);
  }

  /** How many passages hold the term. */
  get size(): number {
    return this.#size;
  }

  /** Its id must be above those that are there. */
  append(passage: number, counts: Readonly<FieldCounts>, length: number): void {
    if (this.#size === this.#passages.length) this.#grow();
    this.#passages[this.#size] = passage;
    this.#counts[this.#size] = packed(counts);
    this.#lengths[this.#size] = length;
    this.#size++;
  }

  /** Of the passage at this place, from 0. */
  passage(place: number): number {
    return this.#passages[place]!;
  }

  /** In terms, over all fields. */
  passageLength(place: number): number {
    return this.#lengths[place]!;
  }

  /** How often the term stands in the passage at this place, each field by its weight. */
  frequency(place: number, weights: FieldWeights): number {
    const bits = this.#counts[place]!;
    return (
      (bits & TITLE.most) * weights.title +
      ((bits >>> HEADINGS.at) & HEADINGS.most) * weights.headings +
      ((bits >>> BODY.at) & BODY.most) * weights.body +
      (bits >>> TAGS.at) * weights.tags
    );
  }

  #grow(): void {
    this.#passages = enlarged(this.#passages);
    this.#counts = enlarged(this.#counts);
    this.#lengths = enlarged(this.#lengths);
  }
}

function packed({ title, headings, body, tags }: Readonly<FieldCounts>): number {
  return (
    Math.min(title, TITLE.most) |
    (Math.min(headings, HEADINGS.most) << HEADINGS.at) |
    (Math.min(body, BODY.most) << BODY.at) |
    (Math.min(tags, TAGS.most) << TAGS.at)
  );
}

function enlarged(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.ceil(numbers.length * 1.5));
  larger.set(numbers);
  return larger;
}
