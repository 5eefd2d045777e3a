import type { Trust } from './types.ts';

/** The user or agent that makes a call. */
export interface Caller {
  /** The authenticated subject. A caller reads and changes only records of its own namespace. */
  readonly namespace: string;
  /** Name in the audit log: a Unix user, the name of a token, a client. */
  readonly actor: string;
  /** `cli`, `library`, `mcp`, `rest` or `web`. It is the source of the records that the caller writes. */
  readonly surface: string;
  /** Trust class of the records that the caller writes. */
  readonly trust: Trust;
  /** The session of the agent that calls, as its client names it. */
  readonly session?: string;
  /** Whether what it changes stays out of the inbox, because the owner decides on it in another way. */
  readonly isReviewed?: boolean;
}

/** Whether the inbox has what a caller changes. */
export function isForInbox({ trust, session, isReviewed = false }: Caller): boolean {
  return !isReviewed && (trust === 'agent' || session !== undefined);
}

/**
 * `read` reads the memory of the caller, `write` changes it, `admin` administers it, and `operator` is for what concerns the server
 * or all namespaces, or what only the owner decides on. Each includes those before it.
 */
export const SCOPES = ['read', 'write', 'admin', 'operator'] as const;
export type Scope = (typeof SCOPES)[number];

/** The names of sessions that begin with this are those of undos. */
export const UNDO_PREFIX = 'undo:';

/** Whether a client can name a session so: like a subject, but longer, because hosts put addresses into such names. */
export function isSession(text: string): boolean {
  return isName(text, MAX_SESSION_LENGTH) && !text.startsWith(UNDO_PREFIX);
}

const MAX_SESSION_LENGTH = 512;
const MAX_SUBJECT_LENGTH = 128;
const CONTROL_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text is a valid subject: 1 to 128 characters, no control characters, no surrounding spaces. */
export function isSubject(text: string): boolean {
  return isName(text, MAX_SUBJECT_LENGTH);
}

function isName(text: string, maxLength: number): boolean {
  const fits = text.length > 0 && text.length <= maxLength;
  return fits && text === text.trim() && text.isWellFormed() && !CONTROL_CHARACTER.test(text);
}
