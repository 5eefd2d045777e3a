/** The entry of an embedding thread: reads the vocabulary while the weights arrive, then does what it is told. */

import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.ts';
import { instantiateKernel } from './kernel.ts';
import type { ThreadMessage, ThreadModel, ThreadReply, ThreadStart } from './thread.ts';
import { loadWeights } from './weights.ts';
import { WordPiece } from './wordpiece.ts';

if (!parentPort) throw new Error('This module is the entry of a worker thread.');
const port = parentPort;
const tokenizer = WordPiece.fromFile((workerData as ThreadStart).tokenizerPath);
let encoder: Encoder | null = null;

function attach({ module, memory, plan, slot, prepare }: ThreadModel): void {
  const kernel = instantiateKernel(module, memory);
  if (prepare) loadWeights(kernel, memory, plan);
  encoder = new Encoder(kernel, memory, plan, slot, tokenizer);
  port.postMessage({ vectors: null } satisfies ThreadReply);
}

function embed(texts: readonly string[]): void {
  if (!encoder) throw new Error('The thread has no model yet.');
  const vectors = encoder.embed(texts);
  port.postMessage({ vectors } satisfies ThreadReply, [vectors.buffer as ArrayBuffer]);
}

// Whatever throws here ends the thread, and its owner tells the callers.
port.on('message', (message: ThreadMessage) => {
  if ('model' in message) attach(message.model);
  else embed(message.texts);
});
