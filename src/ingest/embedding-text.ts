import { shortHash } from '../core/ids.ts';
import type { Metadata, Passage } from '../core/types.ts';

interface PassageSource {
  readonly title: string;
  readonly metadata: Metadata;
}

/**
 * The text that is embedded for a passage: the title and headings give the model the topic, the speaker is named in front
 * of the words, and the passage's context follows them. The hash of this text identifies the passage's vector.
 */
type EmbeddedPassage = Pick<Passage, 'headings' | 'text' | 'context'>;

export function embeddingText(record: PassageSource, passage: EmbeddedPassage): string {
  const topic = [record.title, ...passage.headings].filter((part) => part !== '');
  const { speaker } = record.metadata;
  const words = typeof speaker === 'string' ? `${speaker}: ${passage.text}` : passage.text;
  const context = passage.context === null ? [] : [passage.context];
  return [...new Set(topic), words, ...context].join('\n');
}

export function embeddingHash(record: PassageSource, passage: EmbeddedPassage): string {
  return shortHash(embeddingText(record, passage));
}
