import { isJsonMap, type JsonMap, parseJson } from '../../core/json.ts';
import { abridge } from '../../core/text/abridge.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { Conversation, ReportProblem } from '../conversation.ts';
import { ByteWindow, readLines } from './byte-window.ts';
import { isChatGpt, readChatGpt } from './chatgpt.ts';
import { ClaudeCodeTranscript, isClaudeCodeLine } from './claude-code.ts';
import { isClaude, readClaude } from './claude.ts';
import { CodexTranscript, isCodexLine } from './codex.ts';
import { type JsonElement, readElements } from './json-elements.ts';
import { normalized, type Transcript } from './normalize.ts';

/** The beginning of a file by which its format is recognised. */
const HEAD_BYTES = 1024 * 1024;
const HEAD_LINES = 2000;
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * Reads the conversations of a file, whose format is recognised by its content, one after the other. What is damaged is reported, and
 * the others are read. A file of something else has none.
 * @param name of the file, for problems
 * @throws what its stream throws
 */
export async function* readConversations(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  report: ReportProblem,
): AsyncGenerator<Conversation> {
  const window = new ByteWindow(bytes);
  try {
    const transcript = await recognizeTranscript(window);
    if (transcript === null) yield* readList(window, name, report);
    else yield* readTranscript(window, name, transcript, report);
  } finally {
    await window.close();
  }
}

/** An empty transcript of the format of the first lines; `null` for a file that is none. */
async function recognizeTranscript(window: ByteWindow): Promise<Transcript | null> {
  while (window.end < HEAD_BYTES && (await window.more(0)));
  const lines = window.text(0, Math.min(window.end, HEAD_BYTES)).split('\n', HEAD_LINES);
  for (const line of lines) {
    const value = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isJsonMap(value)) continue;
    if (isClaudeCodeLine(value)) return new ClaudeCodeTranscript();
    if (isCodexLine(value)) return new CodexTranscript();
  }
  // The first line may have a picture, and be longer than the head.
  if (lines.length > 1) return null;
  if (CLAUDE_CODE_LINE.test(lines[0] ?? '')) return new ClaudeCodeTranscript();
  return CODEX_LINE.test(lines[0] ?? '') ? new CodexTranscript() : null;
}

/** The beginnings of long lines of transcripts. */
const CLAUDE_CODE_LINE = /^\{"(?!mapping|chat_messages)[^]{0,2000}?"sessionId"\s*:\s*"/;
const CODEX_LINE =
  /^\{[^]{0,500}?"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context|compacted)"/;

async function* readTranscript(
  window: ByteWindow,
  name: string,
  transcript: Transcript,
  report: ReportProblem,
): AsyncGenerator<Conversation> {
  for await (const { number, text, isEnded } of readLines(window, 0, MAX_LINE_BYTES)) {
    const value = text === null ? undefined : parseJson(text);
    if (isJsonMap(value)) transcript.add(value);
    // The last line may not be complete yet.
    else if (text !== null && (text.trim() === '' || !isEnded)) continue;
    else {
      const message = text === null ? 'the line is too long' : 'the line is damaged';
      report({ location: `${name}, line ${String(number)}`, message });
    }
  }
  for (const each of transcript.conversations()) yield* usable(each, name, report);
}

async function* readList(
  window: ByteWindow,
  name: string,
  report: ReportProblem,
): AsyncGenerator<Conversation> {
  let [number, read, others] = [0, 0, 0];
  /** Problems of a file that has had no conversation yet, and may be something else. */
  const held: Parameters<ReportProblem>[0][] = [];
  let isOfConversations = /conversations[^/]*$/.test(name);
  for await (const element of readElements(window, isConversation)) {
    const at = `${name}, conversation ${String(++number)}`;
    if ('problem' in element) {
      isOfConversations ||= /"(?:mapping|chat_messages)"\s*:/.test(element.head);
      const problem = { location: `${at}${titleIn(element)}`, message: element.problem };
      if (read > 0 || held.length >= MAX_HELD) report(problem);
      else held.push(problem);
    } else if (isConversation(element.value)) {
      read++;
      for (const problem of held.splice(0)) report(problem);
      const { value } = element;
      yield* usable(isClaude(value) ? readClaude(value) : readChatGpt(value), at, report);
    } else others++;
  }
  if (isOfConversations) for (const problem of held) report(problem);
  if (read > 0 && others > 0)
    report({
      location: name,
      message: `${formatCount(others, 'entry', 'entries')} of it are no conversations`,
    });
}

const MAX_HELD = 100;

function isConversation(value: JsonMap): boolean {
  return isChatGpt(value) || isClaude(value);
}

function* usable(given: Conversation, location: string, report: ReportProblem): Generator<Conversation> {
  const at = given.title === '' ? location : `${location} (${abridge(given.title, 60)})`;
  const conversation = normalized(given, (message) => report({ location: at, message }));
  if (typeof conversation === 'string') report({ location: at, message: conversation });
  else yield conversation;
}

/** What can be read of the name of a damaged conversation, and where it begins. */
function titleIn({ head, offset }: Extract<JsonElement, { problem: string }>): string {
  const [, title = ''] = /"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){1,200})"/.exec(head) ?? [];
  return `${title === '' ? '' : ` (${abridge(title, 60)})`}, at byte ${String(offset)}`;
}
