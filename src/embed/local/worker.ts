/** The entry of an embedding thread; see `pool.ts`. */

import { serveRequests } from '../../core/threads/serve-requests.ts';
import { Encoder } from './model/encoder.ts';
import { instantiateKernel, testKernel } from './model/kernel.ts';
import type { EmbeddingThreadRequest, ThreadModel } from './pool.ts';
import { loadWeights } from './model/weights.ts';
import { WordPiece } from './model/wordpiece.ts';

let tokenizer: WordPiece | null = null;
let encoder: Encoder | null = null;
let isTestDue = false;
let hasEmbedded = false;

function attach({ module, memory, plan, slot, prepare, selfTest }: ThreadModel): void {
  if (tokenizer === null) throw new Error('The thread has no tokenizer yet.');
  const kernel = instantiateKernel(module, memory);
  if (prepare) loadWeights(kernel, memory, plan);
  encoder = new Encoder(kernel, memory, plan, slot, tokenizer);
  if (selfTest === 'before') testKernel(encoder);
  isTestDue = selfTest === 'after';
}

/** A command that embeds one query ends before the second call, and the kernel's first run is not optimised yet. */
function embed(loaded: Encoder, texts: readonly string[]): Float32Array {
  if (isTestDue && hasEmbedded) {
    testKernel(loaded);
    isTestDue = false;
  }
  hasEmbedded = true;
  return loaded.embed(texts);
}

serveRequests((message) => {
  const request = message as EmbeddingThreadRequest;
  if ('tokenizerPath' in request) {
    tokenizer = WordPiece.fromFile(request.tokenizerPath);
    return null;
  }
  if ('model' in request) {
    attach(request.model);
    return null;
  }
  if (encoder === null) throw new Error('The thread has no model yet.');
  return embed(encoder, request.texts);
});
