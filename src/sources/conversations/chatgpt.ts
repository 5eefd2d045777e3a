import { isJsonMap, type JsonMap } from '../../core/json.ts';
import type { Conversation, Message } from '../conversation.ts';
import {
  attachment,
  mapFrom,
  mapsFrom,
  type MessageNode,
  paragraphs,
  pathToLeaf,
  textFrom,
  timeFrom,
} from './normalize.ts';

/** Whether it is a conversation of an export of ChatGPT. */
export function isChatGpt(value: JsonMap): boolean {
  return isJsonMap(value['mapping']);
}

/**
 * Translates a conversation of an export of ChatGPT: a tree of messages, of which the current branch is read. The format has no
 * specification. Children are not relied on, because newer exports leave them out.
 */
export function readChatGpt(value: JsonMap): Conversation {
  const id = textFrom(value['conversation_id']) || textFrom(value['id']);
  const createdAt = timeFrom(value['create_time']);
  const nodes = new Map<string, MessageNode>();
  for (const [key, each] of Object.entries(mapFrom(value['mapping']))) {
    const message = mapFrom(mapFrom(each)['message']);
    const [parent, at] = [textFrom(mapFrom(each)['parent']), timeFrom(message['create_time'])];
    nodes.set(key, { id: key, parent, at, message });
  }
  const current = messagesOf(pathToLeaf(nodes, textFrom(value['current_node'])), createdAt);
  // The current node may be the root of the tree.
  const messages = current.length > 0 ? current : messagesOf(pathToLeaf(nodes, ''), createdAt);
  const shown = new Set(messages.map((message) => message.id));
  return {
    ...{ program: 'chatgpt', id, folder: null, createdAt, messages },
    title: textFrom(value['title']),
    url: `https://chatgpt.com/c/${encodeURIComponent(id.toWellFormed())}`,
    updatedAt: timeFrom(value['update_time']),
    superseded: [...nodes.keys()].filter((key) => !shown.has(key)),
  };
}

function messagesOf(path: readonly MessageNode[], createdAt: number | null): Message[] {
  let last = createdAt;
  return path.flatMap(({ id, at, message }) => {
    last = at ?? last;
    const role = roleOf(message);
    const text = role === null ? '' : textOf(message);
    return role === null || text.trim() === '' ? [] : [{ id, role, at: last, text }];
  });
}

/** Who says it; `null` for what the user does not see, such as calls of tools and their results. */
function roleOf(message: JsonMap): Message['role'] | null {
  const metadata = mapFrom(message['metadata']);
  const { recipient = 'all', weight } = message;
  const isHidden = metadata['is_visually_hidden_from_conversation'] === true || weight === 0;
  if (isHidden || (recipient !== 'all' && recipient !== null)) return null;
  const { role } = mapFrom(message['author']);
  if (role === 'user' || role === 'assistant') return role;
  return role === 'system' && metadata['is_user_system_message'] === true ? 'user' : null;
}

/** Contents that are not said: instructions and memory of the user, thoughts, and what tools return. */
const UNSAID =
  /^(?:user_editable_context|model_editable_context|thoughts|reasoning_recap|execution_output|tether_.*|system_error)$/;

function textOf(message: JsonMap): string {
  const content = mapFrom(message['content']);
  const type = textFrom(content['content_type']);
  if (UNSAID.test(type)) return '';
  const parts = Array.isArray(content['parts']) ? content['parts'] : [];
  // What was said in a voice chat is an object. Exports have no audio; images are other files.
  const said = parts.map((part) => {
    const { content_type: kind, text } = mapFrom(part);
    return kind === 'audio_transcription' ? textFrom(text) : textFrom(part);
  });
  const language = textFrom(content['language']).replace(/^unknown$/, '');
  const alone = textFrom(content['text']);
  const whole = type === 'code' && alone !== '' ? `\`\`\`${language}\n${alone}\n\`\`\`` : alone;
  const files = mapsFrom(mapFrom(message['metadata'])['attachments']).map(({ name }) => attachment(name));
  return paragraphs([withoutCitations(paragraphs(said) || whole), ...files]);
}

/** Marks of citations, which only the page of ChatGPT can show: `【12†source】`, and runs of private characters. */
function withoutCitations(text: string): string {
  return text
    .replaceAll(/【[^【】]{0,200}†[^【】]{0,200}】/g, '')
    .replaceAll(/\ue200[^\ue200\ue201]{0,2000}\ue201/g, '')
    .replaceAll(/[\ue200-\ue206]/g, '');
}
