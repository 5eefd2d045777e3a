import type { Metadata, Timestamp } from '../core/types.ts';

/** One thing that a command source tells: a todo, an event, a message. */
export interface MemoryDocument {
  /** Unique within its source. */
  readonly id: string;
  readonly text: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  /** When it was, is or will be. */
  readonly timestamp: Timestamp | null;
  readonly metadata: Metadata;
  /** `null` for what cannot be done. */
  readonly completed: boolean | null;
  readonly project: string | null;
  readonly url: string | null;
}

/** Something about a document that the owner should know. */
export interface DocumentProblem {
  /** Its place in what was printed, from 1; `null` for what is wrong with all of them. */
  readonly index: number | null;
  readonly id: string | null;
  readonly detail: string;
  /** Whether it was left out. */
  readonly skipped: boolean;
}

/** What a command printed, read. */
export interface Fetched {
  /** No two with the same id. */
  readonly documents: readonly MemoryDocument[];
  readonly problems: readonly DocumentProblem[];
  /** Documents in what was printed, good or bad. */
  readonly printed: number;
  readonly bytes: number;
  /** The end of what it said beside. */
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface FetchOptions {
  /** The file to start; what PATH finds unless given. */
  readonly program?: string | null;
  readonly signal?: AbortSignal;
}

/** A program that prints documents. */
export interface DocumentSource {
  /** The program and its arguments, as they are given to the system. */
  readonly argv: readonly string[];
  /**
   * Runs it once, to its end.
   * @throws LociError `source_failed` that says what happened; `aborted`
   */
  fetch(options: FetchOptions): Promise<Fetched>;
}

/** A folder with a `SKILL.md` that names a source. */
export interface FoundSkill {
  readonly id: string;
  /** The real path of its folder. */
  readonly folder: string;
  /** As they stand in `memorySource:`, not parsed yet. */
  readonly written: unknown;
  /** Why it cannot be read. */
  readonly problem: string | null;
}
