import type { Metadata, Timestamp } from '../core/types.ts';

/** A document that a command printed: a todo, an event, a message. */
export interface MemoryDocument {
  /** Unique within its source. */
  readonly id: string;
  readonly text: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  /** When the event happens, the todo is due or the message was sent. */
  readonly timestamp: Timestamp | null;
  readonly metadata: Metadata;
  /** `null` if the document is not a task. */
  readonly completed: boolean | null;
  readonly project: string | null;
  readonly url: string | null;
}

/** A problem with one document or with all of them, for the owner of the source. */
export interface DocumentProblem {
  /** The position of the document in the output, from 1; `null` if the problem concerns all documents. */
  readonly index: number | null;
  readonly id: string | null;
  readonly detail: string;
  /** Whether the document was left out. */
  readonly skipped: boolean;
}

/** The parsed output of one run of a command. */
export interface FetchResult {
  /** Their ids differ. */
  readonly documents: readonly MemoryDocument[];
  readonly problems: readonly DocumentProblem[];
  /** The number of documents in the output, including invalid ones. */
  readonly printed: number;
  readonly bytes: number;
  /** The end of its standard error. */
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface FetchOptions {
  /** The file to start. By default it is looked up in PATH. */
  readonly program?: string | null;
  readonly signal?: AbortSignal;
}

/** A program that prints documents. */
export interface DocumentSource {
  /** The program and its arguments, as they are passed to the system. */
  readonly argv: readonly string[];
  /**
   * Runs the program once and waits until it exits.
   * @throws LociError `source_failed` with the reason; `aborted`
   */
  fetch(options: FetchOptions): Promise<FetchResult>;
}

/** A folder with a `SKILL.md` whose front matter defines a source. */
export interface FoundSkill {
  readonly id: string;
  /** The real path of the folder. */
  readonly folder: string;
  /** The value of `memorySource:` without its id, not validated yet. */
  readonly memorySource: unknown;
  /** Why it cannot be read; `null` if it can. */
  readonly problem: string | null;
}
