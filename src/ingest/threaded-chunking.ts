import type { TaskThread, ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import type { Embedder } from '../embed/embedder.ts';
import { counterOf, cutRecord, type Cutting } from './cut-record.ts';
import { packPassages, unpackPassages, type PackedPassages } from './packed-passages.ts';
import { chunking, makePassages, type Chunking, type Described } from './passages.ts';

/** The chunking of an embedder's tokens (of an estimate without one) that cuts long contents in a thread. */
export function threadedChunking(thread: TaskThread, embedder: Embedder | null, maxTokens: number): Chunking {
  const options = { maxTokens, countTokens: counterOf(embedder) };
  const cutting = { provider: embedder?.provider ?? 'none', maxTokens };
  const task: ThreadTask<[Described, Cutting], PackedPassages> = {
    module: workerModule(import.meta.url, 'cut-record'),
    name: cutRecord.name,
    inline: (record) => packPassages(record.content, makePassages(record, options)),
  };
  return {
    ...chunking(embedder?.model ?? 'estimate', options),
    cut: async ({ title, metadata, content }, signal) => {
      const described = { title, metadata, content };
      const packed = await thread.run(task, [described, cutting], { size: content.length, signal });
      const passages = unpackPassages(content, packed);
      await thread.yieldToEventLoop(content.length);
      return passages;
    },
  };
}
