import { isJsonMap, type JsonMap } from '../../core/json.ts';
import type { Timestamp } from '../../core/types.ts';
import type { Conversation, Message } from '../conversation.ts';
import { mapFrom, mapsFrom, paragraphs, textFrom, timeFrom, type Transcript } from './normalize.ts';

const LINE_TYPES: ReadonlySet<unknown> = new Set(
  'session_meta response_item event_msg turn_context compacted'.split(' '),
);

/** Whether a line is of a rollout of Codex. Those of 2025 begin with the session itself, and have messages without a frame. */
export function isCodexLine({ type, payload, id, timestamp, instructions }: JsonMap): boolean {
  if (LINE_TYPES.has(type)) return isJsonMap(payload);
  return (
    type === undefined && textFrom(id) !== '' && textFrom(timestamp) !== '' && instructions !== undefined
  );
}

/** The beginnings of what the program sends in the name of the user. */
const ADDED =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill|collaboration_mode|subagent_notification)\b|# AGENTS\.md instructions)/;

/** A rollout of Codex, a log of one session. Of what it logs twice, for the model and for the user, the former is read. */
export class CodexTranscript implements Transcript {
  readonly #messages: Message[] = [];
  #session: {
    readonly id: string;
    readonly folder: string | null;
    readonly createdAt: Timestamp | null;
  } | null = null;
  /** How many messages had each time, so that their ids differ. */
  readonly #atTime = new Map<string, number>();

  add(line: JsonMap): void {
    const isFramed = LINE_TYPES.has(line['type']);
    const { type, role, content, id, timestamp, cwd } = isFramed ? mapFrom(line['payload']) : line;
    // A fork has the first line of the session that it was made from after its own.
    if (line['type'] === 'session_meta' || (!isFramed && isCodexLine(line)))
      this.#session ??= { id: textFrom(id), folder: textFrom(cwd) || null, createdAt: timeFrom(timestamp) };
    if (isFramed && line['type'] !== 'response_item') return;
    if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return;
    const texts = mapsFrom(content).map((part) => textFrom(part['text']));
    const text = paragraphs(role === 'user' ? texts.filter((each) => !ADDED.test(each)) : texts);
    const time = textFrom(line['timestamp']);
    const number = (this.#atTime.get(time) ?? 0) + 1;
    this.#atTime.set(time, number);
    const at = timeFrom(time) ?? this.#messages.at(-1)?.at ?? this.#session?.createdAt ?? null;
    if (text !== '') this.#messages.push({ id: `${time}#${String(number)}`, role, at, text });
  }

  conversations(): Conversation[] {
    const messages = this.#messages;
    const { id, folder, createdAt } = this.#session ?? { id: '', folder: null, createdAt: null };
    const updatedAt = messages.at(-1)?.at ?? null;
    return [
      { program: 'codex', id, title: '', url: null, folder, createdAt, updatedAt, messages, superseded: [] },
    ];
  }
}
