/** The entry of an embedding thread: sets itself up from `workerData`, then does what it is told, in order. */

import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.ts';
import { instantiateKernel } from './kernel.ts';
import type { ThreadMessage, ThreadReply, ThreadStart } from './thread.ts';
import { loadWeights } from './weights.ts';
import { WordPiece } from './wordpiece.ts';

if (!parentPort) throw new Error('This module is the entry of a worker thread.');
const port = parentPort;
const { module, memory, model, slot, tokenizerPath } = workerData as ThreadStart;
const kernel = instantiateKernel(module, memory);
const encoder = new Encoder(kernel, memory, model, slot, WordPiece.fromFile(tokenizerPath));

// Whatever throws here ends the thread, and its owner tells the callers.
port.on('message', ({ texts }: ThreadMessage) => {
  if (texts === null) {
    loadWeights(kernel, memory, model);
    port.postMessage({ vectors: null } satisfies ThreadReply);
  } else {
    const vectors = encoder.embed(texts);
    port.postMessage({ vectors } satisfies ThreadReply, [vectors.buffer as ArrayBuffer]);
  }
});
