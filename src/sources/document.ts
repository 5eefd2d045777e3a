import type { Metadata, Timestamp } from '../core/types.ts';

/** A document of a source: a todo, an event, a message. */
export interface MemoryDocument {
  /** Unique within its source. */
  readonly id: string;
  readonly text: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  /** When the event happens, the todo is due or the message was sent. */
  readonly timestamp: Timestamp | null;
  /** Whether it is a day without a time. `timestamp` is then the beginning of that day on this machine. */
  readonly wholeDay: boolean;
  readonly metadata: Metadata;
  /** `null` if the document is not a task. */
  readonly completed: boolean | null;
  readonly project: string | null;
  readonly url: string | null;
}

/** A document as a function returns it. Values that JSON cannot express are left out; a `Date` is a valid timestamp. */
export interface FetchedDocument {
  /** Identifies the document within its source at every fetch. */
  readonly id: string | number;
  /** The text that is searched; without one, the title. */
  readonly text?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** When it is due, happens or was sent: ISO 8601, or seconds or milliseconds since 1970. */
  readonly timestamp?: number | string | Date | null;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>>;
  /** Whether a task is done. A document with this field is a task. */
  readonly completed?: boolean;
  readonly project?: string;
  /** The page of the document at its source. */
  readonly url?: string;
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

/** The documents of one run of a command, or of one call of a function. */
export interface FetchResult {
  /** Their ids differ. */
  readonly documents: readonly MemoryDocument[];
  readonly problems: readonly DocumentProblem[];
  /** The number of documents in the output, including invalid ones. */
  readonly printed: number;
  readonly bytes: number;
  /** The end of the standard error of a command. */
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface FetchOptions {
  /** The file that a command starts. By default it is looked up in PATH. */
  readonly program?: string | null;
  readonly signal?: AbortSignal;
}

/** Something that documents are fetched from. */
export interface DocumentSource {
  /**
   * Fetches all documents once.
   * @throws LociError `source_failed` with the reason; `aborted`
   */
  fetch(options: FetchOptions): Promise<FetchResult>;
}

/** A program that prints documents. To fetch runs it once, and waits until it exits. */
export interface CommandSource extends DocumentSource {
  /** The program and its arguments, as they are passed to the system. */
  readonly argv: readonly string[];
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
