import type { TaskRunner, ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import type { Embedder } from '../embed/embedder.ts';
import { tokenCounter, cutRecord, type CutOptions } from './cut-record.ts';
import { packPassages, unpackPassages, type PackedPassages } from './packed-passages.ts';
import { chunking, makePassages, type Chunking, type PassageSource } from './passages.ts';

/** A chunking that counts tokens with the embedder, or estimates them without one, and cuts long contents in a thread. */
export function threadedChunking(thread: TaskRunner, embedder: Embedder | null, maxTokens: number): Chunking {
  const options = { maxTokens, countTokens: tokenCounter(embedder) };
  const cutOptions = { provider: embedder?.provider ?? 'none', maxTokens };
  const task: ThreadTask<[PassageSource, CutOptions], PackedPassages> = {
    module: workerModule(import.meta.url, 'cut-record'),
    name: cutRecord.name,
    inline: (record) => packPassages(record.content, makePassages(record, options)),
  };
  return {
    ...chunking(embedder?.model ?? 'estimate', options),
    cut: async ({ origin, project, title, tags, metadata, content }, signal) => {
      const source = { origin, project, title, tags, metadata, content };
      const packed = await thread.run(task, [source, cutOptions], { size: content.length, signal });
      const passages = unpackPassages(content, packed);
      await thread.yieldToEventLoop(content.length);
      return passages;
    },
  };
}
