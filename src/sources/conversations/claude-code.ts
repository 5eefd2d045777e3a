import type { JsonMap } from '../../core/json.ts';
import type { Conversation, Message } from '../conversation.ts';
import { mapFrom, mapsFrom, paragraphs, textFrom, timeFrom, type Transcript } from './normalize.ts';

/** Whether a line is of a transcript of Claude Code. */
export function isClaudeCodeLine(line: JsonMap): boolean {
  return typeof line['sessionId'] === 'string' && typeof line['type'] === 'string';
}

interface Session {
  readonly messages: Message[];
  /** How many messages that wait in the queue have each text. */
  readonly queued: Map<string, number>;
  folder: string | null;
  title: string;
  lines: number;
}

/**
 * A transcript of Claude Code. It is a log: a compacted session continues after its boundary, and what was typed while the agent worked
 * is in the queue. Calls of tools, their results, thoughts, sidechains and what the program adds to messages are left out.
 */
export class ClaudeCodeTranscript implements Transcript {
  readonly #sessions = new Map<string, Session>();
  #summary = '';

  add(line: JsonMap): void {
    if (line['type'] === 'summary') this.#summary = textFrom(line['summary']) || this.#summary;
    const id = textFrom(line['sessionId']);
    if (id === '' || line['isSidechain'] === true) return;
    const empty = { messages: [], queued: new Map<string, number>(), folder: null, title: '', lines: 0 };
    const session: Session = this.#sessions.get(id) ?? empty;
    this.#sessions.set(id, session);
    session.lines++;
    session.folder ??= textFrom(line['cwd']) || null;
    session.title = textFrom(line['customTitle']) || textFrom(line['aiTitle']) || session.title;
    if (line['isMeta'] === true || line['isCompactSummary'] === true || line['isApiErrorMessage'] === true)
      return;
    addMessage(session, line);
  }

  conversations(): Conversation[] {
    const isAlone = this.#sessions.size === 1;
    return [...this.#sessions].map(([id, { messages, folder, title }]) => ({
      ...{ program: 'claude-code', id, url: null, folder, messages, superseded: [] },
      title: title || (isAlone ? this.#summary : ''),
      createdAt: messages[0]?.at ?? null,
      updatedAt: messages.at(-1)?.at ?? null,
    }));
  }
}

function addMessage(session: Session, line: JsonMap): void {
  const { messages, queued } = session;
  const at = timeFrom(line['timestamp']) ?? messages.at(-1)?.at ?? null;
  const id = textFrom(line['uuid']) || `${textFrom(line['timestamp'])}#${String(session.lines)}`;
  const add = (role: Message['role'], text: string): void => {
    if (text.trim() !== '') messages.push({ id, role, at, text });
  };
  if (line['type'] === 'assistant') add('assistant', contentText(mapFrom(line['message'])['content']));
  if (line['type'] === 'queue-operation' && line['operation'] === 'enqueue') {
    const text = saidByUser(contentText(line['content']));
    if (text !== '') queued.set(text, (queued.get(text) ?? 0) + 1);
    add('user', text);
  }
  const isSent = line['type'] === 'user' && mapFrom(line['message'])['role'] === 'user';
  const { type, prompt } = mapFrom(line['attachment']);
  const isQueued = line['type'] === 'attachment' && type === 'queued_command';
  if (!isSent && !isQueued) return;
  const text = saidByUser(contentText(isSent ? mapFrom(line['message'])['content'] : prompt));
  const waiting = queued.get(text) ?? 0;
  // It was read when it was added to the queue.
  if (waiting > 0) queued.set(text, waiting - 1);
  else add('user', text);
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return paragraphs(
    mapsFrom(content).map((block) => (block['type'] === 'text' ? textFrom(block['text']) : '')),
  );
}

/** Tags around what the program adds to messages of the user, and those around what the user has typed. */
const TAG =
  /<(system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|command-message|task-notification|ide_(?:opened_file|selection|diagnostics)|command-name|command-args|bash-input)>/g;
const TYPED: ReadonlySet<string> = new Set(['command-name', 'command-args', 'bash-input']);
const INTERRUPTED = /^\[Request interrupted by user[^\]]{0,40}\]$/;

/** What the user has typed: `/review the parser` for a command. */
function saidByUser(text: string): string {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let end = 0;
  for (const { 0: open, 1: tag = '', index } of text.matchAll(TAG)) {
    if (index < end || unclosed.has(tag)) continue;
    const close = text.indexOf(`</${tag}>`, index);
    if (close < 0) {
      unclosed.add(tag);
      continue;
    }
    parts.push(text.slice(end, index));
    if (TYPED.has(tag)) parts.push(text.slice(index + open.length, close), ' ');
    end = close + tag.length + 3;
  }
  const typed = [...parts, text.slice(end)].join('').trim();
  return INTERRUPTED.test(typed) ? '' : typed;
}
