import type { TaskRunner, ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import type { Passage } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { assertParseable } from '../sources/markdown/density.ts';
import {
  chunking,
  type Chunking,
  estimateModelTokens,
  makePassages,
  type PassageSource,
} from './passages.ts';

/**
 * Passages in a form that is cheap to send between threads. Cloning the thousands of objects of a long note would block
 * the receiving thread for longer than slicing them out of the content again.
 */
interface PassageOffsets {
  /** Five numbers for each passage: start and end offset of its text, first and last line, index in `headings`. */
  readonly positions: Int32Array;
  readonly headings: readonly (readonly string[])[];
  /** The context of the last passage; the others have none. */
  readonly context: string | null;
  /** The hashes of all passages, concatenated; all have the same length. */
  readonly hashes: string;
}

const NUMBERS_PER_PASSAGE = 5;

/** @param passages The passages of `content` by ordinal. Each text is a slice of it, in order. */
export function offsetsOfPassages(content: string, passages: readonly Passage[]): PassageOffsets {
  const positions = new Int32Array(passages.length * NUMBERS_PER_PASSAGE);
  const indexByHeadings = new Map<string, number>();
  const headings: (readonly string[])[] = [];
  let end = 0;
  for (const [i, passage] of passages.entries()) {
    const start = content.indexOf(passage.text, end);
    end = start + passage.text.length;
    const name = JSON.stringify(passage.headings);
    const heading = indexByHeadings.get(name) ?? headings.push(passage.headings) - 1;
    indexByHeadings.set(name, heading);
    positions.set([start, end, passage.startLine, passage.endLine, heading], i * NUMBERS_PER_PASSAGE);
  }
  const context = passages.at(-1)?.context ?? null;
  return { positions, headings, context, hashes: passages.map(({ hash }) => hash).join('') };
}

export function passagesAtOffsets(
  content: string,
  { positions, headings, context, hashes }: PassageOffsets,
): Passage[] {
  const count = positions.length / NUMBERS_PER_PASSAGE;
  const hashLength = hashes.length / count;
  return Array.from({ length: count }, (_, ordinal) => {
    const [start, end, startLine, endLine, heading] = positions.subarray(ordinal * NUMBERS_PER_PASSAGE);
    return {
      ordinal,
      headings: headings[heading!]!,
      text: content.slice(start, end),
      context: ordinal === count - 1 ? context : null,
      startLine: startLine!,
      endLine: endLine!,
      hash: hashes.slice(ordinal * hashLength, (ordinal + 1) * hashLength),
    };
  });
}

/** Options that a thread needs to cut a record exactly as its caller would. */
export interface CutOptions {
  /** The provider whose model counts the tokens. */
  readonly provider: 'local' | 'none';
  readonly maxTokens: number;
}

/** The token counters of this thread, by provider. Each has its own vocabulary. */
const counters = new Map<string, Promise<(text: string) => number>>();

/** Cuts a record into passages. @public A thread finds it by its name. @throws LociError `unreadable` */
export async function cutRecord(
  record: PassageSource,
  { provider, maxTokens }: CutOptions,
): Promise<PassageOffsets> {
  assertParseable(record.content);
  const countTokens = await counterOf(provider);
  return offsetsOfPassages(record.content, makePassages(record, { maxTokens, countTokens }));
}

/** The token counter of this thread. */
export function counterOf(provider: CutOptions['provider']): Promise<(text: string) => number> {
  const counter = counters.get(provider) ?? openEmbedder({ provider }).then(tokenCounter);
  counters.set(provider, counter);
  return counter;
}

/** Counts tokens with the embedder, or estimates them without one. */
function tokenCounter(embedder: Embedder | null): (text: string) => number {
  return embedder === null ? estimateModelTokens : (text) => embedder.countTokens(text);
}

/** The model whose vocabulary every provider counts with, so that a change of the provider cuts no record anew. */
const COUNTING_MODEL = 'all-MiniLM-L6-v2';

/** A chunking that counts tokens with the embedder, or estimates them without one, and cuts long contents in a thread. */
export function threadedChunking(thread: TaskRunner, embedder: Embedder | null, maxTokens: number): Chunking {
  const options = { maxTokens, countTokens: tokenCounter(embedder) };
  const cutOptions: CutOptions = { provider: embedder === null ? 'none' : 'local', maxTokens };
  const task: ThreadTask<[PassageSource, CutOptions], PassageOffsets> = {
    module: workerModule(import.meta.url, 'cut-record'),
    name: cutRecord.name,
    inline: (record) => offsetsOfPassages(record.content, makePassages(record, options)),
  };
  return {
    ...chunking(embedder === null ? 'estimate' : COUNTING_MODEL, options),
    cut: async ({ origin, project, title, tags, metadata, content }, signal) => {
      const source = { origin, project, title, tags, metadata, content };
      const packed = await thread.run(task, [source, cutOptions], { size: content.length, signal });
      const passages = passagesAtOffsets(content, packed);
      await thread.yieldToEventLoop(content.length);
      return passages;
    },
  };
}
