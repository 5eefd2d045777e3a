import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import { assertParseable } from '../sources/markdown/density.ts';
import { packPassages, type PackedPassages } from './packed-passages.ts';
import { makePassages, type Described } from './passages.ts';
import { estimateTokens } from './token-estimate.ts';

/** What a thread needs to cut a record as its caller would. */
export interface Cutting {
  /** Of embeddings: its model counts the tokens. */
  readonly provider: string;
  readonly maxTokens: number;
}

/** Of this thread, by provider: each counts with a vocabulary of its own. */
const counters = new Map<string, Promise<(text: string) => number>>();

/** The passages of a record, in a thread. @throws LociError `unreadable` */
export async function cutRecord(
  record: Described,
  { provider, maxTokens }: Cutting,
): Promise<PackedPassages> {
  assertParseable(record.content);
  const counter = counters.get(provider) ?? openEmbedder({ provider }).then(counterOf);
  counters.set(provider, counter);
  return packPassages(record.content, makePassages(record, { maxTokens, countTokens: await counter }));
}

/** What counts tokens: the embedder, else an estimate. */
export function counterOf(embedder: Embedder | null): (text: string) => number {
  return embedder === null ? estimateTokens : (text) => embedder.countTokens(text);
}
