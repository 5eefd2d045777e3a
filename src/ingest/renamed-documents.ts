import { crc32 } from 'node:zlib';
import { eventLoopYielder } from '../core/threads/slices.ts';
import type { LociRecord } from '../core/types.ts';
import type { SourceDocument } from '../sources/source.ts';
import type { SourceEntry } from '../store/model.ts';

/** At most this many new documents are compared with this many missing ones, which takes less than a second. */
export const MAX_COMPARED = 1000;
/** Contents that are loaded at a time. */
const READ_BATCH = 64;

/** Hashes that are kept of a text. The share of equal hashes of longer texts is estimated, with a standard error of 0.03. */
const SKETCH_SIZE = 256;
/** Shorter texts have too few words to tell whether one was made from the other. */
const MIN_HASHES = 8;
/** UTF-16 code units from the beginning of a text that are compared. */
const MAX_SKETCHED_LENGTH = 100_000;
/** Two texts are versions of one document if they share this part of their pairs of words. */
const MIN_SIMILARITY = 0.8;
/** The best match is taken only if it is better than the next one by this much. */
const MIN_LEAD = 0.05;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The smallest hashes of the pairs of neighbouring words of a text, ascending and distinct (Broder 1997, bottom-k). */
type Sketch = Uint32Array;

export function sketch(text: string): Sketch {
  const words = text.slice(0, MAX_SKETCHED_LENGTH).toLowerCase().match(WORD) ?? [];
  const hashes = new Set<number>();
  for (let i = 1; i < words.length; i++) hashes.add(crc32(`${words[i - 1] ?? ''} ${words[i] ?? ''}`));
  return Uint32Array.from(hashes).sort().slice(0, SKETCH_SIZE);
}

/** The share of equal pairs of words (Dice), 0 to 1; exact for texts of at most 256 pairs. */
function similarity(a: Sketch, b: Sketch): number {
  if (a.length < MIN_HASHES || b.length < MIN_HASHES) return 0;
  let shared = 0;
  let total = 0;
  for (let i = 0, j = 0; total < SKETCH_SIZE && (i < a.length || j < b.length); total++) {
    const left = a[i] ?? Infinity;
    const right = b[j] ?? Infinity;
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return (2 * shared) / (total + shared);
}

interface Best<Other> {
  readonly other: Other;
  readonly score: number;
  /** The score of the next one. */
  readonly next: number;
}

/**
 * Pairs documents that are nearly the same: each is the best match of the other, by a clear lead. The others stay alone.
 * Yields to the event loop.
 */
async function pairSimilar<A, B>(
  as: readonly (readonly [A, Sketch])[],
  bs: readonly (readonly [B, Sketch])[],
): Promise<Map<A, B>> {
  const bestOfA = new Map<A, Best<B>>();
  const bestOfB = new Map<B, Best<A>>();
  const yieldIfBusy = eventLoopYielder();
  for (const [a, sketchOfA] of as) {
    for (const [b, sketchOfB] of bs) {
      const score = similarity(sketchOfA, sketchOfB);
      if (score < MIN_SIMILARITY - MIN_LEAD) continue;
      bestOfA.set(a, better(bestOfA.get(a), b, score));
      bestOfB.set(b, better(bestOfB.get(b), a, score));
    }
    await yieldIfBusy();
  }
  const pairs = [...bestOfA].flatMap(([a, best]): [A, B][] => {
    const back = bestOfB.get(best.other);
    const isPair = back?.other === a && isClear(best) && isClear(back);
    return isPair ? [[a, best.other]] : [];
  });
  return new Map(pairs);
}

function better<Other>(best: Best<Other> | undefined, other: Other, score: number): Best<Other> {
  if (best === undefined) return { other, score, next: 0 };
  if (score > best.score) return { other, score, next: best.score };
  return { ...best, next: Math.max(best.next, score) };
}

function isClear({ score, next }: Best<unknown>): boolean {
  return score >= MIN_SIMILARITY && score - next >= MIN_LEAD;
}

/** A document that has no entry, and that may be an edited version of one that is missing. */
export interface NewDocument {
  readonly document: SourceDocument;
  readonly contentHash: string;
  readonly sketch: Sketch;
}

/**
 * Finds the missing document that each new one was made from by a small edit, if that is clear.
 * @param read loads records; those that are gone are left out
 */
export async function pairRenamed(
  added: readonly NewDocument[],
  missing: readonly SourceEntry[],
  read: (ids: readonly number[]) => Promise<readonly LociRecord[]>,
): Promise<ReadonlyMap<NewDocument, SourceEntry>> {
  if (added.length === 0 || missing.length > MAX_COMPARED) return new Map();
  const sketches: (readonly [SourceEntry, Sketch])[] = [];
  for (let start = 0; start < missing.length; start += READ_BATCH) {
    const batch = missing.slice(start, start + READ_BATCH);
    const records = await read(batch.map(({ id }) => id));
    const contents = new Map(records.map(({ id, content }) => [id, content]));
    for (const entry of batch) sketches.push([entry, sketch(contents.get(entry.id) ?? '')]);
  }
  const pairs = await pairSimilar(
    added.map((document) => [document, document.sketch]),
    sketches,
  );
  // Two documents that have ids of their own are two documents.
  const areDistinct = ([{ document }, entry]: [NewDocument, SourceEntry]): boolean =>
    document.identity !== null && entry.identity !== null;
  return new Map([...pairs].filter((pair) => !areDistinct(pair)));
}

/** Stored entries whose document is no longer listed. A new document may be one of them under another name. */
export class MissingDocuments {
  readonly #byKey: Map<string, SourceEntry>;
  readonly #byIdentity = new Map<string, string>();
  readonly #byContent: Map<string, SourceEntry[]>;

  constructor(entries: ReadonlyMap<string, SourceEntry>) {
    this.#byKey = new Map(entries);
    this.#byContent = Map.groupBy(entries.values(), ({ contentHash }) => contentHash);
    for (const { key, identity } of entries.values())
      if (identity !== null) this.#byIdentity.set(identity, key);
  }

  /** Finds and removes the entry that a new document was renamed from: the one with its identity, else one with its content. */
  take(identity: string | null, contentHash: string): SourceEntry | undefined {
    const byIdentity = identity === null ? undefined : this.#byKey.get(this.#byIdentity.get(identity) ?? '');
    const found = byIdentity ?? this.#takeFirst(this.#byContent.get(contentHash) ?? []);
    if (found !== undefined) this.remove(found);
    return found;
  }

  /** Takes the first entry with the same content that has not been taken. */
  #takeFirst(entries: SourceEntry[]): SourceEntry | undefined {
    for (let entry = entries.shift(); entry !== undefined; entry = entries.shift())
      if (this.#byKey.has(entry.key)) return entry;
    return undefined;
  }

  remove({ key }: SourceEntry): void {
    this.#byKey.delete(key);
  }

  get size(): number {
    return this.#byKey.size;
  }

  entries(): SourceEntry[] {
    return [...this.#byKey.values()];
  }
}
