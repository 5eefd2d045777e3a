import type { JsonMap } from '../../core/json.ts';
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

/** Whether it is a conversation of an export of Claude.ai. */
export function isClaude(value: JsonMap): boolean {
  return Array.isArray(value['chat_messages']);
}

/** Translates a conversation of an export of Claude.ai, or of a browser extension in its form. The format has no specification. */
export function readClaude(value: JsonMap): Conversation {
  const id = textFrom(value['uuid']);
  const createdAt = timeFrom(value['created_at']);
  const nodes = mapsFrom(value['chat_messages']).map((message, index): MessageNode => {
    const parent = textFrom(message['parent_message_uuid']);
    return {
      id: textFrom(message['uuid']) || `#${String(index)}`,
      parent,
      at: timeFrom(message['created_at']),
      message,
    };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // Without the parents of all but the first, the list is the conversation.
  const isTree = nodes.length > 1 && nodes.every(({ parent }, i) => i === 0 || parent !== '');
  const path = isTree ? pathToLeaf(byId, textFrom(value['current_leaf_message_uuid'])) : nodes;
  let last = createdAt;
  const messages = path.flatMap(({ id: name, at, message }): Message[] => {
    last = at ?? last;
    const role = message['sender'] === 'human' ? 'user' : 'assistant';
    const text = textOf(message);
    return text === '' ? [] : [{ id: name, role, at: last, text }];
  });
  const shown = new Set(messages.map((message) => message.id));
  return {
    ...{ program: 'claude', id, folder: null, createdAt, messages },
    title: textFrom(value['name']),
    url: `https://claude.ai/chat/${encodeURIComponent(id.toWellFormed())}`,
    updatedAt: timeFrom(value['updated_at']),
    superseded: [...byId.keys()].filter((key) => !shown.has(key)),
  };
}

/** The blocks have the whole text; `text` may be a shortened copy. Pasted texts are only among the attachments. */
function textOf({ content, text, attachments, files }: JsonMap): string {
  const blocks = typeof content === 'string' ? content : paragraphs(mapsFrom(content).map(blockText));
  const attached = mapsFrom(attachments).map((each) =>
    attachment(each['file_name'], each['extracted_content']),
  );
  const names = mapsFrom(files).map((file) => attachment(file['file_name']));
  return paragraphs([blocks.trim() === '' ? textFrom(text) : blocks, ...attached, ...names]);
}

/** Thoughts, and tools other than those that write a document, have no text. */
function blockText({ type, text, name, input }: JsonMap): string {
  if (type === 'text' || type === 'voice_note') return textFrom(text);
  const { title, content, path, file_text: fileText } = mapFrom(input);
  if (type === 'tool_use' && name === 'artifacts') return attachment(title, content);
  return type === 'tool_use' && name === 'create_file' ? attachment(path, fileText) : '';
}
