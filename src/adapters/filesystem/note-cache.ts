import { type PoolFile, readOrReport } from '../pools/pool-files.ts';
import { noteTerms, type NoteTerms, Vocabulary } from './note-terms.ts';

/** The terms of a version of a note. */
export interface CachedNote {
  readonly revision: string;
  readonly terms: NoteTerms;
}

/** The clock of a file system moves in steps of some milliseconds: a file that has just been changed may change without a new revision. */
const RECENT_MS = 100;
/** So many terms of notes that are not cached any more may be left in the vocabulary: about 100 MB if all of them differ. */
const MAX_DROPPED_TERMS = 1_000_000;

/** Caches the terms of notes. */
export class NoteCache {
  readonly vocabulary = new Vocabulary();
  readonly #now: () => number;
  /** By root of a pool, then by path below it. */
  readonly #notes = new Map<string, Map<string, CachedNote>>();
  #droppedTerms = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether so much of the vocabulary may be unused that an empty cache should take its place. */
  get isWorn(): boolean {
    return this.#droppedTerms > MAX_DROPPED_TERMS;
  }

  /**
   * The terms of a note as it is now; `null` if it cannot be read.
   * @param report called with the reason why it cannot be read
   */
  noteOf(root: string, { key, revision }: PoolFile, report: (why: string) => void): CachedNote | null {
    const notes = this.#notes.get(root) ?? new Map<string, CachedNote>();
    this.#notes.set(root, notes);
    const cached = notes.get(key);
    if (cached?.revision === revision) return cached;
    this.#drop(notes, key);
    const read = readOrReport(root, key, report);
    if (read === null) return null;
    const isRecent = this.#now() - read.changedAt < RECENT_MS;
    const note = {
      revision: isRecent ? '' : read.revision,
      terms: noteTerms(key, read.text, this.vocabulary),
    };
    notes.set(key, note);
    return note;
  }

  has(root: string, { key, revision }: PoolFile): boolean {
    return this.#notes.get(root)?.get(key)?.revision === revision;
  }

  /** Drops the notes of all pools but these. */
  keepRoots(roots: ReadonlySet<string>): void {
    for (const root of this.#notes.keys()) if (!roots.has(root)) this.keepOnly(root, new Set());
  }

  /** Drops the notes of a pool that are not among these. */
  keepOnly(root: string, keys: ReadonlySet<string>): void {
    const notes = this.#notes.get(root);
    for (const key of notes?.keys() ?? []) if (!keys.has(key)) this.#drop(notes!, key);
  }

  #drop(notes: Map<string, CachedNote>, key: string): void {
    this.#droppedTerms += notes.get(key)?.terms.terms.length ?? 0;
    notes.delete(key);
  }
}
