import { shortHash } from '../core/hash.ts';
import type { Metadata, Passage } from '../core/types.ts';

interface Described {
  readonly title: string;
  readonly metadata: Metadata;
}

/**
 * What of a passage is embedded: its title and headings tell the model what the words are about, the speaker whose
 * they are. Its hash is the passage's identity among vectors.
 */
export function embeddingText(record: Described, passage: Pick<Passage, 'headings' | 'text'>): string {
  const context = [record.title, ...passage.headings].filter((part) => part !== '');
  const { speaker } = record.metadata;
  const words = typeof speaker === 'string' ? `${speaker}: ${passage.text}` : passage.text;
  return [...new Set(context), words].join('\n');
}

export function embeddingHash(record: Described, passage: Pick<Passage, 'headings' | 'text'>): string {
  return shortHash(embeddingText(record, passage));
}
