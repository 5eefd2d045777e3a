import type { Timestamp } from '../core/types.ts';

/** The programs whose conversations are read, by the source that imported ones have, and what people call them. */
export const CONVERSATION_PROGRAMS = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  'claude-code': 'Claude Code',
  codex: 'Codex',
} as const;
export type ConversationProgram = keyof typeof CONVERSATION_PROGRAMS;

/** The name of imported conversations by their source: that of their program, if it is known. */
export function conversationsName(source: string): string {
  const names: Readonly<Record<string, string>> = CONVERSATION_PROGRAMS;
  return Object.hasOwn(names, source) ? names[source]! : source;
}

/** The category and type of a record that has a day of a conversation. No other reader of sources sets it. */
export const CONVERSATION_TYPE = 'conversation';

export interface Message {
  /** Unique in its conversation, and the same in every export. */
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly at: Timestamp | null;
  readonly text: string;
}

/** A conversation of a user and an assistant, from whatever program. */
export interface Conversation {
  readonly program: ConversationProgram;
  readonly id: string;
  readonly title: string;
  /** The page of the conversation; `null` if it has none. */
  readonly url: string | null;
  /** The folder in which a coding agent worked. */
  readonly folder: string | null;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
  /** In their order, without those that have no text. */
  readonly messages: readonly Message[];
  /** Ids of messages that the export has and that are not shown, such as those before an edit. */
  readonly superseded: readonly string[];
}

/** Receives problems with files, conversations and messages, for the owner. */
export type ReportProblem = (problem: { readonly location: string; readonly message: string }) => void;

/** A file on the disk that may have conversations. */
export interface ConversationFile {
  /** The real path of the folder that was given. */
  readonly root: string;
  /** Its path below the root, with `/`. */
  readonly key: string;
  /** Changes when the file has. */
  readonly revision: string;
}
