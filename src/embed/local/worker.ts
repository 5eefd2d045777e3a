/** The entry of an embedding thread; see `thread.ts`. */

import { serveRequests } from '../../core/threads/serve-requests.ts';
import { Encoder } from './encoder.ts';
import { instantiateKernel } from './kernel.ts';
import type { ThreadModel, ThreadRequest } from './thread.ts';
import { loadWeights } from './weights.ts';
import { WordPiece } from './wordpiece.ts';

let tokenizer: WordPiece | null = null;
let encoder: Encoder | null = null;

function attach({ module, memory, plan, slot, prepare }: ThreadModel): void {
  if (tokenizer === null) throw new Error('The thread has no tokenizer yet.');
  const kernel = instantiateKernel(module, memory);
  if (prepare) loadWeights(kernel, memory, plan);
  encoder = new Encoder(kernel, memory, plan, slot, tokenizer);
}

serveRequests((message) => {
  const request = message as ThreadRequest;
  if ('tokenizerPath' in request) {
    tokenizer = WordPiece.fromFile(request.tokenizerPath);
    return null;
  }
  if ('model' in request) {
    attach(request.model);
    return null;
  }
  if (encoder === null) throw new Error('The thread has no model yet.');
  return encoder.embed(request.texts);
});
