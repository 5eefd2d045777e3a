import { shortHash } from '../../src/core/ids.ts';
import type { RecordWrite } from '../../src/store/model.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { GenerationSpec } from '../../src/store/search-model.ts';
import type { Store } from '../../src/store/store.ts';
import { CHUNKING, note, NOW } from './store-samples.ts';

export interface ConversationSizes {
  readonly sessions: number;
  /** Turns of each session. */
  readonly turns: number;
  /** Notes beside the conversations, each of which links to three others. */
  readonly notes: number;
  /** Whether turns belong to sessions. Default true. */
  readonly withSessions?: boolean;
}

const TOPICS = ['oven', 'garden', 'invoice', 'holiday', 'bicycle', 'dentist', 'concert', 'recipe'];
const WORDS = 800;
const BATCH_SIZE = 500;
const TURN_INTERVAL_MS = 60_000;

/** Fills a namespace with conversations and with notes that link to each other, with vectors of this model. */
export async function fillWithConversations(
  store: Store,
  namespace: string,
  model: GenerationSpec,
  sizes: ConversationSizes,
): Promise<void> {
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: model });
  await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
  const writes = [...notesOf(sizes), ...turnsOf(sizes)];
  for (let from = 0; from < writes.length; from += BATCH_SIZE) {
    const batch = writes.slice(from, from + BATCH_SIZE);
    await store.records.commit(namespace, { writes: batch, chunking: CHUNKING });
    const passages = batch.flatMap((each) => (each.passages === 'keep' ? [] : each.passages));
    const vectors = passages.map(({ hash }) => ({ hash, vector: vectorOf(hash, model.dimensions) }));
    await store.vectors.put(namespace, id, vectors);
  }
}

function notesOf({ notes }: ConversationSizes): RecordWrite[] {
  return Array.from({ length: notes }, (_, i) => {
    const targets = [1, 7, 13].map((step) => `Note ${String((i * step + step) % notes)}`);
    const links = targets.map((target) => `[[${target}]]`);
    return note(`# Note ${String(i)}\n\nAbout the ${wordsOf(i, 20)}. See ${links.join(', ')}.`, {
      title: `Note ${String(i)}`,
      key: `Note ${String(i)}.md`,
      tags: [`tag${String(i % 11)}`],
      metadata: { links: targets.map((target) => ({ target })) },
      createdAt: NOW - i * TURN_INTERVAL_MS,
    });
  });
}

function turnsOf({ sessions, turns, withSessions = true }: ConversationSizes): RecordWrite[] {
  return Array.from({ length: sessions * turns }, (_, i) => {
    const session = `s${String(Math.floor(i / turns))}`;
    return note(`Turn ${String(i)} about the ${wordsOf(i, 15)}.`, {
      ...{ origin: 'memory', trust: 'agent', source: 'chats', key: `${session}#${String(i)}` },
      metadata: { role: i % 2 === 0 ? 'user' : 'assistant', ...(withSessions && { session }) },
      createdAt: NOW - (sessions * turns - i) * TURN_INTERVAL_MS,
    });
  });
}

/** A topic and further words, which depend on the number only. */
function wordsOf(i: number, count: number): string {
  const words = Array.from({ length: count }, (_, j) => `word${String((i * 31 + j * j * 17) % WORDS)}`);
  return `${TOPICS[i % TOPICS.length]!} ${words.join(' ')}`;
}

/** A unit vector that depends on the text only. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = Float32Array.from(
    { length: dimensions },
    (_, i) => Number.parseInt(shortHash(`${text} ${String(i)}`).slice(0, 6), 16) / 2 ** 24 - 0.5,
  );
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}
