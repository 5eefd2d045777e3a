/** The entry of an embedding thread: sets itself up from `workerData`, then answers texts with vectors. */

import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.ts';
import { instantiateKernel } from './kernel.ts';
import { planMemory } from './memory-plan.ts';
import type { ThreadMessage, ThreadReply, ThreadStart } from './thread.ts';
import { loadWeights } from './weights.ts';
import { WordPiece } from './wordpiece.ts';

function start({ module, memory, slots, slot, weightsPath, tokenizerPath }: ThreadStart): Encoder {
  const plan = planMemory(slots);
  const own = plan.slots[slot];
  if (!own) throw new RangeError(`slot ${slot} of ${slots}`);
  const kernel = instantiateKernel(module, memory);
  if (weightsPath !== null) loadWeights(weightsPath, kernel, memory, plan.model);
  return new Encoder(kernel, memory, plan.model, own, WordPiece.fromFile(tokenizerPath));
}

if (!parentPort) throw new Error('This module is the entry of a worker thread.');
const port = parentPort;
const encoder = start(workerData as ThreadStart);
// Whatever throws here ends the thread, and the pool tells the callers.
port.on('message', ({ texts }: ThreadMessage) => {
  const vectors = encoder.embed(texts);
  port.postMessage({ vectors } satisfies ThreadReply, [vectors.buffer as ArrayBuffer]);
});
port.postMessage({ vectors: null } satisfies ThreadReply);
