import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { Span } from '../../core/types.ts';
import { sectionsOf } from '../../pack/sections/cut.ts';
import { LineCounter } from '../../pack/text/span.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { noteHead, type NoteHead, type PoolFile, readOrReport } from '../pools/pool-files.ts';

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

/** Numbers for terms, from 1, so that the terms of a note take little memory and are compared fast. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();

  /** The largest number. */
  get size(): number {
    return this.#numbers.size;
  }

  /** The number of a term; 0 for one that no note has. */
  find(term: string): number {
    return this.#numbers.get(term) ?? 0;
  }

  /** The number of a term, which it has from now on. */
  of(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    this.#numbers.set(flattened(term), this.size + 1);
    return this.size;
  }

  /** The numbers of all terms that begin with a prefix. */
  startingWith(prefix: string): number[] {
    const found: number[] = [];
    for (const [term, number] of this.#numbers) if (term.startsWith(prefix)) found.push(number);
    return found;
  }
}

/** A copy of a string that may be a part of another, which it would keep in memory. V8 copies strings of up to 12 characters. */
function flattened(text: string): string {
  return text.length <= 12 ? text : Buffer.from(text).toString();
}

/** The terms of a note, as numbers of a vocabulary. */
export interface NoteTerms {
  /** Parses the front matter at the first call, because few notes become results. */
  readonly head: () => NoteHead;
  /** Those of its title, its aliases and the name of its file. */
  readonly title: Uint32Array;
  /** Those of its passages, one after another. A 0 is between two fields. */
  readonly terms: Uint32Array;
  readonly passages: readonly PassageTerms[];
}

/** Where the terms of a passage are, and its lines, from 1 and inclusive. Its headings come before its text. */
export interface PassageTerms {
  readonly start: number;
  readonly headingsEnd: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
}

/** A longer title or heading is cut, because passages repeat it. UTF-16 code units. */
const MAX_HEADING_LENGTH = 200;

/**
 * Cuts a note into passages and numbers their terms, in time linear in its length. The first passage has the properties of the note
 * too, and begins on its first line.
 */
export function noteTerms(key: string, text: string, vocabulary: Vocabulary): NoteTerms {
  const front = flattened(text.slice(0, frontMatterSpan(text)?.bodyStart ?? 0));
  const head = headOf(key, front);
  const lines = new LineCounter(text);
  const terms: number[] = [];
  const passages: PassageTerms[] = [];
  for (const { start, end, above } of passagesOf(text)) {
    const from = terms.length;
    pushTerms(above, vocabulary, terms);
    const headingsEnd = terms.length;
    pushTerms(text.slice(start, end), vocabulary, terms);
    const isFirst = passages.length === 0;
    if (isFirst) pushTerms(front, vocabulary, terms);
    passages.push({
      start: from,
      headingsEnd,
      end: terms.length,
      startLine: isFirst ? 1 : lines.lineOf(start),
      endLine: lines.lineOf(Math.max(start, end - 1)),
    });
  }
  const title: number[] = [];
  for (const each of titlesOf(key, HAS_TITLES.test(front) ? head() : noteHead(key, '')))
    pushTerms(each.slice(0, MAX_HEADING_LENGTH), vocabulary, title);
  return { head, title: new Uint32Array(title), terms: new Uint32Array(terms), passages };
}

const HAS_TITLES = /title|alias/i;

function headOf(key: string, front: string): () => NoteHead {
  let head: NoteHead | null = null;
  return () => (head ??= noteHead(key, front));
}

interface PassageSpan extends Span {
  /** The headings above it. */
  readonly above: string;
}

/** Shorter sections are put together, so that an outline does not become one passage a line. UTF-16 code units. */
const MIN_PASSAGE_LENGTH = 300;

/** The passages of a text, at least one: its sections, short ones with what follows. */
function passagesOf(text: string): PassageSpan[] {
  const passages: PassageSpan[] = [];
  for (const { start, end, headings } of sectionsOf(text)) {
    const last = passages.at(-1);
    if (last !== undefined && last.end - last.start < MIN_PASSAGE_LENGTH)
      passages[passages.length - 1] = { ...last, end };
    else passages.push({ start, end, above: headingsAbove(text, start, headings) });
  }
  return passages.length === 0 ? [{ start: 0, end: 0, above: '' }] : passages;
}

/** Without the one that the section begins with. */
function headingsAbove(text: string, start: number, headings: readonly Span[]): string {
  return headings
    .filter((heading) => heading.start < start)
    .map((heading) => text.slice(heading.start, Math.min(heading.end, heading.start + MAX_HEADING_LENGTH)))
    .join('\n');
}
const MAX_ALIASES = 20;

function titlesOf(key: string, { title, frontMatter }: NoteHead): Set<string> {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const aliases = [frontMatter['aliases']].flat().filter((each) => typeof each === 'string');
  return new Set([title, name, ...aliases.slice(0, MAX_ALIASES)]);
}

/** Pushes the words of a text in order, then its additional terms, and a 0. */
function pushTerms(text: string, vocabulary: Vocabulary, terms: number[]): void {
  if (text === '') return;
  const words = analyze(text);
  for (const { term } of words) terms.push(vocabulary.of(term));
  const additional = new Set(additionalTerms(text, words).map(({ term }) => term));
  for (const term of additional) terms.push(0, vocabulary.of(term));
  terms.push(0);
}
