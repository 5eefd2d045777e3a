import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import type { PoolFile } from '../pools/pool-files.ts';
import { noteTerms, type NoteTerms } from './note-terms.ts';
import { readNote, type NoteText } from './read-note.ts';
import { Vocabulary } from './vocabulary.ts';

/** The terms of a version of a note. */
export interface CachedNote {
  readonly revision: string;
  readonly terms: NoteTerms;
  readonly bytes: number;
}

export interface NoteCacheOptions {
  /** About the memory that it takes at most. */
  readonly maxBytes: number;
  readonly now: () => number;
}

/** The clock of a file system moves in steps of some milliseconds: a file that has just been changed may change without a new revision. */
const RECENT_MS = 100;

/** Caches the terms of notes, as far as there is room. */
export class NoteCache {
  readonly vocabulary = new Vocabulary();
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** By root of a pool, then by path below it. */
  readonly #notes = new Map<string, Map<string, CachedNote>>();
  #noteBytes = 0;
  /** Of notes that are not cached any more. The vocabulary still has their terms. */
  #droppedBytes = 0;

  constructor({ maxBytes, now }: NoteCacheOptions) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** Whether so much of the vocabulary may be unused that an empty cache should take its place. */
  get isWorn(): boolean {
    return this.#droppedBytes > this.#maxBytes / 4;
  }

  /**
   * The terms of a note as it is now; `'full'` if there is no room for them, and `null` if it cannot be read.
   * @param report called with the reason why it cannot be read
   */
  noteOf(
    root: string,
    { key, revision }: PoolFile,
    report: (why: string) => void,
  ): CachedNote | 'full' | null {
    const cached = this.#notes.get(root)?.get(key);
    if (cached?.revision === revision) return cached;
    this.#drop(root, key);
    if (this.#noteBytes + this.vocabulary.bytes >= this.#maxBytes) return 'full';
    const read = readOrReport(root, key, report);
    if (read === null) return null;
    const terms = noteTerms(key, read.text, this.vocabulary);
    const isRecent = this.#now() - read.changedAt < RECENT_MS;
    const note = {
      revision: isRecent ? '' : read.revision,
      terms,
      bytes: bytesOf(key, read.text, terms),
    };
    const ofRoot = this.#notes.get(root);
    if (ofRoot === undefined) this.#notes.set(root, new Map([[key, note]]));
    else ofRoot.set(key, note);
    this.#noteBytes += note.bytes;
    return note;
  }

  has(root: string, { key, revision }: PoolFile): boolean {
    return this.#notes.get(root)?.get(key)?.revision === revision;
  }

  /** Drops the notes of all pools but these. */
  keepRoots(roots: ReadonlySet<string>): void {
    for (const root of this.#notes.keys()) if (!roots.has(root)) this.keepOnly(root, NO_KEYS);
  }

  /** Drops the notes of a pool that are not among these. */
  keepOnly(root: string, keys: ReadonlySet<string>): void {
    for (const key of this.#notes.get(root)?.keys() ?? []) if (!keys.has(key)) this.#drop(root, key);
  }

  #drop(root: string, key: string): void {
    const ofRoot = this.#notes.get(root);
    const bytes = ofRoot?.get(key)?.bytes;
    if (ofRoot === undefined || bytes === undefined) return;
    ofRoot.delete(key);
    this.#noteBytes -= bytes;
    this.#droppedBytes += bytes;
  }
}

/** What the system reports when a file is gone, also because a link or a file has taken the place of its folder. */
const GONE: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Reads a note. It is none if it is gone; another reason is reported. */
export function readOrReport(root: string, key: string, report: (why: string) => void): NoteText | null {
  try {
    const read = readNote(root, key);
    if (read === null || 'text' in read) return read;
    report(read.problem);
  } catch (error) {
    if (!GONE.has(systemErrorCode(error))) report(describeFileError(error));
  }
  return null;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Objects, keys of maps, and a passage. */
const BYTES_PER_NOTE = 600;
const BYTES_PER_PASSAGE = 80;
const BYTES_PER_PROPERTY_CHARACTER = 8;

function bytesOf(key: string, text: string, { title, terms, passages }: NoteTerms): number {
  const frontMatter = BYTES_PER_PROPERTY_CHARACTER * (frontMatterSpan(text)?.yamlEnd ?? 0);
  return (
    BYTES_PER_NOTE +
    2 * key.length +
    frontMatter +
    title.byteLength +
    terms.byteLength +
    BYTES_PER_PASSAGE * passages.length
  );
}
