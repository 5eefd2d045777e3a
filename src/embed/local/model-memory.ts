/** The memory that all threads share, and the weights on their way into it. */

import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { LociError, messageOf } from '../../core/errors.ts';
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

async function readFully(file: FileHandle, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, target.length - done, done);
    if (bytesRead === 0) throw new Error('it ends early');
    done += bytesRead;
  }
}

async function readAndClose(file: FileHandle, target: Uint8Array): Promise<void> {
  try {
    await readFully(file, target);
  } finally {
    await file.close();
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
  try {
    const module = new WebAssembly.Module(readFileSync(new URL('./minilm.wasm', import.meta.url)));
    const file = await open(weightsPath);
    const [{ size }, start] = await Promise.all([file.stat(), file.read(new Uint8Array(8), 0, 8, 0)]);
    const plan = planMemory(size, headerBytes(start.buffer), slots);
    const memory = new WebAssembly.Memory({ initial: plan.pages, maximum: plan.pages, shared: true });
    const image = new Uint8Array(memory.buffer, plan.model.image, size);
    const read = readAndClose(file, image).catch((error: unknown) => {
      throw unavailable(weightsPath, error);
    });
    // Nobody may be left to hear of it, when the embedder is closed meanwhile.
    read.catch(() => undefined);
    return { module, memory, plan, read };
  } catch (error) {
    throw unavailable(weightsPath, error);
  }
}
