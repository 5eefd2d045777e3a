import { shortHash } from '../core/ids.ts';
import type { Metadata, Passage } from '../core/types.ts';

interface PassageSource {
  readonly title: string;
  readonly metadata: Metadata;
}

/**
 * The text that is embedded for a passage: the title and headings give the model the topic, and the speaker is named in
 * front of the words. The hash of this text identifies the passage's vector.
 */
export function embeddingText(record: PassageSource, passage: Pick<Passage, 'headings' | 'text'>): string {
  const context = [record.title, ...passage.headings].filter((part) => part !== '');
  const { speaker } = record.metadata;
  const words = typeof speaker === 'string' ? `${speaker}: ${passage.text}` : passage.text;
  return [...new Set(context), words].join('\n');
}

export function embeddingHash(record: PassageSource, passage: Pick<Passage, 'headings' | 'text'>): string {
  return shortHash(embeddingText(record, passage));
}
