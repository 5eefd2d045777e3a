import type { TaskRunner, ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import type { Embedder } from '../embed/embedder.ts';
import { tokenCounter, cutRecord, type CutOptions } from './cut-record.ts';
import { offsetsOfPassages, passagesAtOffsets, type PassageOffsets } from './passage-offsets.ts';
import { chunking, makePassages, type Chunking, type PassageSource } from './passages.ts';

/** The model whose vocabulary every provider counts with, so that a change of the provider cuts no record anew. */
const COUNTING_MODEL = 'all-MiniLM-L6-v2';

/** A chunking that counts tokens with the embedder, or estimates them without one, and cuts long contents in a thread. */
export function threadedChunking(thread: TaskRunner, embedder: Embedder | null, maxTokens: number): Chunking {
  const options = { maxTokens, countTokens: tokenCounter(embedder) };
  const cutOptions: CutOptions = { provider: embedder === null ? 'none' : 'local', maxTokens };
  const task: ThreadTask<[PassageSource, CutOptions], PassageOffsets> = {
    module: workerModule(import.meta.url, 'cut-record'),
    name: cutRecord.name,
    inline: (record) => offsetsOfPassages(record.content, makePassages(record, options)),
  };
  return {
    ...chunking(embedder === null ? 'estimate' : COUNTING_MODEL, options),
    cut: async ({ origin, project, title, tags, metadata, content }, signal) => {
      const source = { origin, project, title, tags, metadata, content };
      const packed = await thread.run(task, [source, cutOptions], { size: content.length, signal });
      const passages = passagesAtOffsets(content, packed);
      await thread.yieldToEventLoop(content.length);
      return passages;
    },
  };
}
