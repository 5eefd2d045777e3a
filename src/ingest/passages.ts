import type { Metadata, Passage } from '../core/types.ts';
import { chunk, type ChunkOptions } from './chunk.ts';
import { embeddingHash, embeddingText } from './embedding-text.ts';

/** How records become passages, with a signature that tells passages of different ways apart. */
export interface Chunking extends ChunkOptions {
  readonly signature: string;
  /** `makePassages` with these options. @throws LociError `aborted`; `unreadable` for a content that is too much */
  cut(record: Described, signal?: AbortSignal): Promise<Passage[]>;
}

/** Grows whenever `chunk` or `embeddingText` would answer differently, so that stores are derived anew. */
const CHUNKING_VERSION = 1;

/** `counter` names what counts tokens: a model, or the estimate. Cuts where the caller is, however long it takes. */
export function chunking(counter: string, options: ChunkOptions): Chunking {
  return {
    ...options,
    signature: `${String(CHUNKING_VERSION)}/${counter}/${String(options.maxTokens)}`,
    cut: async (record) => makePassages(record, options),
  };
}

/** What of a record its passages are made of. */
export interface Described {
  readonly title: string;
  readonly metadata: Metadata;
  readonly content: string;
}

/** At least one, so that a note of no words is found by its title. */
export function makePassages(record: Described, options: ChunkOptions): Passage[] {
  const chunks = chunk(record.content, options);
  const cut = chunks.length > 0 ? chunks : [{ headings: [], text: '', startLine: 1, endLine: 1 }];
  return cut.map((piece, ordinal) => ({ ordinal, ...piece, hash: embeddingHash(record, piece) }));
}

/** Whether two states of a record have the same passages, hashes included: all that `makePassages` reads is the same. */
export function samePassages(a: Described, b: Described): boolean {
  const blank = { headings: [], text: '' };
  return a.content === b.content && embeddingText(a, blank) === embeddingText(b, blank);
}
