import { shortHash } from '../../core/ids.ts';
import { isJsonMap, type JsonMap } from '../../core/json.ts';
import { abridge } from '../../core/text/abridge.ts';
import type { Timestamp } from '../../core/types.ts';
import type { Conversation } from '../conversation.ts';
import { MAX_TIME, MIN_TIME } from '../files/read-file.ts';

/** UTF-16 units. The end of a longer message is left out. */
const MAX_MESSAGE_LENGTH = 500_000;
const [MAX_TITLE_LENGTH, MAX_DERIVED_TITLE_LENGTH, MAX_ID_LENGTH] = [200, 80, 200];

/**
 * The conversation with its texts in the form in which they are stored, or a message that says why it cannot be used. Without a title,
 * the first words of the user are its title; without an id, its id is made of what stays the same in the next export.
 */
export function normalized(given: Conversation, report: (message: string) => void): Conversation | string {
  const { id, createdAt } = given;
  if (id.length > MAX_ID_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(id)) return 'its id is not valid';
  /** Texts by id. Messages of one id and different texts are different ones. */
  const seen = new Map<string, string>();
  const messages = given.messages.flatMap((message) => {
    const text = plainText(message.text);
    let { id: messageId } = message;
    for (let n = 2; seen.has(messageId) && seen.get(messageId) !== text; n++)
      messageId = `${message.id}#${String(n)}`;
    if (text === '' || seen.has(messageId)) return [];
    seen.set(messageId, text);
    if (text.length > MAX_MESSAGE_LENGTH)
      report(`a message has ${String(text.length)} characters; ${String(MAX_MESSAGE_LENGTH)} are stored`);
    return [{ ...message, id: messageId, text: cut(text, MAX_MESSAGE_LENGTH) }];
  });
  const [first] = messages;
  const said = messages.find(({ role }) => role === 'user') ?? first;
  const title = oneLine(given.title) || abridge(oneLine(said?.text ?? ''), MAX_DERIVED_TITLE_LENGTH);
  const derived = { id: `~${shortHash(JSON.stringify([createdAt, first?.at, first?.id]))}`, url: null };
  return { ...given, ...(id === '' && derived), title: cut(title, MAX_TITLE_LENGTH), messages };
}

/** Not with half of a character at the end. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/\p{Surrogate}$/u, '');
}

function plainText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').toWellFormed();
  return lines.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '').trim();
}

function oneLine(text: string): string {
  return plainText(text.slice(0, 2000)).replaceAll(/\s+/g, ' ');
}

/** A time from seconds or milliseconds since 1970, or from ISO 8601; `null` for anything else. */
export function timeFrom(value: unknown): Timestamp | null {
  const at =
    typeof value === 'number' ? value * (Math.abs(value) < 1e11 ? 1000 : 1) : Date.parse(textFrom(value));
  return at >= MIN_TIME && at <= MAX_TIME && at !== 0 ? Math.round(at) : null;
}

/** The text, or an empty one for anything else. */
export function textFrom(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function mapFrom(value: unknown): JsonMap {
  return isJsonMap(value) ? value : {};
}

/** The objects of a list. */
export function mapsFrom(value: unknown): JsonMap[] {
  return Array.isArray(value) ? value.filter((each) => isJsonMap(each)) : [];
}

/** The texts that are not empty, as paragraphs. */
export function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/** A file that belongs to a message, with its text if the export has it. */
export function attachment(name: unknown, content: unknown = ''): string {
  const label = oneLine(textFrom(name));
  return paragraphs([label === '' ? '' : `[file: ${label}]`, textFrom(content)]);
}

/** Translates the lines of a log of conversations, each a JSON object. */
export interface Transcript {
  add(line: JsonMap): void;
  conversations(): Conversation[];
}

/** A message in a tree of messages, as an export has it. */
export interface MessageNode {
  readonly id: string;
  readonly parent: string;
  readonly at: Timestamp | null;
  readonly message: JsonMap;
}

/**
 * The nodes from the root to a leaf: branches that were edited or generated again are not on it. A leaf that does not exist stands for
 * the newest node without children. A cycle ends where it begins again.
 */
export function pathToLeaf(nodes: ReadonlyMap<string, MessageNode>, leaf: string): MessageNode[] {
  const path = new Set<MessageNode>();
  for (let node = nodes.get(leaf) ?? newestLeaf([...nodes.values()]); node !== undefined;) {
    path.add(node);
    const parent = nodes.get(node.parent);
    node = parent === undefined || path.has(parent) ? undefined : parent;
  }
  return [...path].reverse();
}

function newestLeaf(nodes: readonly MessageNode[]): MessageNode | undefined {
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  // In a cycle, every node is the parent of another.
  return (leaves.length > 0 ? leaves : nodes).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)).at(-1);
}
