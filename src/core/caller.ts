import type { Trust } from './types.ts';

/** The user or agent that makes a call. */
export interface Caller {
  /** The authenticated subject. A caller reads and changes only records of its own namespace. */
  readonly namespace: string;
  /** Name in the audit log: a Unix user, the name of a token, a client. */
  readonly actor: string;
  /** `cli`, `library`, `mcp` or `rest`. It is the source of the records that the caller writes. */
  readonly surface: string;
  /** Trust class of the records that the caller writes. */
  readonly trust: Trust;
}

/**
 * `read` reads the memory of the caller, `write` changes it, `admin` administers it, and `operator` is for what concerns the server
 * or all namespaces. Each includes those before it.
 */
export const SCOPES = ['read', 'write', 'admin', 'operator'] as const;
export type Scope = (typeof SCOPES)[number];

const MAX_SUBJECT_LENGTH = 128;
const CONTROL_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text is a valid subject: 1 to 128 characters, no control characters, no surrounding spaces. */
export function isSubject(text: string): boolean {
  const fits = text.length > 0 && text.length <= MAX_SUBJECT_LENGTH;
  return fits && text === text.trim() && text.isWellFormed() && !CONTROL_CHARACTER.test(text);
}
