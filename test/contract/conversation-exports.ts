/** Exports of conversations in the forms of other programs. */

export type ExportedConversation = Readonly<Record<string, unknown>>;

const START = 1_714_900_000;

/** By id: the parent, the role, the text and the time in seconds. */
type Nodes = Readonly<
  Record<string, readonly [parent: string, role: string, text: string, at: number | null]>
>;

/** A conversation of ChatGPT without children, as newer exports have it. */
export function chatGptTree(nodes: Nodes, current?: string): ExportedConversation {
  const mapping = Object.fromEntries(
    Object.entries(nodes).map(([id, [parent, role, text, at]]) => [
      id,
      {
        id,
        parent,
        message: { author: { role }, create_time: at, content: { content_type: 'text', parts: [text] } },
      },
    ]),
  );
  const root = { id: 'root', parent: null, message: null };
  return {
    id: 'c',
    title: 't',
    create_time: START,
    mapping: { root, ...mapping },
    ...(current !== undefined && { current_node: current }),
  };
}

/** A conversation of ChatGPT in which user and assistant take turns, a minute each. */
export function chatGpt(
  id: string,
  texts: readonly string[],
  title = 'A title',
  start = START,
): ExportedConversation {
  const nodes = Object.fromEntries(
    texts.map((text, i) => [
      `m${String(i)}`,
      [
        i === 0 ? 'root' : `m${String(i - 1)}`,
        i % 2 === 0 ? 'user' : 'assistant',
        text,
        start + 60 * i,
      ] as const,
    ]),
  );
  const { mapping } = chatGptTree(nodes);
  const times = { create_time: start, update_time: start + 60 * texts.length };
  return { title, ...times, mapping, current_node: `m${String(texts.length - 1)}`, conversation_id: id };
}

/** A conversation of Claude in which user and assistant take turns, a minute each. */
export function claude(id: string, texts: readonly string[], name = 'A title'): ExportedConversation {
  const time = (minutes: number): string => new Date((START + 60 * minutes) * 1000).toISOString();
  const chat_messages = texts.map((text, i) => ({
    uuid: `m${String(i)}`,
    ...{
      text,
      content: [{ type: 'text', text }],
      sender: i % 2 === 0 ? 'human' : 'assistant',
      created_at: time(i),
    },
    ...{ attachments: [], files: [] },
  }));
  return { uuid: id, name, summary: '', created_at: time(0), updated_at: time(texts.length), chat_messages };
}
