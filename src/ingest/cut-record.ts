import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { assertParseable } from '../sources/markdown/density.ts';
import { offsetsOfPassages, type PassageOffsets } from './passage-offsets.ts';
import { estimateModelTokens, makePassages, type PassageSource } from './passages.ts';

/** Options that a thread needs to cut a record exactly as its caller would. */
export interface CutOptions {
  /** The provider whose model counts the tokens. */
  readonly provider: 'local' | 'none';
  readonly maxTokens: number;
}

/** The token counters of this thread, by provider. Each has its own vocabulary. */
const counters = new Map<string, Promise<(text: string) => number>>();

/** Cuts a record into passages; runs in a worker thread. @throws LociError `unreadable` */
export async function cutRecord(
  record: PassageSource,
  { provider, maxTokens }: CutOptions,
): Promise<PassageOffsets> {
  assertParseable(record.content);
  const countTokens = await counterOf(provider);
  return offsetsOfPassages(record.content, makePassages(record, { maxTokens, countTokens }));
}

/** The token counter of this thread. */
export function counterOf(provider: CutOptions['provider']): Promise<(text: string) => number> {
  const counter = counters.get(provider) ?? openEmbedder({ provider }).then(tokenCounter);
  counters.set(provider, counter);
  return counter;
}

/** Counts tokens with the embedder, or estimates them without one. */
export function tokenCounter(embedder: Embedder | null): (text: string) => number {
  return embedder === null ? estimateModelTokens : (text) => embedder.countTokens(text);
}
